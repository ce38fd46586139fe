import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { expectChangesLoseNoRun, expectOneBatchPerDueTime } from '#test/soak/races-schedules.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { postSignedJob } from '#test/support/jobs.ts'
import {
  createLastingAccount,
  createSchedule,
  listMaintenanceNotifications,
  listRuns,
  makeScheduleDue,
  runMaintenanceTick,
} from '#test/support/maintenance.ts'
import { night, someByDay } from '#test/support/night.ts'
import type { Person } from '#test/support/people.ts'

const service = await startOwnService({}, { databaseFaults: true })
afterAll(() => service.close())

const minuteMs = 60_000
const toIso = (ms: number) => new Date(ms).toISOString()
const readClock = async () =>
  ((await service.sql<{ now: Date }>('select app.now() as now'))[0]?.now ?? new Date(0)).getTime()
/** Move the clock of the service to a time. Moving it also runs the cron trigger. */
const setClock = async (time: number) => dashboard(service).advanceClock((time - (await readClock())) / 1000)
const listDueTimes = (minutes: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / (minutes * minuteMs)) + 1 }, (_, n) =>
    toIso(from + n * minutes * minuteMs),
  )

/** Return the due times and statuses of a schedule's runs, oldest first. */
async function selectRuns(id: string): Promise<[string, string][]> {
  const rows = await service.sql<{ due_at: Date; status: string }>(
    'select due_at, status from maintenance_runs where schedule_id = $1 order by due_at',
    [id],
  )
  return rows.map(({ due_at, status }) => [due_at.toISOString(), status])
}

describe('MNT-08 with simultaneous ticks', () => {
  it.each([
    [1, 4],
    [2, 4],
    [5, 6],
  ])(
    'creates one batch per due time when the cron trigger and the queued job run %i times each concurrently',
    (callsPerTrigger, rounds) => expectOneBatchPerDueTime(service, rounds, callsPerTrigger),
  )

  it('runs a due schedule exactly once while the schedule is changed concurrently', () =>
    expectChangesLoseNoRun(service, 4))
})

describe('MNT-09 after an outage', () => {
  it('starts the latest due run after three hours, and records the older due runs as missed', async () => {
    const { admin } = await createLastingAccount(service)
    const { id, next_run_at } = await createSchedule(admin, { cron: '*/15 * * * *' })
    await setClock(Date.parse(next_run_at) + 180 * minuteMs + 20_000)
    const dueTimes = listDueTimes(15, Date.parse(next_run_at), Date.parse(next_run_at) + 180 * minuteMs)
    expect(dueTimes).toHaveLength(13)
    expect(await selectRuns(id)).toEqual(dueTimes.map((time, n) => [time, n < 12 ? 'missed' : 'created']))
    expect((await listMaintenanceNotifications(admin)).map(({ body }) => body).sort()).toEqual([
      '12 due runs were missed.',
      '2 sessions are waiting.',
    ])
    expect((await listRuns(admin, id))[1]).toMatchObject({
      status: 'missed',
      started_at: null,
      session_count: 0,
    })
    await admin.client.maintenance.schedules.delete({ schedule_id: id })
  })

  it('records every one of thousands of due times after 40 days', async () => {
    const { admin } = await createLastingAccount(service)
    const { id, next_run_at } = await createSchedule(admin, { cron: '*/5 * * * *' })
    await setClock(Date.parse(next_run_at) + 40 * 1440 * minuteMs + 1000)
    await runMaintenanceTick(service)
    const dueTimes = listDueTimes(5, Date.parse(next_run_at), Date.parse(next_run_at) + 40 * 1440 * minuteMs)
    const runs = await selectRuns(id)
    expect(runs.map(([time]) => time)).toEqual(dueTimes)
    expect(runs.filter(([, status]) => status === 'created')).toEqual([[dueTimes.at(-1), 'created']])
    await admin.client.maintenance.schedules.delete({ schedule_id: id })
  })

  it('starts the due run when the database is available again', async () => {
    const { admin } = await createLastingAccount(service)
    const { id } = await createSchedule(admin)
    const due_at = await makeScheduleDue(service, id)
    await dashboard(service).setFault({ service: 'postgres', mode: 'down' })
    expectStatus(await postSignedJob(service, '/jobs/maintenance/tick'), 503)
    await dashboard(service).clearFaults()
    await runMaintenanceTick(service)
    await runMaintenanceTick(service)
    expect(await selectRuns(id)).toEqual([[due_at, 'created']])
  })
})

it('leaves a run due while the sessions table is locked, and records no failure', night, async () => {
  const { admin } = await createLastingAccount(service)
  const { id } = await createSchedule(admin)
  const due_at = await makeScheduleDue(service, id)
  const client = new pg.Client({ connectionString: service.stack.ownerUrl })
  await client.connect()
  try {
    await client.query('begin; lock table sessions in exclusive mode')
    expectStatus(await postSignedJob(service, '/jobs/maintenance/tick'), 503)
  } finally {
    await client.end()
  }
  expect(await selectRuns(id)).toEqual([])
  await runMaintenanceTick(service)
  expect(await selectRuns(id)).toEqual([[due_at, 'created']])
})

describe('a schedule changed while it is due', () => {
  /** Create a schedule with a half-hour cron that was due four times without a tick. */
  async function createOverdueSchedule(admin: Person) {
    const { id } = await createSchedule(admin, { cron: '*/30 * * * *' })
    const latest = Math.floor((await readClock()) / (30 * minuteMs)) * 30 * minuteMs
    const first = latest - 90 * minuteMs
    await service.sql('update maintenance_schedules set next_run_at = $2, timed_since = $2 where id = $1', [
      id,
      toIso(first),
    ])
    return { id, dueTimes: listDueTimes(30, first, latest) }
  }

  it('runs once for the latest old due time, and then follows the new cron', async () => {
    const { admin } = await createLastingAccount(service)
    const { id, dueTimes } = await createOverdueSchedule(admin)
    const updated = await admin.client.maintenance.schedules.update({ schedule_id: id, cron: '7 4 * * *' })
    expect(updated).toMatchObject({
      next_run_at: dueTimes.at(-1),
      last_run: { status: 'missed', due_at: dueTimes.at(-2) },
    })
    await runMaintenanceTick(service)
    expect(await selectRuns(id)).toEqual(dueTimes.map((time, n) => [time, n < 3 ? 'missed' : 'created']))
    expect((await admin.client.maintenance.schedules.get({ schedule_id: id })).next_run_at).toMatch(
      /T04:07:00.000Z$/,
    )
  })

  it('keeps the old due times when only the name changes', async () => {
    const { admin } = await createLastingAccount(service)
    const { id, dueTimes } = await createOverdueSchedule(admin)
    expect(
      (await admin.client.maintenance.schedules.update({ schedule_id: id, name: 'Other' })).next_run_at,
    ).toBe(dueTimes[0])
    await runMaintenanceTick(service)
    expect(await selectRuns(id)).toEqual(dueTimes.map((time, n) => [time, n < 3 ? 'missed' : 'created']))
  })
})

describe('MNT-07 MNT-13 when daylight saving time starts or ends', () => {
  it.each(
    someByDay(
      [
        // time zone, cron, time of the clock change, due times of that night
        ['America/New_York', '30 2 * * *', '2027-03-14T07:00:00Z', ['2027-03-14T07:00:00.000Z']],
        ['Europe/Berlin', '30 2 * * *', '2027-03-28T01:00:00Z', ['2027-03-28T01:00:00.000Z']],
        [
          'Europe/Berlin',
          '0,30 2 * * *',
          '2027-10-31T01:00:00Z',
          ['2027-10-31T00:00:00.000Z', '2027-10-31T00:30:00.000Z'],
        ],
        ['America/New_York', '30 1 * * *', '2027-11-07T06:00:00Z', ['2027-11-07T05:30:00.000Z']],
        [
          'Europe/Berlin',
          '*/30 2 * * *',
          '2028-10-29T01:00:00Z',
          ['00:00', '00:30', '01:00', '01:30'].map((time) => `2028-10-29T${time}:00.000Z`),
        ],
      ] as const,
      2,
    ),
  )(
    'in %s, a schedule with the cron %s runs once per due time when the clock changes at %s',
    async (timezone, cron, clockChange, dueTimes) => {
      await service.sql('delete from maintenance_schedules')
      const changeMs = Date.parse(clockChange)
      await setClock(changeMs - 150 * minuteMs)
      const { admin } = await createLastingAccount(service)
      const { id } = await createSchedule(admin, { timezone, cron })
      for (let minutes = -120; minutes <= 180; minutes += 30) {
        await setClock(changeMs + minutes * minuteMs + 1000)
        await Promise.all([runMaintenanceTick(service), service.stack.runCron()])
      }
      expect(await selectRuns(id)).toEqual(dueTimes.map((time) => [time, 'created']))
    },
  )
})
