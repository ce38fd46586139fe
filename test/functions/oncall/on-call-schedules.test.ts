import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const createRotation = (...members: string[]) => ({
  kind: 'daily' as const,
  members,
  handoff_time: '00:00',
  starts_on: '2020-01-01',
})
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

async function createSchedule({ client }: Person, ...members: string[]) {
  return client.oncall.schedules.create({
    name: 'Network',
    timezone: 'Europe/Berlin',
    rotations: [createRotation(...members)],
  })
}

it('ONC-07 names the user on call per schedule, and the user of an override while it lasts', async () => {
  const account = await createAccount(service)
  const { admin } = account
  const engineer = await account.addColleague()
  const { id: schedule_id } = await createSchedule(admin, admin.id)
  const { schedules } = engineer.client.oncall
  expect(await schedules.listOnCall()).toMatchObject([
    { schedule_id, user: { id: admin.id, name: admin.fullName }, override_id: null },
  ])
  const ends_at = inHours(3)
  const override = await schedules.createOverride({
    schedule_id,
    member_id: engineer.id,
    starts_at: inHours(-1),
    ends_at,
  })
  expect(await schedules.listOnCall()).toMatchObject([
    { user: { id: engineer.id }, until: ends_at, override_id: override.id },
  ])
  const shifts = await schedules.listShifts({ schedule_id, from: inHours(0), to: inHours(4) })
  expect(shifts[0]).toMatchObject({ user: { id: engineer.id }, ends_at, override_id: override.id })
  await schedules.deleteOverride({ schedule_id, override_id: override.id })
  expect(await schedules.listOnCall()).toMatchObject([{ user: { id: admin.id } }])
  expect(await schedules.listOnCall({ team_id: crypto.randomUUID() })).toEqual([])
})

it('ONC-08 refuses viewers, deactivated users and users of another account in a rotation and an override', async () => {
  const account = await createAccount(service)
  const { admin } = account
  const [viewer, inactive, stranger] = [
    await account.addColleague({ role: 'viewer' }),
    await account.addColleague(),
    (await createAccount(service)).admin,
  ]
  await service.sql('update users set is_active = false where id = $1', [inactive.id])
  const { id: schedule_id } = await createSchedule(admin, admin.id)
  for (const { id } of [viewer, inactive, stranger]) {
    const error = await expectRefusal(createSchedule(admin, admin.id, id), id === stranger.id ? 404 : 422)
    if (id !== stranger.id)
      expect(error.body).toMatchObject({ errors: [{ loc: ['body', 'rotations', 0, 'members', 1] }] })
    const times = { starts_at: inHours(0), ends_at: inHours(1) }
    await expectRefusal(
      admin.client.oncall.schedules.createOverride({ schedule_id, member_id: id, ...times }),
      422,
    )
  }
  await expectRefusal(
    admin.client.oncall.schedules.create({
      name: 'X',
      timezone: 'UTC',
      team_id: (await createAccount(service)).teamId,
    }),
    422,
  )
})

it('ONC-09 lets team admins change the schedules of their team, and engineers take over themselves only', async () => {
  const account = await createAccount(service)
  const [teamAdmin, engineer] = [
    await account.addColleague({ teamRole: 'admin' }),
    await account.addColleague(),
  ]
  const ofAccount = await createSchedule(account.admin, account.admin.id)
  const { schedules } = teamAdmin.client.oncall
  await expectRefusal(createSchedule(teamAdmin, teamAdmin.id), 403)
  const ours = await schedules.create({ name: 'Ours', timezone: 'UTC', team_id: account.teamId })
  await expectRefusal(schedules.update({ schedule_id: ofAccount.id, name: 'Mine' }), 403)
  await expectRefusal(schedules.update({ schedule_id: ours.id, team_id: null }), 403)
  await expectRefusal(schedules.delete({ schedule_id: ofAccount.id }), 403)
  const times = { schedule_id: ours.id, starts_at: inHours(0), ends_at: inHours(1) }
  const override = await schedules.createOverride({ ...times, member_id: teamAdmin.id })
  await expectRefusal(
    engineer.client.oncall.schedules.createOverride({ ...times, member_id: teamAdmin.id }),
    403,
  )
  await engineer.client.oncall.schedules.createOverride({ ...times, member_id: engineer.id })
  await expectRefusal(
    engineer.client.oncall.schedules.deleteOverride({ schedule_id: ours.id, override_id: override.id }),
    403,
  )
  await schedules.delete({ schedule_id: ours.id })
})

it('returns 404 for the overrides of a schedule of another account', async () => {
  const [{ admin }, { admin: stranger }] = [await createAccount(service), await createAccount(service)]
  const { id: schedule_id } = await createSchedule(admin, admin.id)
  expect(await admin.client.oncall.schedules.listOverrides({ schedule_id })).toEqual([])
  await expectRefusal(stranger.client.oncall.schedules.listOverrides({ schedule_id }), 404)
})

it('ONC-10 bounds shifts to 92 days and overrides to 31, and refuses an override that has ended', async () => {
  const { admin } = await createAccount(service)
  const { id: schedule_id } = await createSchedule(admin, admin.id)
  const { schedules } = admin.client.oncall
  expect(
    await schedules.listShifts({ schedule_id, from: '2026-01-01T00:00:00Z', to: '2026-04-03T00:00:00Z' }),
  ).toHaveLength(93)
  await expectRefusal(
    schedules.listShifts({ schedule_id, from: '2026-01-01T00:00:00Z', to: '2026-04-03T00:00:01Z' }),
    422,
  )
  await expectRefusal(
    schedules.listShifts({ schedule_id, from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }),
    422,
  )
  expect(
    await schedules.listShifts({ schedule_id, from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:01Z' }),
  ).toHaveLength(1)
  const override = (starts_at: string, ends_at: string) =>
    schedules.createOverride({ schedule_id, member_id: admin.id, starts_at, ends_at })
  await override('2090-01-01T00:00:00Z', '2090-02-01T00:00:00Z')
  for (const [from, to, msg] of [
    ['2090-01-01T00:00:00Z', '2090-02-01T00:00:01Z', 'must be at most 31 days after `starts_at`'],
    ['2090-01-01T00:00:00Z', '2090-01-01T00:00:00Z', 'must be after `starts_at`'],
    [inHours(-3), inHours(-1), 'must be in the future'],
  ] as const)
    expect((await expectRefusal(override(from, to), 422)).body).toMatchObject({
      errors: [{ loc: ['body', 'ends_at'], msg }],
    })
})

const insertOverride = `
  insert into on_call_overrides (account_id, schedule_id, user_id, created_by, starts_at, ends_at)
  select $1, $2, $3, $3, app.now(), app.now() + interval '1 hour'`

/** Create an override while a transaction that has stored another one has not committed yet. */
async function runWhileInserting(scheduleId: string, admin: Person) {
  const connection = new pg.Client(service.settings.DATABASE_PLATFORM_URL)
  await connection.connect()
  try {
    await connection.query('begin')
    await connection.query(insertOverride, [admin.accountId, scheduleId, admin.id])
    // As at the commit: the limit is checked, and its lock is held.
    await connection.query('set constraints all immediate')
    const body = { member_id: admin.id, starts_at: inHours(0), ends_at: inHours(1) }
    const answer = admin.call('POST', `/on-call-schedules/${scheduleId}/overrides`, body)
    const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid')
    const isWaiting = 'select 1 from pg_stat_activity where $1 = any (pg_blocking_pids(pid))'
    const hasAnswer = answer.then(() => true)
    const isOver = async () =>
      (await service.sql(isWaiting, [rows[0]?.pid])).length > 0 ||
      (await Promise.race([hasAnswer, Promise.resolve(false)]))
    await expect.poll(isOver, { interval: 20, timeout: 5000 }).toBe(true)
    await connection.query('commit')
    return await answer
  } finally {
    await connection.end()
  }
}

it('ONC-10 stores at most 500 overrides per schedule and 50 schedules per account, also for concurrent callers', async () => {
  const { admin } = await createAccount(service)
  const { id: schedule_id } = await createSchedule(admin, admin.id)
  await service.sql(`${insertOverride} from generate_series(1, 499)`, [
    admin.accountId,
    schedule_id,
    admin.id,
  ])
  const answer = await runWhileInserting(schedule_id, admin)
  expect([answer.status, answer.body]).toEqual([
    409,
    expect.objectContaining({ code: 'limit_reached', limit: 500 }),
  ])
  await service.sql(
    `insert into on_call_schedules (account_id, created_by, name, timezone, rotations)
     select $1, $2, 'Schedule ' || n, 'UTC', '[]' from generate_series(2, 50) n`,
    [admin.accountId, admin.id],
  )
  expect((await expectRefusal(createSchedule(admin, admin.id), 409)).body).toMatchObject({
    code: 'limit_reached',
    limit: 50,
  })
})

describe('ONC-27 a change keeps the past', () => {
  const hourMs = 3_600_000
  /** Create a schedule by which `members` have been on call in turn since 2020. */
  async function createStarted() {
    const account = await createAccount(service)
    const { admin } = account
    const [first, second, third] = [
      await account.addColleague(),
      await account.addColleague(),
      await account.addColleague(),
    ]
    const { id: schedule_id } = await createSchedule(admin, first.id, second.id, third.id)
    const { schedules } = admin.client.oncall
    const listPast = async () => {
      const to = Math.floor((Date.now() - 5 * 60_000) / hourMs) * hourMs
      const shifts = await schedules.listShifts({
        schedule_id,
        from: new Date(to - 240 * hourMs).toISOString(),
        to: new Date(to).toISOString(),
      })
      return shifts.map(({ user, starts_at }) => [user.id, user.name, starts_at])
    }
    return { account, admin, first, second, third, schedule_id, schedules, listPast }
  }

  it('when the rotation loses a member, and says who is on call before and after', async () => {
    const { first, second, third, schedule_id, schedules, listPast } = await createStarted()
    const past = await listPast()
    const [now] = await schedules.listOnCall()
    const left = [first, second, third].filter(({ id }) => id !== now?.user?.id)
    const updated = await schedules.update({
      schedule_id,
      rotations: [createRotation(...left.map(({ id }) => id))],
    })
    const [after] = await schedules.listOnCall()
    expect(updated).toMatchObject({ version: 2, on_call_before: now?.user, on_call_after: after?.user })
    expect(after?.user?.id).not.toBe(now?.user?.id)
    expect(await listPast()).toEqual(past)
    await schedules.update({ schedule_id, timezone: 'Asia/Tokyo' })
    expect(await listPast()).toEqual(past)
  })

  it('when a member of the rotation is deactivated', async () => {
    const { admin, first, schedule_id, schedules, listPast } = await createStarted()
    const past = await listPast()
    await admin.client.accounts.updateMember({ user_id: first.id, is_active: false })
    expect(await listPast()).toEqual(past)
    const future = await schedules.listShifts({ schedule_id, from: inHours(1), to: inHours(240) })
    expect(future.map(({ user }) => user.id)).not.toContain(first.id)
  })

  it('and a shift that goes on stays one shift', async () => {
    const { admin } = await createAccount(service)
    const { id: schedule_id } = await createSchedule(admin, admin.id)
    const { schedules } = admin.client.oncall
    const span = { schedule_id, from: inHours(-1), to: inHours(1) }
    const shifts = await schedules.listShifts(span)
    await schedules.update({
      schedule_id,
      rotations: [{ ...createRotation(admin.id), starts_on: '2020-01-02' }],
    })
    expect(await schedules.listShifts(span)).toEqual(shifts)
  })
})

it('ONC-28 lists the schedules and policies that name a member, also after the removal', async () => {
  const account = await createAccount(service)
  const { admin } = account
  const member = await account.addColleague()
  const { id, name } = await createSchedule(admin, admin.id, member.id)
  const { schedules, policies } = admin.client.oncall
  const other = await schedules.create({ name: 'Override', timezone: 'UTC' })
  await schedules.createOverride({
    schedule_id: other.id,
    member_id: member.id,
    starts_at: inHours(0),
    ends_at: inHours(1),
  })
  await createSchedule(admin, admin.id)
  const policy = await policies.create({
    name: 'P',
    steps: [{ delay_minutes: 5, targets: [{ type: 'user', id: member.id }] }],
  })
  const duties = {
    schedules: [
      { id, name },
      { id: other.id, name: 'Override' },
    ],
    policies: [{ id: policy.id, name: 'P' }],
  }
  expect(await schedules.listOfMember({ user_id: member.id })).toEqual(duties)
  await admin.client.accounts.updateMember({ user_id: member.id, is_active: false })
  expect(await schedules.listOfMember({ user_id: member.id })).toEqual(duties)
  const stranger = (await createAccount(service)).admin
  await expectRefusal(stranger.client.oncall.schedules.listOfMember({ user_id: member.id }), 404)
})

it('ONC-29 stores the hours and layers of rotations, and lists their shifts, in the zone of the member too', async () => {
  const account = await createAccount(service)
  const { admin } = account
  const member = await account.addColleague()
  await service.sql(`update users set timezone = 'Asia/Tokyo' where id = $1`, [member.id])
  const { schedules } = admin.client.oncall
  const days = ['monday' as const]
  const rotations = [
    { ...createRotation(admin.id), hours: [{ days, from: '06:00', to: '12:00' }] },
    {
      ...createRotation(member.id),
      layer: 2,
      hours: [{ days, from: '09:00', to: '17:00' }],
      hours_zone: 'member' as const,
    },
  ]
  const { id: schedule_id, rotations: stored } = await schedules.create({
    name: 'Layers',
    timezone: 'UTC',
    rotations,
  })
  expect(stored).toEqual(rotations)
  const shifts = await schedules.listShifts({
    schedule_id,
    from: '2027-06-07T00:00:00Z',
    to: '2027-06-08T00:00:00Z',
  })
  expect(
    shifts.map(({ user, starts_at, ends_at }) => [user.id, starts_at.slice(11, 16), ends_at.slice(11, 16)]),
  ).toEqual([
    [member.id, '00:00', '08:00'],
    [admin.id, '08:00', '12:00'],
  ])
  await expectRefusal(
    schedules.update({ schedule_id, rotations: [{ ...createRotation(admin.id), layer: 6 }] }),
    422,
  )
})

it('ONC-32 whoever is on call stays so when others are removed from or added to the rotation, of each size', async () => {
  const account = await createAccount(service)
  const { admin } = account
  const people = [admin, ...(await Promise.all([1, 2, 3, 4].map(() => account.addColleague())))].map(
    ({ id }) => id,
  )
  const { schedules } = admin.client.oncall
  const findOnCall = async () =>
    (await schedules.listOnCall()).find(({ schedule_id }) => schedule_id === id)?.user?.id
  const { id } = await createSchedule(admin, ...people)
  let members = people
  const current = await findOnCall()
  const change = (list: string[]) =>
    schedules.update({ schedule_id: id, rotations: [createRotation(...list)] })
  for (const removed of people.filter((person) => person !== current)) {
    members = members.filter((person) => person !== removed)
    const { rotations, on_call_before, on_call_after } = await change(members)
    expect([await findOnCall(), on_call_before?.id, on_call_after?.id]).toEqual([current, current, current])
    expect([...(rotations[0]?.members ?? [])].sort()).toEqual([...members].sort())
  }
  for (let n = 2; n <= people.length; n++) {
    await change(
      people.filter((person) => person === current || (members.length < n && people.indexOf(person) < n)),
    )
    expect(await findOnCall()).toBe(current)
  }
})
