import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const listNotices = async (person: Person) =>
  (await person.call('GET', '/notifications')).body.filter(
    ({ event_key }: { event_key: string }) => event_key === 'oncall.overridden',
  )

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
  const body = { name: 'Night', timezone: 'UTC', team_id: account.teamId, rotations: [rotation] }
  const { body: schedule } = expectStatus(await account.admin.call('POST', '/on-call-schedules', body), 201)
  const [{ now }] = (await service.sql<{ now: Date }>('select app.now() as now')) as [{ now: Date }]
  const times = { starts_at: now.toISOString(), ends_at: new Date(now.getTime() + 3_600_000).toISOString() }
  const takeOver = (person: Person) =>
    person.call('POST', `/on-call-schedules/${schedule.id}/overrides`, { member_id: person.id, ...times })
  return { ...account, replaced, outsider, schedule, takeOver }
}

it('ONC-24 tells who is replaced, and the admins of the team that somebody of another team took over from', async () => {
  const { admin, replaced, outsider, takeOver } = await createScene()
  expectStatus(await takeOver(outsider), 201)
  for (const person of [admin, replaced]) {
    const [notice] = await listNotices(person)
    expect(notice).toMatchObject({
      title: `${outsider.fullName} took over on-call: Night`,
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

it('NOT-84 a notification disappears when what it leads to is deleted', async () => {
  const { admin, replaced, outsider, schedule, takeOver } = await createScene()
  expectStatus(await takeOver(outsider), 201)
  expect(await listNotices(replaced)).toHaveLength(1)
  expectStatus(await admin.call('DELETE', `/on-call-schedules/${schedule.id}`), 204)
  expect(await listNotices(replaced)).toEqual([])
})
