import { expect } from 'vitest'
import { dashboard, type OwnService } from '#test/support/app.ts'
import { createSchedule, makeScheduleDue } from '#test/support/maintenance.ts'
import type { Person } from '#test/support/people.ts'
import type { Act, Model, Step } from './model.ts'
import type { Random } from './random.ts'

/** A schedule of person 1, which an admin may run too. Its runs create two sessions each. */
export interface Schedule {
  /** Who started the last run by hand, within the last seconds. */
  recent: number | null
  manualRuns: number
  dueRuns: number
}

const sessionsPerRun = 2

function run(state: Schedule, person: number): Step<Schedule> {
  if (person === 0) return ['403', state]
  if (state.recent === null) return ['201', { ...state, recent: person, manualRuns: state.manualRuns + 1 }]
  return [state.recent === person ? '200' : '409 already_started', state]
}

/** Model a schedule that three people run by hand, while it becomes due now and then. */
export async function createScheduleModel(
  service: OwnService,
  people: readonly Person[],
  random: Random,
): Promise<Model<Schedule> & { id: string }> {
  const { id } = await createSchedule(people[1] as Person, {})
  return {
    id,
    start: { recent: null, manualRuns: 0, dueRuns: 0 },
    listActs(_, n): Act<Schedule>[] {
      const { call } = people[n] as Person
      const path = `/maintenance-schedules/${id}`
      return [
        { name: `${n} run`, apply: (state) => run(state, n), send: () => call('POST', `${path}/run`) },
        { name: `${n} read`, apply: (state) => ['200', state], send: () => call('GET', path) },
      ]
    },
    async read() {
      const rows = await service.sql<{ trigger: string; count: number }>(
        `select trigger, count(*)::int as count from maintenance_runs where schedule_id = $1 and status = 'created' group by trigger`,
        [id],
      )
      return ['manual', 'scheduled'].map((trigger) => rows.find((row) => row.trigger === trigger)?.count ?? 0)
    },
    show: ({ manualRuns, dueRuns }) => [manualRuns, dueRuns],
    async pass(states) {
      if (random() > 0.4) return [...states]
      const isDue = random() > 0.5
      if (isDue) await makeScheduleDue(service, id)
      await dashboard(service).advanceClock(61)
      return states.map((state) => ({ ...state, recent: null, dueRuns: state.dueRuns + (isDue ? 1 : 0) }))
    },
  }
}

/** Expect two sessions per run, and one event per run. */
export async function expectRunsComplete(
  service: OwnService,
  id: string,
  state: Schedule,
  label: string,
): Promise<void> {
  const [counts] = await service.sql(
    `select (select count(*)::int from sessions s join maintenance_runs r on s.batch_id = any (r.batch_ids) where r.schedule_id = $1) as sessions,
            (select count(*)::int from events e join maintenance_schedules m on m.account_id = e.account_id
              where m.id = $1 and e.key = 'maintenance.batch_created') as events`,
    [id],
  )
  const runs = state.manualRuns + state.dueRuns
  expect(counts, label).toEqual({ sessions: runs * sessionsPerRun, events: runs })
}
