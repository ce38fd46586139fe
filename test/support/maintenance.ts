import { expect } from 'vitest'
import { jobByHand } from '../soak/callers.ts'
import { expectStatus } from './answers.ts'
import type { Service } from './app.ts'
import { newFlow } from './flows.ts'
import { newAccount, type Person } from './people.ts'
import { stepFlow } from './sessions.ts'

/** Targets that the flow of these tests can be run on. */
export const targetsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ label: `SRV-${n}`, variables: { server: `srv-${n}` } }))

/** What a schedule is made of: a flow and a list of this person's. */
export async function scheduleBody(person: Person, change: Record<string, unknown> = {}, targets = targetsOf(2)) {
  const flow = change.tree_id ? { id: change.tree_id } : await newFlow(person, stepFlow())
  const list = await person.call('POST', '/target-lists/', { name: 'Servers', targets })
  expectStatus(list, 201)
  return { tree_id: flow.id, name: 'Patches', cron: '0 2 * * *', timezone: 'UTC', target_list_id: list.body.id, ...change }
}

/** Makes a schedule of this person's and answers it. */
export async function newSchedule(person: Person, change: Record<string, unknown> = {}, targets = targetsOf(2)) {
  const { status, body, text } = await person.call('POST', '/maintenance-schedules', await scheduleBody(person, change, targets))
  expect(status, text).toBe(201)
  return body
}

/** An account that outlives its trial and sign-ins, for a clock that is moved far. */
export async function lastingAccount(service: Service) {
  const account = await newAccount(service)
  await service.sql(`update accounts set subscription_status = 'active' where id = $1`, [account.id])
  await service.sql(`update sign_ins set expires_at = '2100-01-01' where account_id = $1`, [account.id])
  return account
}

/** Makes a schedule due at a whole minute some minutes ago, and at no later time yet; answers that minute. */
export async function makeDue(service: Service, id: string, minutesAgo = 1): Promise<string> {
  const [row] = await service.sql<{ due: Date }>(
    `update maintenance_schedules set next_run_at = date_trunc('minute', app.now()) - $2 * interval '1 minute', timed_since = app.now()
      where id = $1 returning next_run_at as due`,
    [id, minutesAgo],
  )
  return row?.due.toISOString() ?? ''
}

/** The queue's reminder. */
export async function remind(service: Service): Promise<void> {
  expectStatus(await jobByHand(service, '/jobs/maintenance/tick'), 200)
}

export async function runsOf(person: Person, id: string) {
  const { status, body } = await person.call('GET', `/maintenance-schedules/${id}/runs?limit=100`)
  expect(status).toBe(200)
  return body
}

/** What somebody was told of schedules, the oldest first. */
export async function toldOf(person: Person): Promise<{ event_key: string; body: string }[]> {
  const { body } = await person.call('GET', '/notifications')
  return body.filter(({ event_key }: { event_key: string }) => event_key.startsWith('maintenance.')).reverse()
}
