// @module-tag mechanism
import { describe, expect, it } from 'vitest'
import { deliverNow } from '#functions/webhooks/attempts/service.ts'
import { createStubDatabase } from '#test/support/stub-database.ts'
import type { WebhookResult } from '#vendors/webhooks/webhooks.ts'

const claimed = {
  ...{
    id: 'd',
    account_id: 'a',
    webhook_id: 'w',
    message_id: 'm',
    type: 'session.completed',
    payload: '{}',
    url: 'https://hooks.example',
  },
  ...{
    attempts: 1,
    max_attempts: 10,
    earlier_attempts: 0,
    secret: 'sealed',
    previous_secret: null as string | null,
  },
}
const delivered: WebhookResult = {
  ok: true,
  status: 200,
  error: null,
  isGone: false,
  retryAfterSeconds: undefined,
  body: 'ok',
  durationMs: 3,
}
const failed: WebhookResult = { ...delivered, ok: false, status: 500, error: 'The receiver returned 500' }
const gone: WebhookResult = { ...failed, status: 410, isGone: true }

interface Scene {
  row?: Partial<typeof claimed> | null
  recorded?: object
  result?: WebhookResult
  refusal?: string
  isSealed?: boolean
}
/**
 * Make the first attempt at a delivery. Return its result, what was sent and enqueued, and why the webhook
 * was switched off.
 */
async function attempt({ row = {}, recorded = {}, result = delivered, refusal, isSealed = true }: Scene) {
  const { db, outbox, findStatements, statements } = createStubDatabase((sql) => {
    if (sql.includes('with claimed')) return row ? [{ ...claimed, ...row }] : []
    if (sql.includes('app.disable_webhook')) return [{ delivery_ids: ['mail'] }]
    return [{ is_recorded: true, is_over: false, next: [], ...recorded }]
  })
  const sent: unknown[] = []
  const outcome = await deliverNow(
    {
      platform: db,
      guard: { findRefusal: async () => refusal ?? null },
      vault: {
        open: async (text: string) => (isSealed ? `open ${text}` : Promise.reject(new Error('another key'))),
      },
      webhooks: { send: async (url: string, message: object) => sent.push({ url, ...message }) && result },
    } as never,
    'd',
  )
  const reason = findStatements('app.disable_webhook').flat().at(-1)
  return {
    outcome,
    sent,
    outbox: outbox as { kind: string; delaySeconds?: number }[],
    reason,
    count: statements.length,
  }
}

it('sends the message with every secret that is valid', async () => {
  const message = { url: claimed.url, id: 'm', payload: '{}' }
  expect((await attempt({})).sent).toEqual([{ ...message, secrets: ['open sealed'] }])
  expect((await attempt({ row: { previous_secret: 'old' } })).sent).toEqual([
    { ...message, secrets: ['open sealed', 'open old'] },
  ])
})

it('makes no attempt that another worker has claimed', async () => {
  expect(await attempt({ row: null })).toEqual({
    outcome: undefined,
    sent: [],
    outbox: [],
    reason: undefined,
    count: 1,
  })
})

it.each([
  ['to an address that is refused', { refusal: 'must be public' }, 'The webhook address must be public'],
  [
    'with a secret that cannot be decrypted',
    { isSealed: false },
    'The signing secret cannot be decrypted; rotate it',
  ],
])('sends nothing %s, and tries again later', async (_, scene, error) => {
  const { outcome, sent, outbox } = await attempt(scene)
  expect([outcome, sent]).toEqual([
    {
      ok: false,
      status: null,
      error,
      isGone: false,
      retryAfterSeconds: undefined,
      body: null,
      durationMs: 0,
    },
    [],
  ])
  expect(outbox).toMatchObject([{ kind: 'webhook', id: 'd', attempt: 2 }])
})

describe('the next attempt', () => {
  it.each([
    [1, 0, 5],
    [2, 0, 300],
    [3, 0, 1800],
    [4, 0, 7200],
    [5, 0, 18_000],
    [6, 0, 36_000],
    [7, 0, 50_400],
    [8, 0, 72_000],
    [9, 0, 86_400],
    [12, 10, 300],
  ])(
    'after attempt %i, of which %i were before a replay, follows %i s later or up to 10 %% more',
    async (attempts, earlier, seconds) => {
      const row = { attempts, earlier_attempts: earlier, max_attempts: 10 + earlier }
      const { outbox } = await attempt({ row, result: failed })
      expect(outbox).toMatchObject([{ kind: 'webhook', id: 'd', attempt: attempts + 1 }])
      expect(outbox[0]?.delaySeconds).toBeGreaterThanOrEqual(seconds)
      expect(outbox[0]?.delaySeconds).toBeLessThanOrEqual(Math.ceil(seconds * 1.1))
    },
  )
  it('waits as long as the receiver asks for', async () => {
    const { outbox } = await attempt({ result: { ...failed, retryAfterSeconds: 1000 } })
    expect(outbox[0]?.delaySeconds).toBeGreaterThanOrEqual(1000)
  })
  it.each([
    ['a delivery', { result: delivered }],
    ['the last attempt', { result: failed, row: { attempts: 10 } }],
    [
      'the last attempt of a replay',
      { result: failed, row: { attempts: 20, earlier_attempts: 10, max_attempts: 20 } },
    ],
    ['the answer 410', { result: gone }],
    [
      'a result that a later attempt has replaced',
      { result: failed, recorded: { is_recorded: false, next: [{ id: 'e', attempts: 0 }] } },
    ],
  ])('does not follow %s', async (_, scene) => {
    expect((await attempt(scene)).outbox).toEqual([])
  })
})

it('enqueues the deliveries that waited for this one', async () => {
  const next = [
    { id: 'e', attempts: 0 },
    { id: 'f', attempts: 2 },
  ]
  expect((await attempt({ recorded: { next } })).outbox).toEqual([
    { kind: 'webhook', id: 'e', attempt: 1, isPostponed: true },
    { kind: 'webhook', id: 'f', attempt: 3, isPostponed: true },
  ])
})

it.each([
  [gone, 'gone'],
  [failed, 'failing'],
])(
  'switches a webhook off that is over, mails its admins and tries no more: %j',
  async (result, expected) => {
    const { reason, outbox } = await attempt({
      result,
      recorded: { is_over: true, next: [{ id: 'e', attempts: 0 }] },
    })
    expect([reason, outbox]).toEqual([expected, [{ kind: 'delivery', id: 'mail', attempt: 1 }]])
  },
)
