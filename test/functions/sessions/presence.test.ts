import { expect, it } from 'vitest'
import { openPlatformDb } from '#db/scope.ts'
import { sweep } from '#functions/presence/service.ts'
import { createAiSession } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { claimHandoff, createEscalation, openEscalationStream } from '#test/support/escalations.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createSession } from '#test/support/sessions.ts'
import type { TransientEvent } from '#vendors/realtime/realtime.ts'

const service = await sharedService()
const pollOptions = { timeout: 30_000, interval: 20 }

type Resource = { type: 'flow' | 'session' | 'ai_session'; id: string }
const put = (person: Person, resource: Resource, mode: 'viewing' | 'editing' = 'viewing', tab_id?: string) =>
  person.client.presence.put({ ...resource, mode, ...(tab_id ? { tab_id } : {}) })
const list = async (person: Person, query: Partial<Resource> = {}) => person.client.presence.list(query)
const userOf = ({ id, fullName: name }: Person) => ({ id, name })
const expire = (person: Person) =>
  service.sql(
    `update presence set expires_at = app.now() - interval '1 ms' where account_id = $1 and user_id = $2`,
    [person.accountId, person.id],
  )

/** Sweep as a job does. Return the events that it broadcasts, by account. */
async function sweepPresence(processes = 1) {
  const broadcasts: { accountId: string; events: readonly TransientEvent[] }[] = []
  const realtime = {
    broadcast: async (accountId: string, events: readonly TransientEvent[]) =>
      void broadcasts.push({ accountId, events }),
  }
  const ctx = {
    platform: openPlatformDb(
      openTestDatabase(service.settings.DATABASE_PLATFORM_URL),
      'the sweep of a test',
      () => {},
    ),
    realtime: realtime as never,
  }
  await runConcurrently(() => sweep(ctx, { budgetMs: 5000, now: Date.now }), processes)
  return broadcasts
}

async function createPeople() {
  const account = await createAccount(service)
  const [anna, ben] = [await account.addColleague(), await account.addColleague()]
  const session: Resource = { type: 'session', id: (await createSession(anna)).id }
  return { account, anna, ben, session }
}

it('PRS-01 shows colleagues where a person is, for 60 seconds after the last repetition', async () => {
  const { anna, ben, session } = await createPeople()
  expect((await put(anna, session)).also_here).toEqual([])
  const [row] = await service.sql<{ seconds: number }>(
    `select extract(epoch from expires_at - app.now())::integer as seconds from presence where user_id = $1`,
    [anna.id],
  )
  expect(row?.seconds).toBeGreaterThanOrEqual(59)
  const [entry] = await list(ben, session)
  expect(entry).toMatchObject({ ...session, user: userOf(anna), mode: 'viewing' })
  expect(await put(ben, session)).toMatchObject({
    also_here: [{ user: userOf(anna), mode: 'viewing', since: entry?.since }],
  })
  await expire(anna)
  expect((await put(ben, session)).also_here).toEqual([])
  expect((await list(anna)).map(({ user }) => user.id)).toEqual([ben.id])
})

it('PRS-02 ends the presence of a person at once when they leave', async () => {
  const { anna, ben, session } = await createPeople()
  await put(anna, session)
  await anna.client.presence.delete(session)
  await anna.client.presence.delete(session)
  expect(await list(ben, session)).toEqual([])
})

it('PRS-03 counts the tabs of a person as one presence, which edits while one of them does', async () => {
  const { anna, ben, session } = await createPeople()
  const stream = await openEscalationStream(service, ben)
  await expect.poll(() => stream.text(), pollOptions).toContain('connected')
  await put(anna, session, 'editing', 'a')
  await put(anna, session, 'viewing', 'b')
  await anna.client.presence.delete({ ...session, tab_id: 'b' })
  await put(anna, session, 'viewing', 'b')
  expect((await list(ben, session)).map(({ mode }) => mode)).toEqual(['editing'])
  await anna.client.presence.delete({ ...session, tab_id: 'a' })
  expect((await list(ben, session)).map(({ mode }) => mode)).toEqual(['viewing'])
  await put(anna, session, 'viewing', 'a')
  await anna.client.presence.delete(session)
  expect(await list(ben, session)).toEqual([])
  await expect
    .poll(() => stream.events('presence').map(({ data }) => data.mode), pollOptions)
    .toEqual(['editing', 'viewing', null])
  stream.disconnect()
})

it('PRS-04 sends an event when a person comes, changes the mode or leaves, and none for a repetition', async () => {
  const { anna, ben, session } = await createPeople()
  const stream = await openEscalationStream(service, ben)
  await expect.poll(() => stream.text(), pollOptions).toContain('connected')
  await put(anna, session)
  await put(anna, session)
  await put(anna, session, 'editing')
  await anna.client.presence.delete(session)
  await expect
    .poll(() => stream.events('presence').map(({ data }) => data.mode), pollOptions)
    .toEqual(['viewing', 'editing', null])
  const [first, second, third] = stream.events('presence')
  expect(first?.data).toEqual({ ...session, user: userOf(anna), mode: 'viewing', since: expect.any(String) })
  expect(second?.data.since).toBe(first?.data.since)
  expect(third?.data.since).toBeNull()
  stream.disconnect()
})

it('PRS-05 hides who is at a private flow or an AI session from those who cannot see it, in lists and streams', async () => {
  const { account, anna, ben } = await createPeople()
  const flow: Resource = { type: 'flow', id: (await createFlow(anna, { visibility: 'private' })).id }
  const shared: Resource = { type: 'flow', id: (await createFlow(anna, { visibility: 'account' })).id }
  const aiSession: Resource = { type: 'ai_session', id: (await createAiSession(anna)).id }
  const streams = [
    await openEscalationStream(service, ben),
    await openEscalationStream(service, anna),
  ] as const
  for (const stream of streams) await expect.poll(() => stream.text(), pollOptions).toContain('connected')
  for (const resource of [flow, aiSession, shared]) await put(anna, resource)
  const idsOf = (stream: (typeof streams)[number]) => stream.events('presence').map(({ data }) => data.id)
  await expect.poll(() => idsOf(streams[1]), pollOptions).toEqual([flow.id, aiSession.id, shared.id])
  await expect.poll(() => idsOf(streams[0]), pollOptions).toEqual([shared.id])
  expect((await list(ben)).map(({ id }) => id)).toEqual([shared.id])
  expect(await list(account.admin, flow)).toEqual([])
  for (const stream of streams) stream.disconnect()
})

it('PRS-06 shows a team flow to its team, its author and admins, and an escalation to everyone', async () => {
  const { account, anna, ben } = await createPeople()
  const [stranger, admin] = [
    await account.addColleague({ teamId: null }),
    await account.addColleague({ role: 'admin', teamId: null }),
  ]
  const author = await account.addColleague()
  const people = [anna, ben, admin, author, stranger]
  const streams = await Promise.all(people.map((person) => openEscalationStream(service, person)))
  for (const stream of streams) await expect.poll(() => stream.text(), pollOptions).toContain('connected')
  const flow: Resource = { type: 'flow', id: (await createFlow(author, { visibility: 'team' })).id }
  await service.sql('update users set team_id = null, team_role = null where id = $1', [author.id])
  const escalation: Resource = { type: 'ai_session', id: (await createEscalation(anna)).id }
  await put(ben, flow)
  await put(ben, escalation)
  const counts = () => streams.map((stream) => stream.events('presence').length)
  await expect.poll(counts, pollOptions).toEqual([2, 2, 2, 2, 1])
  expect((await list(stranger)).map(({ id }) => id)).toEqual([escalation.id])
  for (const stream of streams) stream.disconnect()
})

it('PRS-07 refuses a presence at what the caller cannot see with 404, and a viewer who edits with 403', async () => {
  const { account, anna, ben, session } = await createPeople()
  const hidden: Resource = { type: 'ai_session', id: (await createAiSession(anna)).id }
  const stranger = (await createAccount(service)).admin
  await expectRefusal(put(ben, hidden), 404)
  await expectRefusal(put(stranger, session), 404)
  await expectRefusal(put(ben, { ...session, type: 'flow' }), 404)
  const viewer = await account.addColleague({ role: 'viewer' })
  await expectRefusal(put(viewer, session, 'editing'), 403)
  expect((await put(viewer, session)).also_here).toEqual([])
  expect(await list(stranger)).toEqual([])
})

it('PRS-08 warns with also_here in the answers of edits, escalations and claims, and blocks none', async () => {
  const { account, anna, ben, session } = await createPeople()
  const flow: Resource = { type: 'flow', id: (await createFlow(anna, { visibility: 'account' })).id }
  const ids = (answer: { also_here?: { user: { id: string } }[] | undefined }) =>
    answer.also_here?.map(({ user }) => user.id)
  for (const resource of [session, flow]) await put(ben, resource, 'editing')
  expect(ids(await anna.client.flows.trees.update({ tree_id: flow.id, name: 'New name' }))).toEqual([ben.id])
  expect(ids(await anna.client.sessions.update({ session_id: session.id, notes: 'Called' }))).toEqual([
    ben.id,
  ])
  expect(await ben.client.flows.trees.get({ tree_id: flow.id })).not.toHaveProperty('also_here')
  const { id, handoffId } = await createEscalation(anna)
  await put(ben, { type: 'ai_session', id })
  await put(account.admin, { type: 'ai_session', id }, 'editing')
  const claimed = await claimHandoff(ben, id, handoffId)
  expect(claimed.status).toBe(200)
  expect(claimed.body.also_here).toMatchObject([{ user: userOf(account.admin), mode: 'editing' }])
  expect(ids(await ben.client.ai.escalations.pickUp({ session_id: id }))).toEqual([account.admin.id])
  const escalated = await ben.client.ai.handoffs.escalate({ session_id: id })
  expect(ids(escalated)).toEqual([account.admin.id])
  expect(await ben.client.ai.sessions.get({ session_id: id })).not.toHaveProperty('also_here')
})

it('PRS-09 stores each of 32 people who come at once, and announces each once', async () => {
  const { account, session } = await createPeople()
  const people = await runConcurrently(() => account.addColleague())
  const stream = await openEscalationStream(service, account.admin)
  await expect.poll(() => stream.text(), pollOptions).toContain('connected')
  await Promise.all(
    people.flatMap((person) => [put(person, session, 'viewing', 'a'), put(person, session, 'viewing', 'a')]),
  )
  expect(await list(account.admin, session)).toHaveLength(32)
  await expect.poll(() => stream.events('presence').length, pollOptions).toBe(32)
  expect((await put(account.admin, session)).also_here).toHaveLength(32)
  stream.disconnect()
})

it('PRS-10 limits a person to 20 presences and a resource to 100, also when 32 requests come at once', async () => {
  const { anna, ben, session } = await createPeople()
  const answers = await runConcurrently((n) =>
    anna.call('PUT', '/presence', { ...session, mode: 'viewing', tab_id: `t${n}` }),
  )
  expect(countByStatus(answers)).toEqual({ 200: 20, 409: 12 })
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
    code: 'limit_reached',
    resource: 'presence_per_person',
    limit: 20,
  })
  await service.sql(
    `insert into presence (account_id, resource_type, resource_id, user_id, tab_id, mode, expires_at)
     select account_id, resource_type, resource_id, user_id, 'x' || n, mode, expires_at
       from presence, generate_series(1, 80) n where user_id = $1 and tab_id = (select min(tab_id) from presence where user_id = $1)`,
    [anna.id],
  )
  expect((await expectRefusal(put(ben, session), 409)).body).toMatchObject({
    resource: 'presence_per_resource',
    limit: 100,
  })
  await expire(anna)
  expect(await put(ben, session)).toMatchObject({ also_here: [] })
})

it('PRS-11 announces once that a person whose presence expired has left, when 4 processes sweep at once', async () => {
  const { anna, ben, session } = await createPeople()
  await put(anna, session, 'viewing', 'a')
  await put(anna, session, 'viewing', 'b')
  await put(ben, session)
  await expire(anna)
  const broadcasts = (await sweepPresence(4)).filter(({ accountId }) => accountId === anna.accountId)
  expect(broadcasts.flatMap(({ events }) => events)).toEqual([
    { event: 'presence', audience: null, data: { ...session, user: userOf(anna), mode: null, since: null } },
  ])
  expect((await list(ben)).map(({ user }) => user.id)).toEqual([ben.id])
  expect(await service.sql('select 1 from presence where user_id = $1', [anna.id])).toEqual([])
})
