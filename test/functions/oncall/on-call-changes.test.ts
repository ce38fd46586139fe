import { expect, it } from 'vitest'
import { dashboard, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'

const service = await sharedService()
const { listRecords } = dashboard(service)

const listNotices = async (person: Person) =>
  (await person.client.notifications.list()).filter(({ event_key }) => event_key === 'oncall.changed')

interface Scene {
  account: TestAccount
  leaver: Person
  next: Person
  scheduleId: string
  rotate: (members: Person[]) => object[]
}

// Every way in which whoever is on call now can change but for the end of a turn.
const ways: Record<string, (scene: Scene) => Promise<{ status: number }>> = {
  'a rotation without them': ({ account, next, scheduleId, rotate }) =>
    account.admin.call('PUT', `/on-call-schedules/${scheduleId}`, { rotations: rotate([next]) }),
  'the removal of the member': ({ account, leaver }) =>
    account.admin.call('DELETE', `/accounts/me/members/${leaver.id}`),
  'their deactivation': ({ account, leaver }) =>
    account.admin.call('PATCH', `/accounts/me/members/${leaver.id}`, { is_active: false }),
  'the role of a viewer': ({ account, leaver }) =>
    account.admin.call('PATCH', `/accounts/me/members/${leaver.id}`, { role: 'viewer' }),
  'an override by an admin': ({ account, next, scheduleId }) =>
    createOverride(account.admin, next, scheduleId),
  'the end of an override': async ({ account, next, leaver, scheduleId, rotate }) => {
    const rotations = rotate([next])
    await service.sql('update on_call_schedules set rotations = $2 where id = $1', [
      scheduleId,
      JSON.stringify(rotations),
    ])
    const { body } = await createOverride(leaver, leaver, scheduleId)
    return account.admin.call('DELETE', `/on-call-schedules/${scheduleId}/overrides/${body.id}`)
  },
}

const createOverride = (caller: Person, { id }: Person, scheduleId: string) => {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  const times = { starts_at: inHours(-1), ends_at: inHours(5) }
  return caller.call('POST', `/on-call-schedules/${scheduleId}/overrides`, { member_id: id, ...times })
}

async function createScene(isAlone = false): Promise<Scene> {
  const account = await createAccount(service)
  const [leaver, next] = [await account.addColleague(), await account.addColleague()]
  const rotate = (members: Person[]) => [
    {
      kind: 'weekly',
      starts_on: '2026-01-05',
      handoff_day: 'monday',
      handoff_time: '08:00',
      members: members.map(({ id }) => id),
    },
  ]
  const { body } = expectStatus(
    await account.admin.call('POST', '/on-call-schedules', {
      name: 'Night',
      timezone: 'UTC',
      rotations: rotate([leaver]),
    }),
    201,
  )
  if (!isAlone) {
    const rotations = rotate([leaver, next])
    expectStatus(await account.admin.call('PUT', `/on-call-schedules/${body.id}`, { rotations }), 200)
  }
  return { account, leaver, next, scheduleId: body.id, rotate }
}

const readNow = async ({ account }: Scene) => (await account.admin.call('GET', '/on-call/now')).body[0].user

it.each(Object.keys(ways))(
  'ONC-37 %s tells who is on call now, once, in the app and by e-mail',
  async (way) => {
    const scene = await createScene()
    const { account, leaver, next } = scene
    const response = await ways[way]?.(scene)
    expect(response?.status).toBeLessThan(300)
    expect(await readNow(scene)).toEqual({ id: next.id, name: next.fullName })
    const title = `${next.fullName} is on call now: Night`
    expect(await listNotices(next)).toMatchObject([{ title, body: `Before: ${leaver.fullName}.` }])
    const findMail = async () =>
      (await listRecords('mail')).filter(
        ({ to, subject }) => to.includes(next.email) && subject.includes(title),
      )
    await expect.poll(findMail, { timeout: 30_000 }).toHaveLength(1)
    expect(await listNotices(account.admin)).toEqual([])
  },
)

it.each(['the removal of the member', 'their deactivation', 'the role of a viewer'])(
  'ONC-37 %s tells the admins if nobody is left',
  async (way) => {
    const scene = await createScene(true)
    // Whoever causes it knows it.
    const other = await scene.account.addColleague({ role: 'admin' })
    await ways[way]?.(scene)
    expect(await readNow(scene)).toBeNull()
    expect((await listNotices(other)).map(({ title }) => title)).toEqual(['Nobody is on call now: Night'])
    const events = await service.sql(
      `select title, body from events where account_id = $1 and key = 'oncall.changed'`,
      [scene.account.id],
    )
    expect(events).toEqual([
      { title: 'Nobody is on call now: Night', body: `Before: ${scene.leaver.fullName}.` },
    ])
  },
)

it('ONC-37 a change that leaves who is on call tells nobody', async () => {
  const scene = await createScene()
  const { account, leaver, next, scheduleId, rotate } = scene
  await account.admin.call('PUT', `/on-call-schedules/${scheduleId}`, { rotations: rotate([leaver]) })
  await account.admin.call('DELETE', `/accounts/me/members/${next.id}`)
  for (const person of [leaver, account.admin]) expect(await listNotices(person)).toEqual([])
})
