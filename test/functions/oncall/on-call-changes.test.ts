import { expect, it } from 'vitest'
import { insertPassword, password } from '#test/contract/fixture-rows.ts'
import { type ApiResponse, dashboard, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'
import { providerLeavings } from '#test/support/scim.ts'

const service = await sharedService()
const { listRecords } = dashboard(service)

const listNotices = async (person: Person) =>
  (await person.client.notifications.list()).filter(({ event_key }) => event_key === 'oncall.changed')

interface Scene {
  account: TestAccount
  leaver: Person
  next: Person
  /** A colleague whom none of it concerns. */
  bystander: Person
  isAlone: boolean
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
  const [leaver, next, bystander] = [
    await account.addColleague(),
    await account.addColleague(),
    await account.addColleague(),
  ]
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
  return { account, leaver, next, bystander, isAlone, scheduleId: body.id, rotate }
}

const readNow = async ({ account }: Scene) => (await account.admin.call('GET', '/on-call/now')).body[0]?.user

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
        ({ to, subject, text }) => to.includes(next.email) && `${subject} ${text}`.includes(title),
      )
    await expect.poll(findMail, { timeout: 30_000 }).toHaveLength(1)
    expect(await listNotices(account.admin)).toEqual([])
  },
)

// Every way in which somebody stops being on call by a schedule, or only seems to. Who is told, and of what, follows from it.
const leavings: Record<string, { ends: 'member' | 'place' | 'schedule' | 'nothing'; leave: Leave }> = {
  'the removal of the member': {
    ends: 'member',
    leave: ({ account, leaver }) => account.admin.call('DELETE', `/accounts/me/members/${leaver.id}`),
  },
  'their deactivation': {
    ends: 'member',
    leave: ({ account, leaver }) =>
      account.admin.call('PATCH', `/accounts/me/members/${leaver.id}`, { is_active: false }),
  },
  'the role of a viewer': {
    ends: 'member',
    leave: ({ account, leaver }) =>
      account.admin.call('PATCH', `/accounts/me/members/${leaver.id}`, { role: 'viewer' }),
  },
  ...Object.fromEntries(
    Object.entries(providerLeavings).map(([way, leaveBy]) => [
      way,
      {
        ends: 'member' as const,
        leave: ({ account, leaver }: Scene) => leaveBy(service, account, leaver) as Promise<ApiResponse>,
      },
    ]),
  ),
  'the deletion of their user': {
    ends: 'member',
    leave: async ({ leaver }) => {
      await insertPassword(service, leaver)
      return leaver.call('DELETE', '/auth/me', { email: leaver.email, password })
    },
  },
  'a rotation without them': {
    ends: 'place',
    leave: ({ account, next, scheduleId, rotate, isAlone }) =>
      account.admin.call('PUT', `/on-call-schedules/${scheduleId}`, {
        rotations: isAlone ? [] : rotate([next]),
      }),
  },
  'the deletion of the schedule': {
    ends: 'schedule',
    leave: ({ account, scheduleId }) => account.admin.call('DELETE', `/on-call-schedules/${scheduleId}`),
  },
  'another team': {
    ends: 'nothing',
    leave: ({ account, leaver }) =>
      account.admin.call('PATCH', `/accounts/me/members/${leaver.id}`, { team_id: null }),
  },
}
type Leave = (scene: Scene) => Promise<ApiResponse>

it.each(Object.keys(leavings).flatMap((way) => [1, 2].map((members) => [way, members] as const)))(
  'ONC-37 ONC-39 ERA-10 %s from a schedule with %i member(s) tells who has to know, once',
  async (way, members) => {
    const scene = await createScene(members === 1)
    const { account, leaver, next } = scene
    const { ends, leave } = leavings[way] as (typeof leavings)[string]
    // Whoever causes it knows it.
    const other = await account.addColleague({ role: 'admin' })
    const response = await leave(scene)
    expect(response.status, response.text).toBeLessThan(300)
    const now = await readNow(scene)
    const isGone = way === 'the deletion of their user'
    const previous = isGone ? 'Deleted user' : leaver.fullName
    const after = members === 1 ? null : { id: next.id, name: next.fullName }
    const texts: Record<typeof ends, [Person[], string?, string?]> = {
      member: after
        ? [[next], `${next.fullName} is on call now: Night`, `Before: ${previous}.`]
        : [
            isGone || way in providerLeavings ? [account.admin, other] : [other],
            'Nobody is on call now: Night',
            `Before: ${previous}.`,
          ],
      place: after
        ? [[next, leaver], `${next.fullName} is on call now: Night`, `Before: ${previous}.`]
        : [[other, leaver], 'Nobody is on call now: Night', `Before: ${previous}.`],
      schedule: [[leaver], 'An on-call schedule was deleted: Night', `${previous} was on call by it.`],
      nothing: [[]],
    }
    const [told, title = '', body] = texts[ends]
    expect(now).toEqual(
      ends === 'schedule' ? undefined : ends === 'nothing' ? { id: leaver.id, name: leaver.fullName } : after,
    )
    const notices = await service.sql<{ user_id: string; title: string; body: string }>(
      `select user_id, title, body from notifications where account_id = $1 and event_key = 'oncall.changed' order by user_id`,
      [account.id],
    )
    expect(notices).toEqual(told.map(({ id }) => ({ user_id: id, title, body })).toSorted(byUser))
    if (way.startsWith('their') || way.startsWith('the role'))
      expect(response.body.on_call).toEqual([
        {
          schedule_id: scene.scheduleId,
          schedule_name: 'Night',
          on_call_before: { id: leaver.id, name: leaver.fullName },
          on_call_after: after,
        },
      ])
    for (const person of told)
      await expect
        .poll(async () => (await listMails(title)).filter(({ to }) => to.includes(person.email)), {
          timeout: 30_000,
        })
        .toHaveLength(1)
    expect((await listMails(title)).filter(({ to }) => to.join().includes(scene.bystander.email))).toEqual([])
  },
)

const byUser = (one: { user_id: string }, other: { user_id: string }) =>
  one.user_id < other.user_id ? -1 : 1
const listMails = async (title: string) =>
  (await listRecords('mail')).filter(({ subject }) => subject.includes(title))

it('ONC-37 two members who leave at the same time leave nobody on call, and the admins hear of it', async () => {
  const scene = await createScene()
  const { account, leaver, next } = scene
  const other = await account.addColleague({ role: 'admin' })
  const answers = await Promise.all(
    [leaver, next].map(({ id }) => account.admin.call('DELETE', `/accounts/me/members/${id}`)),
  )
  expect(answers.map(({ status }) => status)).toEqual([204, 204])
  expect(await readNow(scene)).toBeNull()
  expect((await listNotices(other)).map(({ title }) => title)).toEqual(['Nobody is on call now: Night'])
})

it('ONC-37 a change that leaves who is on call tells nobody', async () => {
  const scene = await createScene()
  const { account, leaver, next, scheduleId, rotate } = scene
  await account.admin.call('PUT', `/on-call-schedules/${scheduleId}`, { rotations: rotate([leaver]) })
  await account.admin.call('DELETE', `/accounts/me/members/${next.id}`)
  for (const person of [leaver, account.admin]) expect(await listNotices(person)).toEqual([])
})
