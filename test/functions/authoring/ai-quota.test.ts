import { afterAll, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService } from '../../support/app.ts'
import { conversations, onPlan, quotaOf, refine, startBuilding } from '../../support/authoring.ts'
import { newAccount } from '../../support/people.ts'

const service = await ownService()
const { advance, fault } = desk(service)
afterAll(() => service.close())

const countOf = async (accountId: string) =>
  (await service.sql('select id from flow_conversations where account_id = $1', [accountId])).length

it.each([
  ['free', 5],
  ['pro', 100],
  ['team', 500],
  ['enterprise', null],
])('AIA-09 gives the plan %s as many builds a month: %s', async (plan, limit) => {
  const { admin, id, colleague } = await newAccount(service)
  await onPlan(service, id, plan, 3)
  expect(await quotaOf(await colleague({ role: 'viewer' }))).toEqual({ used: 3, limit, resets_at: expect.any(String) })
  expectStatus(await startBuilding(admin), 201)
  expect((await quotaOf(admin)).used).toBe(4)
})

it('AIA-04 AIA-07 is 429 ai_quota_exceeded over the quota, without a call of the model, until the month begins anew at the anchor', async () => {
  const { admin, id } = await newAccount(service)
  await service.sql(`update accounts set billing_anchor = app.now() + interval '1 hour' where id = $1`, [id])
  await onPlan(service, id, 'free', 4)
  const { body } = await startBuilding(admin)
  await desk(service).empty('ai')
  const refused = await startBuilding(admin)
  const { resets_at } = await quotaOf(admin)
  expect([refused.status, refused.body]).toEqual([429, { detail: expect.any(String), code: 'ai_quota_exceeded', resets_at }])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000)
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3600)
  expect(await desk(service).read('ai')).toEqual([])
  // What was begun goes on: a refinement is no build.
  expectStatus(await refine(admin, body.id, 'Rename the root to “Ping?”'), 200)
  await advance(3600)
  expect(await quotaOf(admin)).toMatchObject({ used: 0, limit: 5 })
  expectStatus(await startBuilding(admin), 201)
  expect((await quotaOf(admin)).used).toBe(1)
})

it('AIA-05 does not hold super admins to the quota, nor counts what they build', async () => {
  const { id, admin, colleague } = await newAccount(service)
  await onPlan(service, id, 'free', 5)
  const staff = await colleague({ superAdmin: true })
  expect((await quotaOf(staff)).limit).toBeNull()
  expectStatus(await startBuilding(staff), 201)
  expectStatus(await startBuilding(admin), 429)
  expect(await quotaOf(admin)).toMatchObject({ used: 5, limit: 5 })
})

it('AIA-08 counts no build that gave no draft, and the first draft of its conversation once', async () => {
  const { admin } = await newAccount(service)
  const { status, body } = await startBuilding(admin, { goal: 'help' })
  expect([status, body.draft, body.problems, (await quotaOf(admin)).used]).toEqual([201, null, [], 0])
  expect(body.messages[1].content).toContain('help')
  await fault({ service: 'openai', mode: 'error' })
  expectStatus(await startBuilding(admin), 502)
  await desk(service).lift()
  expect((await quotaOf(admin)).used).toBe(0)
  const asked = await refine(admin, body.id, 'If the fan is loud, then clean it. Otherwise replace it.')
  expect([asked.body.draft.tree_structure.type, (await quotaOf(admin)).used]).toEqual(['decision', 1])
  await refine(admin, body.id, 'Rename the root to “Loud?”')
  expect((await quotaOf(admin)).used).toBe(1)
})

it('AIA-07 counts once per success and never past the limit when 32 people build at once', { timeout: 120_000 }, async () => {
  const { id, admin, colleague } = await newAccount(service)
  const people = await Promise.all(Array.from({ length: 32 }, () => colleague()))
  await onPlan(service, id, 'free', 2)
  // All of them are let through to the model, and only the count decides.
  await fault({ service: 'openai', mode: 'slow', delay_ms: 3000 })
  await desk(service).empty('ai')
  const answers = await Promise.all(people.map((person) => startBuilding(person)))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(3).fill(201), ...Array(29).fill(429)])
  for (const { body, status } of answers) if (status === 429) expect(body.code).toBe('ai_quota_exceeded')
  expect((await desk(service).read('ai')).length).toBeGreaterThan(3)
  expect([(await quotaOf(admin)).used, await countOf(id)]).toEqual([5, 3])
})

it('counts one build where the first draft is asked for eight times at once', async () => {
  const { admin } = await newAccount(service)
  const { body } = await startBuilding(admin, { goal: 'help' })
  await fault({ service: 'openai', mode: 'slow', delay_ms: 1000 })
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => refine(admin, body.id, `If light ${n} is red, then call vendor ${n}.`)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  expect(answers.filter(({ status }) => status === 409).map(({ body }) => body.code)).toEqual(Array(7).fill('conversation_moved'))
  expect((await quotaOf(admin)).used).toBe(1)
  expect((await admin.call('GET', `${conversations}/${body.id}`)).body.messages).toHaveLength(4)
})

it('AIA-03 ends a conversation 24 hours after it began, and the tidying takes it away', async () => {
  const { admin, id } = await newAccount(service)
  const { body } = await startBuilding(admin)
  const at = `${conversations}/${body.id}`
  await advance(24 * 3600 - 60)
  expect((await refine(admin, body.id, 'Rename the root to “Late”')).body.expires_at).toBe(body.expires_at)
  await advance(60)
  for (const [method, path, sent] of [
    ['GET', at],
    ['POST', `${at}/messages`, { message: 'Rename the root to “Too late”' }],
    ['POST', `${at}/commit`, {}],
    ['DELETE', at],
  ] as const)
    expect([method, path, (await admin.call(method, path, sent)).status]).toEqual([method, path, 404])
  expect((await quotaOf(admin)).used).toBe(1)
  await service.stack.tick()
  expect(await countOf(id)).toBe(0)
})
