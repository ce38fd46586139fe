import { expect } from 'vitest'
import type { ownService } from '../support/app.ts'
import { makeDue, newSchedule, remind } from '../support/maintenance.ts'
import { newAccount, type Person } from '../support/people.ts'
import { together } from './callers.ts'

type Own = Awaited<ReturnType<typeof ownService>>

/** Four schedules of one person's. */
async function fourSchedules(admin: Person): Promise<string[]> {
  const { id, tree_id, target_list_id } = await newSchedule(admin)
  const more = [1, 2, 3].map(async () => (await newSchedule(admin, { tree_id, target_list_id })).id)
  return [id, ...(await Promise.all(more))]
}

/** Both reminders, the Worker's cron and the queue's, `each` times at the same moment: every due time makes one batch. */
export async function dueTimesRunOnce(service: Own, rounds: number, each: number): Promise<void> {
  const { admin } = await newAccount(service)
  const ids = await fourSchedules(admin)
  const expected = new Map(ids.map((id) => [id, new Set<string>()]))
  for (let round = 1; round <= rounds; round++) {
    for (const id of ids) expected.get(id)?.add(await makeDue(service, id, rounds - round + 1))
    await together((caller) => (caller % 2 ? remind(service) : service.stack.tick()), each * 2)
    // Who came while another held the last schedule left it alone: nothing waits for a reminder that is still to come.
    const left = await service.sql('select from maintenance_schedules where next_run_at <= app.now()')
    expect(left, `round ${round}`).toEqual([])
  }
  for (const [id, due] of expected) expect(await madeBy(service, id)).toEqual([...due].map((time) => [time, 'created', 1]))
  const [sessions] = await service.sql<{ all: number; batches: number }>(
    'select count(*)::int as all, count(distinct batch_id)::int as batches from sessions where account_id = $1',
    [admin.accountId],
  )
  const batches = [...expected.values()].reduce((all, { size }) => all + size, 0)
  expect(sessions).toEqual({ all: batches * 2, batches })
}

/** Due times, what came of them and in how many batches, the oldest first. */
async function madeBy(service: Own, id: string): Promise<[string, string, number][]> {
  const rows = await service.sql<{ due_at: Date; status: string; batches: number }>(
    'select due_at, status, cardinality(batch_ids) as batches from maintenance_runs where schedule_id = $1 order by due_at',
    [id],
  )
  return rows.map(({ due_at, status, batches }) => [due_at.toISOString(), status, batches])
}

/** A schedule that is changed by many while reminders make it up: what was due is made once, by none of them lost. */
export async function changesLoseNothing(service: Own, rounds: number): Promise<void> {
  const { admin, colleague } = await newAccount(service)
  const { id } = await newSchedule(admin)
  for (let round = 1; round <= rounds; round++) {
    const due_at = await makeDue(service, id, rounds - round + 1)
    // Somebody new each round: limits are per person.
    const changer = await colleague({ role: 'admin' })
    const answers = await together(async (caller) => {
      if (caller % 3 === 0) return remind(service)
      if (caller % 3 === 1) return service.stack.tick()
      const change = { cron: `${caller} ${caller % 24} * * *`, timezone: caller % 2 ? 'Europe/Berlin' : 'UTC' }
      const { status } = await changer.call('PATCH', `/maintenance-schedules/${id}`, change)
      return expect([200, 409, 503], `round ${round}`).toContain(status)
    })
    expect(answers).toHaveLength(32)
    await remind(service)
    const runs = await service.sql('select status from maintenance_runs where schedule_id = $1 and due_at = $2', [id, due_at])
    expect(runs, `round ${round}`).toEqual([{ status: 'created' }])
    const shown = (await admin.call('GET', `/maintenance-schedules/${id}`)).body
    expect(Date.parse(shown.next_run_at)).toBeGreaterThan(Date.now())
  }
}
