import { afterAll, expect, it } from 'vitest'
import { dashboard, request, type Service, startOwnService } from '#test/support/app.ts'
import { type CalendarEntry, parseCalendar } from '#test/support/calendars.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

// Both entries: a document that answers HEAD and 304 is served by their own code.
const services = {
  node: await startOwnService({}),
  cloudflare: await startOwnService({}, { platform: 'cloudflare' }),
}
const service = services.node
afterAll(async () => {
  for (const each of Object.values(services)) await each.close()
})

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const rotation = (...members: string[]) => ({
  kind: 'daily' as const,
  members,
  handoff_time: '09:00',
  starts_on: '2020-01-01',
})

function createSchedule({ client }: Person, ...members: string[]) {
  return client.oncall.schedules.create({
    name: 'Network, "nights"; weekends',
    timezone: 'Europe/Berlin',
    rotations: [rotation(...members)],
  })
}

async function createFeed({ client }: Person, schedule_id: string | null = null) {
  const feed = await client.oncall.calendarFeeds.create({ schedule_id })
  return { ...feed, path: new URL(feed.url).pathname.replace('/api/v1', '') }
}

async function readCalendar(from: Service, path: string) {
  const { name, entries } = parseCalendar(expectStatus(await request(from, 'GET', path), 200).text)
  const byUid = new Map(entries)
  expect(byUid.size, 'each UID once').toBe(entries.length)
  return { name, entries: byUid }
}

it.each(Object.entries(services))(
  'ONC-49 on %s a secret link serves the shifts of its person, or of a schedule, with overrides applied',
  async (_, on) => {
    const { admin, ...account } = await createAccount(on)
    const dana = await account.addColleague()
    const { id: schedule_id } = await createSchedule(admin, admin.id, dana.id)
    await createSchedule(admin, admin.id)
    const [mine, ofSchedule] = [await createFeed(dana), await createFeed(dana, schedule_id)]
    const response = expectStatus(await request(on, 'GET', ofSchedule.path), 200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/calendar; charset=utf-8',
      'cache-control': 'private, no-cache',
    })
    const all = await readCalendar(on, ofSchedule.path)
    expect(all.name).toBe('Network, "nights"; weekends')
    const titles = [...all.entries.values()].map(({ title }) => title)
    expect(new Set(titles)).toEqual(new Set([`On call: ${admin.fullName}`, `On call: ${dana.fullName}`]))
    // 122 days, of which the first and the last shift go beyond the time.
    expect([120, 121, 122]).toContain(titles.length)
    const before = await readCalendar(on, mine.path)
    expect(before.name).toBe('On call')
    expect(new Set([...before.entries.values()].map(({ title }) => title))).toEqual(
      new Set(['On call: Network, "nights"; weekends']),
    )
    expect([...before.entries.keys()].every((uid) => all.entries.has(uid))).toBe(true)
    expect([60, 61]).toContain(before.entries.size)

    // The admin takes two hours of a shift of Dana's, which become a shift between its halves.
    const [uid, shift] = [...before.entries].find(([, { startsAt }]) => startsAt > Date.now() + dayMs) ?? []
    if (!uid || !shift) throw new Error('Dana has no shift')
    const [starts, ends] = [shift.startsAt + 4 * hourMs, shift.startsAt + 6 * hourMs]
    const override = await admin.client.oncall.schedules.createOverride({
      schedule_id,
      member_id: admin.id,
      starts_at: new Date(starts).toISOString(),
      ends_at: new Date(ends).toISOString(),
    })
    const changed = await readCalendar(on, mine.path)
    expect(changed.entries.get(uid)).toMatchObject({ startsAt: shift.startsAt, endsAt: starts })
    expect([...changed.entries.values()]).toContainEqual(
      expect.objectContaining({ startsAt: ends, endsAt: shift.endsAt }),
    )
    expect([...(await readCalendar(on, ofSchedule.path)).entries.values()]).toContainEqual(
      expect.objectContaining({ title: `On call: ${admin.fullName}`, startsAt: starts, endsAt: ends }),
    )
    await admin.client.oncall.schedules.deleteOverride({ schedule_id, override_id: override.id })
    const after = await readCalendar(on, mine.path)
    expect(withoutSequence(after.entries)).toEqual(withoutSequence(before.entries))
  },
)

const withoutSequence = (entries: Map<string, CalendarEntry>) =>
  [...entries].map(([uid, { sequence: _, ...entry }]) => ({ uid, ...entry }))

it('ONC-50 importing a calendar twice leaves each shift once, and a shift keeps its UID while others change', async () => {
  const { admin, ...account } = await createAccount(service)
  const [dana, lee] = [await account.addColleague(), await account.addColleague()]
  const { id: schedule_id } = await createSchedule(admin, admin.id, dana.id, lee.id)
  const { path } = await createFeed(admin, schedule_id)
  const first = await readCalendar(service, path)
  expect(await readCalendar(service, path)).toEqual(first)

  // The clock changes, a day passes, and Lee's days go to Dana.
  await dashboard(service).advanceClock(2)
  const now = Date.now()
  const { rotations } = await admin.client.oncall.schedules.get({ schedule_id })
  await admin.client.oncall.schedules.update({
    schedule_id,
    rotations: rotations.map((each) => ({
      ...each,
      members: each.members
        .map((id) => (id === lee.id ? dana.id : id))
        .filter((id, n, all) => all.indexOf(id) === n),
    })),
  })
  const second = await readCalendar(service, path)
  // A program that keeps its copy unless the sequence is higher, and drops what the calendar no longer has.
  const kept = new Map(
    [...second.entries].map(([uid, entry]) => {
      const copy = first.entries.get(uid)
      return [uid, copy && copy.sequence >= entry.sequence ? copy : entry]
    }),
  )
  expect(kept).toEqual(second.entries)
  const past = [...first.entries].filter(([, { endsAt }]) => endsAt < now)
  expect(past.length).toBeGreaterThan(25)
  for (const [uid, { title, startsAt, endsAt }] of past)
    expect(second.entries.get(uid)).toMatchObject({ title, startsAt, endsAt })

  // A name is a change too.
  await dashboard(service).advanceClock(2)
  await service.sql(`update users set full_name = 'Dana Q. Reyes' where id = $1`, [dana.id])
  const renamed = await readCalendar(service, path)
  for (const [uid, { title, sequence }] of renamed.entries)
    if (title === 'On call: Dana Q. Reyes')
      expect(sequence).toBeGreaterThan(second.entries.get(uid)?.sequence ?? 0)
})

it('ONC-51 a link is shown once, listed without its secret, and revoked by its person and by admins', async () => {
  const { admin, ...account } = await createAccount(service)
  const [dana, lee] = [await account.addColleague(), await account.addColleague()]
  const feed = await createFeed(dana)
  expect(await lee.client.oncall.calendarFeeds.list()).toEqual([])
  expect(await dana.client.oncall.calendarFeeds.list()).toEqual([
    { ...without(feed, 'url', 'path'), last_read_at: null },
  ])
  const token = /([\w-]+)\.ics$/.exec(feed.url)?.[1] ?? ''
  expect(token).toHaveLength(43)
  const stored = await service.sql(
    `select f::text || coalesce((select string_agg(l::text, '') from audit_logs l where l.account_id = f.account_id), '') as text
       from calendar_feeds f where f.id = $1`,
    [feed.id],
  )
  expect(JSON.stringify(stored)).not.toContain(token)
  expectStatus(await request(service, 'GET', feed.path), 200)
  const [listed] = await admin.client.oncall.calendarFeeds.list()
  expect(listed).toMatchObject({ id: feed.id, user_name: dana.fullName, last_read_at: expect.any(String) })
  await expectRefusal(lee.client.oncall.calendarFeeds.revoke({ feed_id: feed.id }), 404)
  await admin.client.oncall.calendarFeeds.revoke({ feed_id: feed.id })
  expectStatus(await request(service, 'GET', feed.path), 404)
  const second = await createFeed(dana)
  await dana.client.oncall.calendarFeeds.revoke({ feed_id: second.id })
  expectStatus(await request(service, 'GET', second.path), 404)
  await expectRefusal(dana.client.oncall.calendarFeeds.create({ schedule_id: crypto.randomUUID() }), 404)
  for (let n = 0; n < 20; n++) await createFeed(dana)
  await expectRefusal(dana.client.oncall.calendarFeeds.create({}), 409)
})

const without = (object: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))

it.each([
  [
    'becomes a viewer',
    `update users set role = 'viewer' where id = $1`,
    `update users set role = 'engineer' where id = $1`,
  ],
  [
    'is deactivated',
    'update users set is_active = false where id = $1',
    'update users set is_active = true where id = $1',
  ],
])(
  'ONC-51 a link ends when its person %s, and stays ended when they come back',
  async (_, leave, comeBack) => {
    const account = await createAccount(service)
    const dana = await account.addColleague()
    const feed = await createFeed(dana)
    await service.sql(leave, [dana.id])
    expectStatus(await request(service, 'GET', feed.path), 404)
    await service.sql(comeBack, [dana.id])
    expectStatus(await request(service, 'GET', feed.path), 404)
  },
)

it('ONC-51 each fetch asks whether the person of a link can work', async () => {
  const account = await createAccount(service)
  const dana = await account.addColleague()
  const feed = await createFeed(dana)
  await service.sql('alter table users disable trigger end_calendar_feeds')
  await service.sql('update users set is_active = false where id = $1', [dana.id])
  await service.sql('alter table users enable trigger end_calendar_feeds')
  expect(await service.sql('select from calendar_feeds where id = $1', [feed.id])).toHaveLength(1)
  expectStatus(await request(service, 'GET', feed.path), 404)
})

it.each(Object.entries(services))(
  'ONC-52 on %s a calendar answers HEAD, and 304 until it changes',
  async (_, on) => {
    const { admin } = await createAccount(on)
    const schedule = await createSchedule(admin, admin.id)
    const { path } = await createFeed(admin)
    const first = expectStatus(await request(on, 'GET', path), 200)
    const etag = first.headers.get('etag') ?? ''
    const head = expectStatus(await request(on, 'HEAD', path), 200)
    expect([head.text, head.headers.get('etag'), head.headers.get('content-type')]).toEqual([
      '',
      etag,
      'text/calendar; charset=utf-8',
    ])
    const known = { headers: { 'if-none-match': etag } }
    expectStatus(await request(on, 'GET', path, known), 304)
    await admin.client.oncall.schedules.update({ schedule_id: schedule.id, name: 'Nights' })
    expectStatus(await request(on, 'GET', path, known), 200)
    for (const wrong of [path.replace('.ics', ''), '/calendars/x.ics', '/calendars/.ics'])
      expectStatus(await request(on, 'GET', wrong), 404)
  },
)

it('ONC-52 a calendar that takes too much work is refused', async () => {
  const { admin } = await createAccount(service)
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
  const hours = Array.from({ length: 5 }, (_, n) => ({
    days: [...days],
    from: `0${n}:00`,
    to: `0${n}:30`,
  }))
  for (let n = 0; n < 3; n++)
    await admin.client.oncall.schedules.create({
      name: `Hours ${n}`,
      timezone: 'Europe/Berlin',
      rotations: [1, 2, 3, 4].map((layer) => ({ ...rotation(admin.id), layer, hours })),
    })
  const { path } = await createFeed(admin)
  expect(expectStatus(await request(service, 'GET', path), 422).body).toMatchObject({
    errors: [{ type: 'too_complex' }],
  })
})
