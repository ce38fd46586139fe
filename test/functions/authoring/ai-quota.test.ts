import { afterAll, expect, it } from 'vitest'
import { dashboard, startOwnService } from '#test/support/app.ts'
import {
  conversationsPath,
  getQuota,
  refineFlow,
  setAccountPlan,
  startFlowConversation,
} from '#test/support/authoring.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { night } from '#test/support/night.ts'
import { createAccount } from '#test/support/people.ts'

const service = await startOwnService()
const { advanceClock, setFault } = dashboard(service)
afterAll(() => service.close())

const countConversations = async (accountId: string) =>
  (await service.sql('select id from flow_conversations where account_id = $1', [accountId])).length

it.each([
  ['free', 5],
  ['pro', 100],
  ['team', 500],
  ['enterprise', null],
])('AIA-09 returns the monthly build limit of the plan %s: %s', async (plan, limit) => {
  const { admin, id, addColleague } = await createAccount(service)
  await setAccountPlan(service, id, plan, 3)
  expect(await getQuota(await addColleague({ role: 'viewer' }))).toEqual({
    used: 3,
    limit,
    resets_at: expect.any(String),
  })
  expectStatus(await startFlowConversation(admin), 201)
  expect((await getQuota(admin)).used).toBe(4)
})

it('AIA-04 AIA-07 returns 429 over the quota without calling the model, until the month ends at the billing cycle anchor', async () => {
  const { admin, id } = await createAccount(service)
  await service.sql(`update accounts set billing_anchor = app.now() + interval '1 hour' where id = $1`, [id])
  await setAccountPlan(service, id, 'free', 4)
  const { body } = await startFlowConversation(admin)
  await dashboard(service).clearRecords('ai')
  const refused = await startFlowConversation(admin)
  const { resets_at } = await getQuota(admin)
  expect([refused.status, refused.body]).toEqual([
    429,
    { detail: expect.any(String), code: 'ai_quota_exceeded', resets_at },
  ])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000)
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3600)
  expect(await dashboard(service).listRecords('ai')).toEqual([])
  // An existing conversation continues, because a refinement is not a build.
  expectStatus(await refineFlow(admin, body.id, 'Rename the root to “Ping?”'), 200)
  await advanceClock(3600)
  expect(await getQuota(admin)).toMatchObject({ used: 0, limit: 5 })
  expectStatus(await startFlowConversation(admin), 201)
  expect((await getQuota(admin)).used).toBe(1)
})

it('AIA-05 neither limits nor counts the builds of super admins', async () => {
  const { id, admin, addColleague } = await createAccount(service)
  await setAccountPlan(service, id, 'free', 5)
  const staff = await addColleague({ superAdmin: true })
  expect((await getQuota(staff)).limit).toBeNull()
  expectStatus(await startFlowConversation(staff), 201)
  expectStatus(await startFlowConversation(admin), 429)
  expect(await getQuota(admin)).toMatchObject({ used: 5, limit: 5 })
})

it('AIA-08 counts no build without a draft, and one build for the first draft of a conversation', async () => {
  const { admin } = await createAccount(service)
  const { status, body } = await startFlowConversation(admin, { goal: 'help' })
  expect([status, body.draft, body.problems, (await getQuota(admin)).used]).toEqual([201, null, [], 0])
  expect(body.messages[1].content).toContain('help')
  await setFault({ service: 'openai', mode: 'error' })
  expectStatus(await startFlowConversation(admin), 502)
  await dashboard(service).clearFaults()
  expect((await getQuota(admin)).used).toBe(0)
  const refined = await refineFlow(admin, body.id, 'If the fan is loud, then clean it. Otherwise replace it.')
  expect([refined.body.draft.tree_structure.type, (await getQuota(admin)).used]).toEqual(['decision', 1])
  await refineFlow(admin, body.id, 'Rename the root to “Loud?”')
  expect((await getQuota(admin)).used).toBe(1)
})

it('AIA-07 counts once per success and never exceeds the limit when 32 people build at once', {
  ...night,
  timeout: 120_000,
}, async () => {
  const { id, admin, addColleague } = await createAccount(service)
  const people = await Promise.all(Array.from({ length: 32 }, () => addColleague()))
  await setAccountPlan(service, id, 'free', 2)
  // All requests reach the model before the first one is counted.
  await setFault({ service: 'openai', mode: 'slow', delay_ms: 3000 })
  await dashboard(service).clearRecords('ai')
  const responses = await Promise.all(people.map((person) => startFlowConversation(person)))
  expect(responses.map(({ status }) => status).sort()).toEqual([
    ...Array(3).fill(201),
    ...Array(29).fill(429),
  ])
  for (const { body, status } of responses) if (status === 429) expect(body.code).toBe('ai_quota_exceeded')
  expect((await dashboard(service).listRecords('ai')).length).toBeGreaterThan(3)
  expect([(await getQuota(admin)).used, await countConversations(id)]).toEqual([5, 3])
})

it('counts one build for eight concurrent requests for the first draft', async () => {
  const { admin } = await createAccount(service)
  const { body } = await startFlowConversation(admin, { goal: 'help' })
  await setFault({ service: 'openai', mode: 'slow', delay_ms: 1000 })
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      refineFlow(admin, body.id, `If light ${n} is red, then call vendor ${n}.`),
    ),
  )
  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  expect(responses.filter(({ status }) => status === 409).map(({ body }) => body.code)).toEqual(
    Array(7).fill('stale_version'),
  )
  expect((await getQuota(admin)).used).toBe(1)
  expect((await admin.call('GET', `${conversationsPath}/${body.id}`)).body.messages).toHaveLength(4)
})

it('AIA-03 expires a conversation 24 hours after its start, and the cron job deletes it', async () => {
  const { admin, id } = await createAccount(service)
  const { body } = await startFlowConversation(admin)
  const conversationPath = `${conversationsPath}/${body.id}`
  await advanceClock(24 * 3600 - 60)
  expect((await refineFlow(admin, body.id, 'Rename the root to “Late”')).body.expires_at).toBe(
    body.expires_at,
  )
  await advanceClock(60)
  for (const [method, path, requestBody] of [
    ['GET', conversationPath],
    ['POST', `${conversationPath}/messages`, { message: 'Rename the root to “Too late”' }],
    ['POST', `${conversationPath}/commit`, {}],
    ['DELETE', conversationPath],
  ] as const)
    expect([method, path, (await admin.call(method, path, requestBody)).status]).toEqual([method, path, 404])
  expect((await getQuota(admin)).used).toBe(1)
  await service.stack.runCron()
  expect(await countConversations(id)).toBe(0)
})
