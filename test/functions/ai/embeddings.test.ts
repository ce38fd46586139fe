import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { openAccountScope } from '#db/scope.ts'
import { readStatement } from '#db/statement.ts'
import { embedDue } from '#functions/ai/embeddings/service.ts'
import type { Services } from '#http/app.ts'
import { runJob } from '#http/job.ts'
import { embeddingModelName } from '#local/vendors/openai/openai-models.ts'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, type OwnService, startOwnService } from '#test/support/app.ts'
import { listModelFacts } from '#test/support/authoring.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, patchProcedure } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const selectNear = readStatement(
  z.object({ tree_id: z.string(), similarity: z.number() }),
  (embedding: readonly number[]) => sql`
    select tree_id, similarity from ${callFunction('app.find_similar_knowledge', { p_embedding: embedding, p_model: 'wide', p_limit: 40 })}`,
)

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
  createFlow(person, {
    tree_type: 'procedural',
    name,
    tree_structure: patchProcedure(),
    intake_form: [],
    visibility: 'account',
    ...fields,
  })

/** Run the sweep of one minute. `model` is that of a service whose setting was changed. */
const sweep = (model?: string) =>
  runJob(service.services as Services, 'cron.sweep', (ctx) =>
    embedDue(
      {
        ...ctx,
        embeddings: model ? { isConfigured: true, model, embed: ctx.embeddings.embed } : ctx.embeddings,
      },
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
  (await dashboard(service).listRecords('ai'))
    .filter((record) => record.task === 'embedding')
    .map((record) => record.request.input)
const embedded = { model: embeddingModelName, numbers: 256, length: 1, minutes: null }

it('EMB-04 embeds a published flow and a resolved session, in one call of their account', async () => {
  const { admin, id } = await createAccount(service)
  await createProcedure(admin, 'Replace the tape of the loader')
  await createProcedure(admin, 'A draft', { status: 'draft' })
  const session = await createAiSession(admin, { problem_summary: 'The loader is jammed' })
  expectStatus(
    await admin.call('POST', `/ai-sessions/${session.id}/resolve`, {
      outcome: 'resolved',
      notes: 'New belt',
    }),
    200,
  )
  expect(await readRows(id)).toMatchObject([
    { model: null, minutes: 0 },
    { model: null, minutes: 0 },
  ])
  await dashboard(service).clearRecords('ai')
  await sweep()
  expect(await readRows(id)).toMatchObject([embedded, embedded])
  expect((await listCalls()).map((texts) => texts.length)).toEqual([2])
  expect(
    await service.sql('select prompt, outcome from ai_calls where account_id = $1 and prompt = $2', [
      id,
      'embedding',
    ]),
  ).toEqual([{ prompt: 'embedding', outcome: 'answered' }])
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
  await service.sql(
    `update accounts set plan = 'poor', subscription_status = 'active', trial_ends_at = null where id = $1`,
    [poor.id],
  )
  await dashboard(service).setFault({ service: 'openai', mode: 'error', times: 1 })
  await expect(sweep()).rejects.toMatchObject({ kind: 'failed' })
  expect([await readRows(poor.id), await readRows(rich.id)]).toMatchObject([
    [{ model: null, minutes: 10 }],
    [{ model: null, minutes: 10 }],
  ])
  await service.sql('update knowledge_embeddings set due_at = app.now() where due_at is not null')
  await sweep()
  expect([await readRows(poor.id), await readRows(rich.id)]).toMatchObject([
    [{ model: null, minutes: 10 }],
    [embedded],
  ])
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
  await service.sql(
    `insert into feature_overrides (account_id, feature, enabled) values ($1, 'ai_sessions', false)`,
    [id],
  )
  await sweep()
  expect([await readRows(id), await listCalls()]).toMatchObject([[{ model: null, minutes: 1440 }], []])
})

/**
 * Ask for a first chat turn about a problem. Return the names of the flows that the model was given, best
 * first.
 */
async function askAbout(person: Person, problem_summary: string): Promise<string[]> {
  const session = await createAiSession(person, { problem_summary })
  await dashboard(service).clearRecords('ai')
  expectStatus(await person.call('POST', `/ai-sessions/${session.id}/chat`, { message: 'odposlech' }), 200)
  const [facts] = await listModelFacts(service, 'chat_turn')
  return ((facts?.flows ?? []) as { name: string }[]).map(({ name }) => name)
}

// The emulated model knows that these words mean the same.
const flowName = 'wiretap cartridge'
// More than the steps of the flow say.
const description = `${flowName} `.repeat(30)
const problem = 'odposlech tintenpatrone'

it('EMB-09 a turn finds a flow that shares no word with the case, only for those who may see it', async () => {
  const [{ admin }, { admin: stranger }] = [await createAccount(service), await createAccount(service)]
  await createProcedure(admin, flowName, { description })
  expect(await askAbout(admin, problem)).toEqual([])
  await sweep()
  expect(await askAbout(admin, problem)).toEqual([flowName])
  expect(await listCalls()).toEqual([[expect.stringContaining(problem)]])
  expect(await askAbout(stranger, problem)).toEqual([])
})

it('EMB-09 nothing fits a text that is near no entry', async () => {
  const { admin } = await createAccount(service)
  await createProcedure(admin, flowName, { description })
  await sweep()
  expect(await askAbout(admin, 'Zorblatt hums quietly')).toEqual([])
})

it('EMB-10 a flow that fits by words and by meaning comes first', async () => {
  const { admin } = await createAccount(service)
  await createProcedure(admin, 'Gantry beacon gantry', { description: 'The beacon of the gantry blinks' })
  await createProcedure(admin, flowName, { description: `The beacon of the gantry. ${description}` })
  await sweep()
  expect((await askAbout(admin, 'odposlech gantry beacon'))[0]).toBe(flowName)
  await service.sql('delete from knowledge_embeddings where account_id = $1', [admin.accountId])
  expect((await askAbout(admin, 'odposlech gantry beacon'))[0]).toBe('Gantry beacon gantry')
})

it.each(['error', 'hang'] as const)(
  'EMB-11 a turn whose text cannot be embedded finds its sources by words (%s)',
  async (mode) => {
    const { admin } = await createAccount(service)
    await createProcedure(admin, 'Gantry beacon')
    await createProcedure(admin, flowName, { description })
    await sweep()
    const session = await createAiSession(admin, { problem_summary: 'The gantry beacon blinks' })
    await dashboard(service).clearRecords('ai')
    await dashboard(service).setFault({ service: 'openai', mode, times: 1 })
    expectStatus(await admin.call('POST', `/ai-sessions/${session.id}/chat`, { message: problem }), 200)
    const [facts] = await listModelFacts(service, 'chat_turn')
    expect(facts?.flows).toMatchObject([{ name: 'Gantry beacon' }])
    await dashboard(service).clearFaults()
  },
)

it('EMB-12 finds the nearest of more entries than it compares exactly', async () => {
  const { admin, id } = await createAccount(service)
  await service.sql(
    `insert into trees (account_id, author_id, tree_type, status, visibility, name)
     select $1, $2, 'procedural', 'published', 'account', 'Flow ' || n from generate_series(1, 400) n`,
    [id, admin.id],
  )
  await service.sql(
    `insert into knowledge_entries (account_id, tree_id, words) select account_id, id, '' from trees where account_id = $1`,
    [id],
  )
  // Random numbers, of which each entry has its own.
  await service.sql(
    `insert into knowledge_embeddings (account_id, entry_id, model, text_hash, embedding, due_at)
     select account_id, id, 'wide', sha256(''), array(select (random() - 0.5 + length(id::text) * 0) / 4.6 from generate_series(1, 256)), null
       from knowledge_entries where account_id = $1`,
    [id],
  )
  const entries = await service.sql<{ tree_id: string; embedding: number[] }>(
    `select e.tree_id, k.embedding from knowledge_embeddings k join knowledge_entries e on e.account_id = k.account_id and e.id = k.entry_id
      where k.account_id = $1 order by k.entry_id`,
    [id],
  )
  const { db } = openAccountScope((service.services as Services).platform, id, admin.id, () => {})
  for (const { tree_id, embedding } of [entries[0], entries[250], entries[399]].filter(
    (entry) => entry !== undefined,
  ))
    expect(await selectNear.all(db, embedding)).toEqual([{ tree_id, similarity: expect.closeTo(1, 0) }])
  // Embeddings of another length cannot be compared.
  expect(await selectNear.all(db, entries[0]?.embedding.slice(0, 128) ?? [])).toEqual([])
})
