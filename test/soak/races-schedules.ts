import { expect } from 'vitest'
import type { OwnService, Service } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { createSchedule, makeScheduleDue, runMaintenanceTick } from '#test/support/maintenance.ts'
import { createAccount, type Person } from '#test/support/people.ts'

/** Create four schedules of one flow and return their ids. */
async function createFourSchedules(admin: Person): Promise<string[]> {
  const { id, tree_id, target_list_id } = await createSchedule(admin)
  const otherIds = [1, 2, 3].map(async () => (await createSchedule(admin, { tree_id, target_list_id })).id)
  return [id, ...(await Promise.all(otherIds))]
}

/**
 * Run the Worker's cron and the queue's job `callsPerTrigger` times each at once, and expect that every due
 * time creates one batch.
 */
export async function expectOneBatchPerDueTime(
  service: OwnService,
  rounds: number,
  callsPerTrigger: number,
): Promise<void> {
  const { admin } = await createAccount(service)
  const ids = await createFourSchedules(admin)
  const dueTimes = new Map(ids.map((id) => [id, new Set<string>()]))
  for (let round = 1; round <= rounds; round++) {
    for (const id of ids) dueTimes.get(id)?.add(await makeScheduleDue(service, id, rounds - round + 1))
    await runConcurrently(
      (caller) => (caller % 2 ? runMaintenanceTick(service) : service.stack.runCron()),
      callsPerTrigger * 2,
    )
    // A trigger skips a schedule that another one has locked. No schedule may wait for the next trigger
    // because of that.
    const dueSchedules = await service.sql('select from maintenance_schedules where next_run_at <= app.now()')
    expect(dueSchedules, `round ${round}`).toEqual([])
  }
  for (const [id, times] of dueTimes)
    expect(await selectRuns(service, id)).toEqual([...times].map((time) => [time, 'created', 1]))
  const [counts] = await service.sql<{ sessions: number; batches: number }>(
    'select count(*)::int as sessions, count(distinct batch_id)::int as batches from sessions where account_id = $1',
    [admin.accountId],
  )
  const batches = [...dueTimes.values()].reduce((sum, { size }) => sum + size, 0)
  expect(counts).toEqual({ sessions: batches * 2, batches })
}

/** Select a schedule's runs as due time, status and number of batches, oldest first. */
async function selectRuns(service: Service, scheduleId: string): Promise<[string, string, number][]> {
  const rows = await service.sql<{ due_at: Date; status: string; batches: number }>(
    'select due_at, status, cardinality(batch_ids) as batches from maintenance_runs where schedule_id = $1 order by due_at',
    [scheduleId],
  )
  return rows.map(({ due_at, status, batches }) => [due_at.toISOString(), status, batches])
}

/**
 * Change a schedule concurrently while the triggers run, and expect that each due time creates exactly one
 * run.
 */
export async function expectChangesLoseNoRun(service: OwnService, rounds: number): Promise<void> {
  const { admin, addColleague } = await createAccount(service)
  const { id } = await createSchedule(admin)
  for (let round = 1; round <= rounds; round++) {
    const due_at = await makeScheduleDue(service, id, rounds - round + 1)
    // A new person in each round, because rate limits are per person.
    const editor = await addColleague({ role: 'admin' })
    const results = await runConcurrently(async (caller) => {
      if (caller % 3 === 0) return runMaintenanceTick(service)
      if (caller % 3 === 1) return service.stack.runCron()
      const changes = {
        cron: `${caller} ${caller % 24} * * *`,
        timezone: caller % 2 ? 'Europe/Berlin' : 'UTC',
      }
      const { status } = await editor.call('PATCH', `/maintenance-schedules/${id}`, changes)
      return expect([200, 409, 503], `round ${round}`).toContain(status)
    })
    expect(results).toHaveLength(32)
    await runMaintenanceTick(service)
    const runs = await service.sql(
      'select status from maintenance_runs where schedule_id = $1 and due_at = $2',
      [id, due_at],
    )
    expect(runs, `round ${round}`).toEqual([{ status: 'created' }])
    const schedule = (await admin.call('GET', `/maintenance-schedules/${id}`)).body
    expect(Date.parse(schedule.next_run_at)).toBeGreaterThan(Date.now())
  }
}
