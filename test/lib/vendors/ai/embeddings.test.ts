import { afterAll, aroundEach, describe, expect, it } from 'vitest'
import { openAccountScope } from '#db/scope.ts'
import type { Services } from '#http/app.ts'
import { embeddingModelName } from '#local/vendors/openai/openai-models.ts'
import { defaultPrices } from '#rules/ai/prices.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { secrets, startTestServer } from '#test/local/test-server.ts'
import { sharedService } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { embedTexts } from '#vendors/ai/embeddings.ts'
import { openAi } from '#vendors/ai/openai.ts'

aroundEach((runTest) => runWithin(createBudget(), runTest))

const vendor = await startVendorServer()
afterAll(vendor.close)
const headers = { 'content-type': 'application/json', 'x-request-id': 'req_1' }
const vectors = (...lists: number[][]) => lists.map((embedding, index) => ({ index, embedding }))
const axis = (place: number, length = 8) => Array.from({ length }, (_, index) => (index === place ? 3 : 0))
const embed = async (texts: string[], body: object, timeoutMs = 3000) => {
  vendor.answer = () => ({ headers, body })
  return openAi({ key: 'k', baseUrl: vendor.origin, model: 'm' }).embed(texts, timeoutMs)
}

describe('embeddings of the provider', () => {
  it('EMB-01 have length 1 and the order of the texts, with the tokens of the call', async () => {
    const data = [
      { index: 1, embedding: axis(1) },
      { index: 0, embedding: axis(0) },
    ]
    const result = await embed(['a', 'b'], { data, usage: { prompt_tokens: 7.5 } })
    expect(result.embeddings).toEqual([axis(0).map((value) => value / 3), axis(1).map((value) => value / 3)])
    expect(result).toMatchObject({ requestId: 'req_1', usage: { input: 7, output: 0, isEstimated: false } })
  })
  it('EMB-01 without reported tokens have an estimate', async () => {
    expect((await embed(['twelve chars'], { data: vectors(axis(0)) })).usage).toMatchObject({
      input: 3,
      isEstimated: true,
    })
  })
  it.each([
    ['one is missing', ['a', 'b'], { data: vectors(axis(0)) }],
    ['one comes twice', ['a', 'b'], { data: [...vectors(axis(0)), ...vectors(axis(0))] }],
    ['their lengths differ', ['a', 'b'], { data: vectors(axis(0), axis(0, 9)) }],
    ['one has no direction', ['a'], { data: vectors(axis(9)) }],
    ['one is too long', ['a'], { data: vectors(axis(0, 4097)) }],
    ['they are encoded otherwise', ['a'], { data: [{ index: 0, embedding: 'AACAPw==' }] }],
    ['there are none', ['a'], {}],
  ])('EMB-01 are refused when %s', async (_, texts, body) => {
    await expect(embed(texts, body)).rejects.toMatchObject({ kind: 'unusable' })
  })
  it('EMB-01 that do not come in time are a time-out', async () => {
    const local = await startTestServer()
    local.faults.set({ service: 'openai', mode: 'hang' })
    const port = openAi({
      key: secrets.openaiKey,
      baseUrl: `${local.origin}/openai`,
      model: embeddingModelName,
    })
    await expect(port.embed(['a'], 30)).rejects.toMatchObject({ kind: 'timeout' })
  })
})

const service = await sharedService()
describe('a call for embeddings', () => {
  const open = async (redaction: 'secrets' | 'none' = 'secrets', fields: { model?: string } = {}) => {
    const local = await startTestServer()
    const { id, admin } = await createAccount(service)
    const { db } = openAccountScope((service.services as Services).platform, id, admin.id, () => {})
    const embeddings = openAi({
      key: secrets.openaiKey,
      baseUrl: `${local.origin}/openai`,
      model: embeddingModelName,
      ...fields,
    })
    const config = {
      AI_REDACTION: redaction,
      AI_PRICES: { ...defaultPrices, [embeddingModelName]: { input: 2, output: 0 } },
      AI_UNPAID_DAILY_BUDGET: 50,
    }
    const run = (texts: string[]) => embedTexts({ db, embeddings, config }, texts, 3000)
    const readLedger = () =>
      service.sql(
        'select prompt, model, outcome, input_tokens, output_tokens, cost_micros::integer as cost from ai_calls where account_id = $1',
        [id],
      )
    return { local, run, readLedger, id }
  }

  it('EMB-02 is in the ledger, with the price of its model', async () => {
    const { run, readLedger } = await open()
    await run(['a text of twenty-four c!'])
    expect(await readLedger()).toEqual([
      {
        prompt: 'embedding',
        model: embeddingModelName,
        outcome: 'answered',
        input_tokens: 6,
        output_tokens: 0,
        cost: 12,
      },
    ])
  })
  it('EMB-02 that fails is in the ledger without a cost', async () => {
    const { run, readLedger } = await open('secrets', { model: 'unknown' })
    await expect(run(['a'])).rejects.toMatchObject({ kind: 'unavailable' })
    expect(await readLedger()).toMatchObject([{ outcome: 'rejected', cost: 0 }])
  })
  it('EMB-02 is refused when the budget is used up', async () => {
    const { run, readLedger, id, local } = await open()
    await service.sql(
      `insert into plan_limits (plan, max_ai_cost_micros_per_month) values ('noai', 0) on conflict do nothing`,
    )
    await service.sql(
      `update accounts set plan = 'noai', subscription_status = 'active', trial_ends_at = null where id = $1`,
      [id],
    )
    await expect(run(['a'])).rejects.toMatchObject({ kind: 'ai_budget_exhausted' })
    expect(await readLedger()).toEqual([])
    expect(await local.read('/desk/ai')).toEqual([])
  })
  it('EMB-03 sends no secret', async () => {
    const { run, local } = await open()
    await run(['The admin password is hunter2-Falcon!'])
    const [call] = await local.read('/desk/ai')
    expect(JSON.stringify(call?.request)).toContain('admin')
    expect(JSON.stringify(call?.request)).not.toContain('hunter2')
  })
})
