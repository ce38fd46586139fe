// @module-tag mechanism
import { aroundEach, describe, expect, it } from 'vitest'
import { create, sendMessage } from '#functions/scripts/builder/service.ts'
import { defaultPrices } from '#rules/ai/prices.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { createStubScope } from '#test/support/stub-scope.ts'
import type { Completion } from '#vendors/ai/ai.ts'
import { noUsage } from '#vendors/ai/ai.ts'

aroundEach((runTest) => runWithin(createBudget(), runTest))

describe('a standalone session', () => {
  const input = { origin: 'standalone', language: 'bash' } as never
  const sqlError = (code: string) => Object.assign(new Error('refused'), { code })
  /** Start a session. Each insertion returns rows, or fails with an error. */
  async function start(insertions: (object[] | Error)[]) {
    const { db, findStatements } = createStubScope(({ sql }) => {
      if (!sql.includes('generate_series')) return [{ id: 's' }]
      const result = insertions.length > 1 ? insertions.shift() : insertions[0]
      if (result instanceof Error) throw result
      return result ?? []
    })
    const outcome = await create({ db } as never, input).then(
      (session) => (session as { id: string }).id,
      (error: { kind?: string; message: string }) => error.kind ?? error.message,
    )
    return [outcome, findStatements('generate_series').length]
  }
  it.each([
    ['takes the first free slot', [[{ id: 's' }]], 's', 1],
    [
      'tries again when another request takes the slot',
      [sqlError('23505'), sqlError('23505'), [{ id: 's' }]],
      's',
      3,
    ],
    ['needs a free slot', [[]], 'session_limit_reached', 1],
    ['needs a slot that stays free', [sqlError('23505'), []], 'session_limit_reached', 2],
    ['tries eleven times at most', [sqlError('23505')], 'session_limit_reached', 11],
    ['is not tried again after another failure', [sqlError('22001'), [{ id: 's' }]], 'refused', 1],
  ])('%s', async (_, insertions, outcome, attempts) =>
    expect(await start(insertions)).toEqual([outcome, attempts]),
  )
})

describe('a reply of the model', () => {
  const script = (body: string, names: string[] = []) => ({
    body,
    parameters: names.map((name) => ({ name, label: name, type: 'string', required: true, choices: null })),
  })
  /** Send a message to a session with `messages`. `answers` are what the model replies, one after another. */
  async function send(answers: object[], messageCount = 0) {
    const completions: Completion[] = []
    const { db, findStatements } = createStubScope(({ sql }) => {
      if (sql.includes('insert into script_builder_messages')) return [{ id: 'm' }]
      const messages = Array.from({ length: messageCount }, (_, n) => ({
        role: n % 2 ? 'assistant' : 'user',
        content: `m${n}`,
      }))
      return [
        {
          id: 's',
          language: 'bash',
          script_body: null,
          parameters_schema: null,
          messages,
          is_exhausted: false,
        },
      ]
    })
    const ai = {
      model: 'test',
      isConfigured: true,
      complete: async (completion: Completion) => {
        completions.push(completion)
        return { text: JSON.stringify(answers.shift()), usage: noUsage, requestId: null }
      },
    }
    const ctx = {
      db,
      ai,
      workId: 'w',
      config: { AI_REDACTION: 'none', AI_PRICES: defaultPrices, AI_UNPAID_DAILY_BUDGET: 50 },
    }
    const outcome = await sendMessage(ctx as never, 's', 'Write it').then(
      (reply) => reply.script ?? 'no script',
      (error: { kind: string }) => error.kind,
    )
    return {
      outcome,
      calls: completions.length,
      last: JSON.stringify(completions.at(-1)),
      stored: findStatements('updated_session').length,
    }
  }
  const valid = { reply: 'r', script: script('echo {{ name }}', ['name']) }
  const invalid = { reply: 'r', script: script('echo {{ name }}') }
  it.each([
    ['without a script is stored', [{ reply: 'r', script: null }], 'no script', 1, 1],
    ['with a valid script is stored', [valid], 'echo {{ name }}', 1, 1],
    ['with an invalid script is asked for once more', [invalid, valid], 'echo {{ name }}', 2, 1],
    ['with two invalid scripts is refused', [invalid, invalid, valid], 'ai_provider_error', 2, 0],
  ])('%s', async (_, answers, outcome, calls, stored) => {
    expect(await send(answers)).toMatchObject({ outcome, calls, stored })
  })
  it('is asked for with the problems of the first script', async () => {
    expect((await send([invalid, valid])).last).toContain('line 1: ')
  })
  it('is asked for with the 20 newest messages', async () => {
    const { last } = await send([valid], 30)
    const sent = Array.from({ length: 30 }, (_, n) => n).filter((n) => last.includes(`"m${n}"`))
    expect(sent).toEqual(Array.from({ length: 19 }, (_, n) => n + 11))
  })
})
