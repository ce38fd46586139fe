import { expect, it } from 'vitest'
import { dashboard, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const listNotices = async (person: Person) =>
  (await person.call('GET', '/notifications')).body.filter(
    ({ event_key }: { event_key: string }) => event_key === 'oncall.overridden',
  )
const listMails = async ({ email }: Person) =>
  (await dashboard(service).listRecords('mail')).filter(({ to }) => to.includes(email))

/** Create a schedule of a team with one member on call, and an engineer of another team. */
async function createScene() {
  const account = await createAccount(service)
  const replaced = await account.addColleague()
  const outsider = await account.addColleague()
  const { body: team } = expectStatus(await account.admin.call('POST', '/teams', { name: 'Other' }), 201)
  await service.sql(`update users set team_id = $2, team_role = 'member' where id = $1`, [
    outsider.id,
    team.id,
  ])
  const rotation = {
    kind: 'weekly',
    starts_on: '2026-01-05',
    handoff_day: 'monday',
    handoff_time: '08:00',
    members: [replaced.id],
  }
  const body = { name: 'Night', timezone: 'Asia/Kathmandu', team_id: account.teamId, rotations: [rotation] }
  const { body: schedule } = expectStatus(await account.admin.call('POST', '/on-call-schedules', body), 201)
  const [{ now }] = (await service.sql<{ now: Date }>('select app.now() as now')) as [{ now: Date }]
  const times = { starts_at: now.toISOString(), ends_at: new Date(now.getTime() + 3_600_000).toISOString() }
  const takeOver = (person: Person) =>
    person.call('POST', `/on-call-schedules/${schedule.id}/overrides`, { member_id: person.id, ...times })
  const path = `/on-call-schedules/${schedule.id}/overrides`
  const inHours = (hours: number) => new Date(now.getTime() + hours * 3_600_000).toISOString()
  const putOnCall = async (caller: Person, { id: member_id }: Person, from: number, to: number) =>
    expectStatus(
      await caller.call('POST', path, { member_id, starts_at: inHours(from), ends_at: inHours(to) }),
      201,
    ).body.id as string
  const remove = async (caller: Person, id: string) =>
    expectStatus(await caller.call('DELETE', `${path}/${id}`), 204)
  return { ...account, replaced, outsider, schedule, takeOver, putOnCall, remove }
}

it('ONC-24 tells who is replaced, and the admins of the team that somebody of another team took over from', async () => {
  const { admin, replaced, outsider, takeOver } = await createScene()
  expectStatus(await takeOver(outsider), 201)
  for (const person of [admin, replaced]) {
    const [notice] = await listNotices(person)
    expect(notice).toMatchObject({
      title: `${outsider.fullName} takes over on-call: Night`,
      body: expect.stringContaining('UTC'),
    })
  }
  expect(await listNotices(outsider)).toEqual([])
})

it('ONC-24 tells only who is replaced if a colleague of the team takes over', async () => {
  const { admin, replaced, addColleague, takeOver } = await createScene()
  expectStatus(await takeOver(await addColleague()), 201)
  expect(await listNotices(replaced)).toHaveLength(1)
  expect(await listNotices(admin)).toEqual([])
})

it('ONC-46 tells whom an admin puts on call, and by e-mail what is within 12 hours', async () => {
  const { admin, replaced, addColleague, putOnCall } = await createScene()
  const [soon, later, now] = [await addColleague(), await addColleague(), await addColleague()]
  await putOnCall(admin, soon, 3, 5)
  await putOnCall(admin, later, 20, 22)
  await putOnCall(admin, now, 0, 1)
  for (const [person, title] of [
    [soon, `${soon.fullName} takes over on-call: Night`],
    [later, `${later.fullName} takes over on-call: Night`],
  ] as const) {
    expect((await listNotices(person)).map((notice: { title: string }) => notice.title)).toEqual([title])
    expect((await listNotices(person))[0].body).toMatch(
      /^From .*, \d\d:\d\d until .* \(Asia\/Kathmandu\)\. From .*\(UTC\)\.$/,
    )
  }
  // Of what begins now another event tells them.
  expect(await listNotices(now)).toEqual([])
  expect(await listNotices(replaced)).toHaveLength(3)
  await expect.poll(() => listMails(soon), { timeout: 30_000 }).toHaveLength(1)
  expect(await listMails(later)).toEqual([])
})

it('ONC-46 tells whose override was deleted, and who is on call again', async () => {
  const { admin, replaced, addColleague, putOnCall, remove } = await createScene()
  const [first, second] = [await addColleague(), await addColleague()]
  const title = ({ fullName }: Person) => `${fullName} no longer takes over on-call: Night`
  const count = async (person: Person, text: string) =>
    (await listNotices(person)).filter((notice: { title: string }) => notice.title === text).length
  await remove(admin, await putOnCall(admin, first, 3, 5))
  expect([await count(first, title(first)), await count(replaced, title(first))]).toEqual([1, 1])
  await expect
    .poll(async () => (await listMails(first)).some(({ text }) => text.includes('no longer takes over')))
    .toBe(true)
  // Whoever deletes their own knows it.
  await remove(second, await putOnCall(second, second, 3, 5))
  expect([await count(second, title(second)), await count(replaced, title(second))]).toEqual([0, 1])
  // One that is over tells nobody.
  const over = await putOnCall(admin, first, 6, 7)
  await service.sql(
    `update on_call_overrides set starts_at = starts_at - interval '9 hours', ends_at = ends_at - interval '9 hours' where id = $1`,
    [over],
  )
  await remove(admin, over)
  expect(await count(first, title(first))).toBe(1)
})

it('NOT-84 a notification disappears when what it leads to is deleted', async () => {
  const { admin, replaced, outsider, schedule, takeOver } = await createScene()
  expectStatus(await takeOver(outsider), 201)
  expect(await listNotices(replaced)).toHaveLength(1)
  expectStatus(await admin.call('DELETE', `/on-call-schedules/${schedule.id}`), 204)
  expect(await listNotices(replaced)).toEqual([])
})
