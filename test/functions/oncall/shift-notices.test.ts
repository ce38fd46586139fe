import { expect, it } from 'vitest'
import { findNextShift } from '#rules/oncall/shifts.ts'
import { dashboard, sharedService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { postSignedJob } from '#test/support/jobs.ts'
import { night } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const minuteMs = 60_000
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * minuteMs).toISOString()
const sweep = () => postSignedJob(service, '/jobs/notifications/sweep')
const listNotices = async (person: Person) =>
  (await person.client.notifications.list()).filter(({ event_key }) => event_key === 'oncall.shift_starts')

async function createScene() {
  const account = await createAccount(service)
  const [regular, substitute, third] = [
    await account.addColleague(),
    await account.addColleague(),
    await account.addColleague(),
  ] as const
  const rotation = {
    kind: 'daily' as const,
    members: [regular.id],
    handoff_time: '00:00',
    starts_on: '2020-01-01',
  }
  const { id } = await account.admin.client.oncall.schedules.create({
    name: 'Night',
    timezone: 'UTC',
    rotations: [rotation],
  })
  const override = async ({ id: member_id }: Person, from: number, to: number) =>
    expectStatus(
      await account.admin.call('POST', `/on-call-schedules/${id}/overrides`, {
        member_id,
        starts_at: inMinutes(from),
        ends_at: inMinutes(to),
      }),
      201,
    )
  return { id, regular, substitute, third, override }
}

it('ONC-38 tells a member within an hour before their shift, once, in their own time', night, async () => {
  const { id, regular, substitute, third, override } = await createScene()
  await service.sql(`update users set timezone = 'Asia/Kathmandu' where id = $1`, [substitute.id])
  await override(substitute, 30, 50)
  await runConcurrently(sweep, 32)
  await sweep()
  const notices = await listNotices(substitute)
  const local = new Date(Date.parse(inMinutes(30))).toLocaleTimeString('en-GB', {
    timeZone: 'Asia/Kathmandu',
    hour: '2-digit',
  })
  expect(notices).toHaveLength(1)
  expect(notices[0]).toMatchObject({ link: `/on-call/${id}` })
  expect(notices[0]?.title).toContain(`${substitute.fullName} is on call from`)
  expect([notices[0]?.title, notices[0]?.body].join()).toMatch(new RegExp(`, ${local}:.*Asia/Kathmandu`))
  const mails = (await dashboard(service).listRecords('mail')).filter(({ subject }) =>
    subject.includes('is on call from'),
  )
  await expect
    .poll(async () => (await dashboard(service).listRecords('mail')).map(({ to }) => to.join()))
    .toContain(substitute.email)
  expect(mails.filter(({ to }) => to.includes(regular.email))).toEqual([])
  expect(await listNotices(regular)).toEqual([])
  // A change within the hour tells who takes over, and the first one not again.
  await override(third, 29, 51)
  await sweep()
  expect([(await listNotices(third)).length, (await listNotices(substitute)).length]).toEqual([1, 1])
})

it('ONC-38 looks again an hour before a later shift, and when one begins', async () => {
  const { id, regular, substitute, override } = await createScene()
  await override(substitute, 180, 240)
  await sweep()
  const [row] = await service.sql<{ minutes: number }>(
    `select extract(epoch from notice_at - app.now())::float / 60 as minutes from on_call_schedules where id = $1`,
    [id],
  )
  expect(row?.minutes).toBeGreaterThan(115)
  expect(row?.minutes).toBeLessThanOrEqual(120)
  expect(await listNotices(substitute)).toEqual([])
  // What the hours until then do.
  await service.sql(
    `update on_call_overrides set starts_at = app.now() + interval '59 minutes', ends_at = app.now() + interval '61 minutes' where schedule_id = $1`,
    [id],
  )
  const pass = () =>
    service.sql('update on_call_schedules set notice_at = app.now() where id = $1', [id]).then(sweep)
  await pass()
  expect([(await listNotices(substitute)).length, (await listNotices(regular)).length]).toEqual([1, 0])
  await service.sql(
    `update on_call_overrides set starts_at = app.now() - interval '1 minute', ends_at = app.now() + interval '1 minute' where schedule_id = $1`,
    [id],
  )
  await pass()
  expect([(await listNotices(substitute)).length, (await listNotices(regular)).length]).toEqual([1, 1])
})

it('finds the next shift of somebody who is not on call until then, as long as it goes on', () => {
  const shift = (n: number, userId: string, startsAt: number, endsAt: number) => ({
    id: String(n),
    userId,
    startsAt,
    endsAt,
  })
  const roster = (overrides: ReturnType<typeof shift>[]) => ({
    timezone: 'UTC',
    rotations: [],
    overrides,
    isAvailable: () => true,
  })
  const find = (overrides: ReturnType<typeof shift>[]) => {
    const found = findNextShift(roster(overrides), 0, 100)
    return found && [found.userId, found.startsAt, found.endsAt]
  }
  expect(find([])).toBeUndefined()
  expect(find([shift(1, 'a', 0, 10)])).toBeUndefined()
  expect(find([shift(1, 'a', 0, 10), shift(2, 'a', 10, 20)])).toBeUndefined()
  expect(find([shift(1, 'a', 0, 10), shift(2, 'a', 12, 20)])).toEqual(['a', 12, 20])
  expect(find([shift(1, 'a', 0, 10), shift(2, 'b', 10, 20), shift(3, 'b', 20, 30)])).toEqual(['b', 10, 30])
  expect(find([shift(1, 'a', 5, 200)])).toEqual(['a', 5, 100])
})
