import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { embedDue } from '#functions/ai/embeddings/service.ts'
import type { Services } from '#http/app.ts'
import { runJob } from '#http/job.ts'
import { embeddingModelName } from '#local/vendors/openai/openai-models.ts'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, type OwnService, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, patchProcedure } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'

let service: OwnService
beforeAll(async () => {
  service = await startOwnService({ AI_EMBEDDING_MODEL: embeddingModelName })
  await sweep()
})
afterAll(() => service.close())
beforeEach(async () => {
  await dashboard(service).clearRecords('ai')
})

const createProcedure = (person: Person, name: string, fields: Record<string, unknown> = {}) =>
  createFlow(person, { tree_type: 'procedural', name, tree_structure: patchProcedure(), intake_form: [], visibility: 'account', ...fields })

/** Run the sweep of one minute. `model` is that of a service whose setting was changed. */
const sweep = (model?: string) =>
  runJob(service.services as Services, 'cron.sweep', (ctx) =>
    embedDue(
      { ...ctx, embeddings: model ? { isConfigured: true, model, embed: ctx.embeddings.embed } : ctx.embeddings },
      { budgetMs: 20_000, now: Date.now },
    ),
  )
interface Row {
  model: string | null
  hash: string | null
  numbers: number | null
  length: number | null
  minutes: number | null
}
const readRows = (accountId: string) =>
  service.sql<Row>(
    `select model, encode(text_hash, 'hex') as hash, cardinality(embedding) as numbers, round(sqrt((select sum(x * x) from unnest(embedding) x))::numeric, 3)::float8 as length,
            round(extract(epoch from due_at - app.now()) / 60)::integer as minutes
       from knowledge_embeddings where account_id = $1 order by entry_id`,
    [accountId],
  )
/** List the texts of each call for embeddings. */
const listCalls = async (): Promise<string[][]> =>
  (await dashboard(service).listRecords('ai')).filter((record) => record.task === 'embedding').map((record) => record.request.input)
const embedded = { model: embeddingModelName, numbers: 256, length: 1, minutes: null }

it('EMB-04 embeds a published flow and a resolved session, in one call of their account', async () => {
  const { admin, id } = await createAccount(service)
  await createProcedure(admin, 'Replace the tape of the loader')
  await createProcedure(admin, 'A draft', { status: 'draft' })
  const session = await createAiSession(admin, { problem_summary: 'The loader is jammed' })
  expectStatus(await admin.call('POST', `/ai-sessions/${session.id}/resolve`, { outcome: 'resolved', notes: 'New belt' }), 200)
  expect(await readRows(id)).toMatchObject([
    { model: null, minutes: 0 },
    { model: null, minutes: 0 },
  ])
  await dashboard(service).clearRecords('ai')
  await sweep()
  expect(await readRows(id)).toMatchObject([embedded, embedded])
  expect((await listCalls()).map((texts) => texts.length)).toEqual([2])
  expect(await service.sql('select prompt, outcome from ai_calls where account_id = $1 and prompt = $2', [id, 'embedding'])).toEqual([
    { prompt: 'embedding', outcome: 'answered' },
  ])
})

it('EMB-04 sends the first 2,000 characters of a text', async () => {
  const { admin } = await createAccount(service)
  await createProcedure(admin, 'A long flow', { description: 'word '.repeat(390) })
  await sweep()
  const [call] = await listCalls()
  expect(call?.map((text) => text.length)).toEqual([2000])
})

it('EMB-05 embeds again when the text or the model changes, and only then', async () => {
  const { admin, id } = await createAccount(service)
  const flow = await createProcedure(admin, 'Replace the tape of the loader')
  await sweep()
  const [before] = await readRows(id)
  await service.sql('update knowledge_embeddings set due_at = app.now() where account_id = $1', [id])
  await dashboard(service).clearRecords('ai')
  await sweep()
  expect([await readRows(id), await listCalls()]).toEqual([[before], []])
  // The same words in another order.
  expectStatus(await admin.call('PUT', `/trees/${flow.id}`, { name: 'Replace the loader of the tape' }), 200)
  await sweep()
  const [after] = await readRows(id)
  expect(after).toMatchObject(embedded)
  expect(after?.hash).not.toBe(before?.hash)
  expect(await listCalls()).toHaveLength(1)
  await sweep('another-model')
  expect(await readRows(id)).toMatchObject([{ model: 'another-model', hash: after?.hash, minutes: null }])
  await sweep()
  expect(await readRows(id)).toMatchObject([embedded])
})

it('EMB-06 deletes the embedding of a flow that is not published any more', async () => {
  const { admin, id } = await createAccount(service)
  const flow = await createProcedure(admin, 'Replace the tape of the loader')
  await sweep()
  expectStatus(await admin.call('DELETE', `/trees/${flow.id}`), 204)
  expect(await readRows(id)).toEqual([])
})

it('EMB-07 a failure waits ten minutes, and an account without a budget does not stop another', async () => {
  const [poor, rich] = [await createAccount(service), await createAccount(service)]
  for (const { admin } of [poor, rich]) await createProcedure(admin, 'Replace the tape of the loader')
  await service.sql(`insert into plan_limits (plan, max_ai_cost_micros_per_month) values ('poor', 0)`)
  await service.sql(`insert into plan_features (plan, feature, enabled) values ('poor', 'ai_sessions', true)`)
  await service.sql(`update accounts set plan = 'poor', subscription_status = 'active', trial_ends_at = null where id = $1`, [poor.id])
  await dashboard(service).setFault({ service: 'openai', mode: 'error', times: 1 })
  await expect(sweep()).rejects.toMatchObject({ kind: 'failed' })
  expect([await readRows(poor.id), await readRows(rich.id)]).toMatchObject([[{ model: null, minutes: 10 }], [{ model: null, minutes: 10 }]])
  await service.sql('update knowledge_embeddings set due_at = app.now() where due_at is not null')
  await sweep()
  expect([await readRows(poor.id), await readRows(rich.id)]).toMatchObject([[{ model: null, minutes: 10 }], [embedded]])
})

it('EMB-07 a text that the provider refuses waits a day, and the others are stored', async () => {
  const { admin, id } = await createAccount(service)
  for (const name of ['First', 'Second', 'Third']) await createProcedure(admin, `${name} tape of the loader`)
  // The call with three texts, that with two, and that with the first one.
  await dashboard(service).setFault({ service: 'openai', mode: 'client_error', times: 3 })
  await sweep()
  expect((await readRows(id)).map(({ minutes }) => minutes)).toEqual([1440, null, null])
})

it('EMB-08 sends nothing of an account without AI sessions', async () => {
  const { admin, id } = await createAccount(service)
  await createProcedure(admin, 'Replace the tape of the loader')
  await service.sql(`insert into feature_overrides (account_id, feature, enabled) values ($1, 'ai_sessions', false)`, [id])
  await sweep()
  expect([await readRows(id), await listCalls()]).toMatchObject([[{ model: null, minutes: 1440 }], []])
})
