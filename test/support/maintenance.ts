import { expect } from 'vitest'
import type { Service } from './app.ts'
import { expectStatus } from './expect-status.ts'
import { createFlow } from './flows.ts'
import { postSignedJob } from './jobs.ts'
import { createAccount, type Person } from './people.ts'
import { proceduralFlowFields } from './sessions.ts'

/** Build targets with the variables that the procedural flow of these tests needs. */
export const buildTargets = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ label: `SRV-${n}`, variables: { server: `srv-${n}` } }))

/**
 * Create a target list, and a flow unless `fields` contains a `tree_id`. Return the body of a schedule that
 * uses them.
 */
export async function scheduleBody(
  person: Person,
  fields: Record<string, unknown> = {},
  targets = buildTargets(2),
) {
  const flow = fields.tree_id ? { id: fields.tree_id } : await createFlow(person, proceduralFlowFields())
  const list = await person.call('POST', '/target-lists/', { name: 'Servers', targets })
  expectStatus(list, 201)
  return {
    tree_id: flow.id,
    name: 'Patches',
    cron: '0 2 * * *',
    timezone: 'UTC',
    target_list_id: list.body.id,
    ...fields,
  }
}

/** Create a maintenance schedule through the API and return it. */
export async function createSchedule(
  person: Person,
  fields: Record<string, unknown> = {},
  targets = buildTargets(2),
) {
  const { status, body, text } = await person.call(
    'POST',
    '/maintenance-schedules',
    await scheduleBody(person, fields, targets),
  )
  expect(status, text).toBe(201)
  return body
}

/** Create an account whose subscription and sign-ins stay valid when the clock is moved by years. */
export async function createLastingAccount(service: Service) {
  const account = await createAccount(service)
  await service.sql(`update accounts set subscription_status = 'active' where id = $1`, [account.id])
  await service.sql(`update sign_ins set expires_at = '2100-01-01' where account_id = $1`, [account.id])
  return account
}

/** Set a schedule's next due time to the start of a minute in the past. Return that time. */
export async function makeScheduleDue(service: Service, id: string, minutesAgo = 1): Promise<string> {
  const [row] = await service.sql<{ due: Date }>(
    `update maintenance_schedules set next_run_at = date_trunc('minute', app.now()) - $2 * interval '1 minute', timed_since = app.now()
      where id = $1 returning next_run_at as due`,
    [id, minutesAgo],
  )
  return row?.due.toISOString() ?? ''
}

/** Post the queue's maintenance job, which starts the runs that are due. */
export async function runMaintenanceTick(service: Service): Promise<void> {
  expectStatus(await postSignedJob(service, '/jobs/maintenance/tick'), 200)
}

export async function listRuns(person: Person, id: string) {
  const { status, body } = await person.call('GET', `/maintenance-schedules/${id}/runs?limit=100`)
  expect(status).toBe(200)
  return body
}

/** List a person's notifications about maintenance, oldest first. */
export async function listMaintenanceNotifications(
  person: Person,
): Promise<{ event_key: string; body: string }[]> {
  const { body } = await person.call('GET', '/notifications')
  return body.filter(({ event_key }: { event_key: string }) => event_key.startsWith('maintenance.')).reverse()
}
