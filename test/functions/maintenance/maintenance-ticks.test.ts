import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { jobByHand } from '../../soak/callers.ts'
import { changesLoseNothing, dueTimesRunOnce } from '../../soak/schedule-proofs.ts'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService } from '../../support/app.ts'
import { lastingAccount, makeDue, newSchedule, remind, runsOf, toldOf } from '../../support/maintenance.ts'
import type { Person } from '../../support/people.ts'

const service = await ownService()
afterAll(() => service.close())

const path = '/maintenance-schedules'
const minuteMs = 60_000
const iso = (ms: number) => new Date(ms).toISOString()
const now = async () => ((await service.sql<{ now: Date }>('select app.now() as now'))[0]?.now ?? new Date(0)).getTime()
/** Moves the clock to a time; what is due by then is made up once. */
const travel = async (to: number) => desk(service).advance((to - (await now())) / 1000)
const every = (minutes: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / (minutes * minuteMs)) + 1 }, (_, n) => iso(from + n * minutes * minuteMs))

/** Due times and what came of them, the oldest first. */
async function recorded(id: string): Promise<[string, string][]> {
  const rows = await service.sql<{ due_at: Date; status: string }>(
    'select due_at, status from maintenance_runs where schedule_id = $1 order by due_at',
    [id],
  )
  return rows.map(({ due_at, status }) => [due_at.toISOString(), status])
}

describe('MNT-08 however often the tick fires', () => {
  it.each([
    [1, 4],
    [2, 4],
    [5, 6],
  ])('from two sources %i times at once, one batch is made per due time', (each, rounds) => dueTimesRunOnce(service, rounds, each))

  it('a schedule changed by many while it is due runs once', () => changesLoseNothing(service, 4))
})

describe('MNT-09 after downtime', () => {
  it('of three hours the latest run is made up and the older ones are recorded as missed', async () => {
    const { admin } = await lastingAccount(service)
    const { id, next_run_at } = await newSchedule(admin, { cron: '*/15 * * * *' })
    await travel(Date.parse(next_run_at) + 180 * minuteMs + 20_000)
    const due = every(15, Date.parse(next_run_at), Date.parse(next_run_at) + 180 * minuteMs)
    expect(due).toHaveLength(13)
    expect(await recorded(id)).toEqual(due.map((time, n) => [time, n < 12 ? 'missed' : 'created']))
    expect((await toldOf(admin)).map(({ body }) => body).sort()).toEqual(['12 due runs were missed.', '2 sessions are waiting.'])
    expect((await runsOf(admin, id))[1]).toMatchObject({ status: 'missed', started_at: null, session_count: 0 })
    await admin.call('DELETE', `${path}/${id}`)
  })

  it('of 40 days none of thousands of due times is lost', async () => {
    const { admin } = await lastingAccount(service)
    const { id, next_run_at } = await newSchedule(admin, { cron: '*/5 * * * *' })
    await travel(Date.parse(next_run_at) + 40 * 1440 * minuteMs + 1000)
    await remind(service)
    const due = every(5, Date.parse(next_run_at), Date.parse(next_run_at) + 40 * 1440 * minuteMs)
    const runs = await recorded(id)
    expect(runs.map(([time]) => time)).toEqual(due)
    expect(runs.filter(([, status]) => status === 'created')).toEqual([[due.at(-1), 'created']])
    await admin.call('DELETE', `${path}/${id}`)
  })

  it('of the database what was due is made once it is back', async () => {
    const { admin } = await lastingAccount(service)
    const { id } = await newSchedule(admin)
    const due_at = await makeDue(service, id)
    await desk(service).fault({ service: 'postgres', mode: 'down' })
    expectStatus(await jobByHand(service, '/jobs/maintenance/tick'), 503)
    await desk(service).lift()
    await remind(service)
    await remind(service)
    expect(await recorded(id)).toEqual([[due_at, 'created']])
  })
})

it('leaves due what a busy database refuses, and records no failure', async () => {
  const { admin } = await lastingAccount(service)
  const { id } = await newSchedule(admin)
  const due_at = await makeDue(service, id)
  const client = new pg.Client({ connectionString: service.stack.ownerUrl })
  await client.connect()
  try {
    await client.query('begin; lock table sessions in exclusive mode')
    expectStatus(await jobByHand(service, '/jobs/maintenance/tick'), 503)
  } finally {
    await client.end()
  }
  expect(await recorded(id)).toEqual([])
  await remind(service)
  expect(await recorded(id)).toEqual([[due_at, 'created']])
})

describe('a schedule changed while it is due', () => {
  /** Due every half hour since 90 minutes and a bit, and nobody reminded. */
  async function overdue(admin: Person) {
    const { id } = await newSchedule(admin, { cron: '*/30 * * * *' })
    const latest = Math.floor((await now()) / (30 * minuteMs)) * 30 * minuteMs
    const first = latest - 90 * minuteMs
    await service.sql('update maintenance_schedules set next_run_at = $2, timed_since = $2 where id = $1', [id, iso(first)])
    return { id, due: every(30, first, latest) }
  }

  it('runs what was due by its old time, once, and then follows the new one', async () => {
    const { admin } = await lastingAccount(service)
    const { id, due } = await overdue(admin)
    const changed = (await admin.call('PATCH', `${path}/${id}`, { cron: '7 4 * * *' })).body
    expect(changed).toMatchObject({ next_run_at: due.at(-1), last_run: { status: 'missed', due_at: due.at(-2) } })
    await remind(service)
    expect(await recorded(id)).toEqual(due.map((time, n) => [time, n < 3 ? 'missed' : 'created']))
    expect((await admin.call('GET', `${path}/${id}`)).body.next_run_at).toMatch(/T04:07:00.000Z$/)
  })

  it('loses nothing to a change of name', async () => {
    const { admin } = await lastingAccount(service)
    const { id, due } = await overdue(admin)
    expect((await admin.call('PATCH', `${path}/${id}`, { name: 'Other' })).body.next_run_at).toBe(due[0])
    await remind(service)
    expect(await recorded(id)).toEqual(due.map((time, n) => [time, n < 3 ? 'missed' : 'created']))
  })
})

describe('MNT-07 when the clock changes', () => {
  it.each([
    // zone, cron, when the clock changes, due times of that night
    ['America/New_York', '30 2 * * *', '2027-03-14T07:00:00Z', ['2027-03-14T07:00:00.000Z']],
    ['Europe/Berlin', '30 2 * * *', '2027-03-28T01:00:00Z', ['2027-03-28T01:00:00.000Z']],
    ['Europe/Berlin', '*/30 2 * * *', '2027-10-31T01:00:00Z', ['2027-10-31T00:00:00.000Z', '2027-10-31T00:30:00.000Z']],
    ['America/New_York', '30 1 * * *', '2027-11-07T06:00:00Z', ['2027-11-07T05:30:00.000Z']],
  ] as const)('in %s, %s runs once on the night of %s', async (timezone, cron, change, due) => {
    await service.sql('delete from maintenance_schedules')
    const turn = Date.parse(change)
    await travel(turn - 150 * minuteMs)
    const { admin } = await lastingAccount(service)
    const { id } = await newSchedule(admin, { timezone, cron })
    for (let minutes = -120; minutes <= 180; minutes += 30) {
      await travel(turn + minutes * minuteMs + 1000)
      await Promise.all([remind(service), service.stack.tick()])
    }
    expect(await recorded(id)).toEqual(due.map((time) => [time, 'created']))
  })
})
