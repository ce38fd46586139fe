import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { releaseParts } from '#rules/audience.ts'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { chatWebhooks } from '#vendors/chat/webhooks.ts'

const vendor = await startVendorServer()
afterAll(vendor.close)
beforeEach(() => {
  vendor.requests.length = 0
})
const gone = 'http://127.0.0.1:1'

describe('a message to a chat tool', () => {
  const chat = chatWebhooks()
  const message = releaseParts({ title: 'Title', body: 'Body', url: null })
  const refused = 'The chat tool did not accept the message'
  it.each([
    [1, 200, 'ok', { ok: true, status: 200 }],
    [1, 200, ' ok\n', { ok: true, status: 200 }],
    [1, 200, 'invalid_blocks', { ok: false, status: 200, error: `${refused}: invalid_blocks`, gone: false }],
    [1, 202, 'ok', { ok: false, status: 202, error: `${refused}: ok`, gone: false }],
    [2, 202, '', { ok: true, status: 202 }],
    [2, 200, '1', { ok: true, status: 200 }],
    [
      2,
      200,
      'Webhook message delivery failed: it returned HTTP error 429',
      {
        ok: false,
        status: 200,
        error: `${refused}: Webhook message delivery failed: it returned HTTP error 429`,
        isPostponed: true,
        retryAfterSeconds: 60,
      },
    ],
    [2, 302, '', { ok: false, status: 302, error: 'The chat tool returned 302', gone: false }],
    [2, 400, '', { ok: false, status: 400, error: 'The chat tool returned 400', gone: false }],
    [
      1,
      404,
      'no_service',
      {
        ok: false,
        status: 404,
        error: 'The chat tool returned 404: no_service',
        gone: true,
        isRemoved: true,
      },
    ],
    [
      2,
      410,
      '',
      { ok: false, status: 410, error: 'The chat tool returned 410', gone: true, isRemoved: true },
    ],
    [
      1,
      403,
      'no_active_hooks',
      {
        ok: false,
        status: 403,
        error: 'The chat tool returned 403: no_active_hooks',
        gone: true,
        isRemoved: true,
      },
    ],
    [
      1,
      403,
      'action_prohibited',
      { ok: false, status: 403, error: 'The chat tool returned 403: action_prohibited', gone: false },
    ],
    [
      2,
      400,
      '{"error":{"code":"WorkflowTriggerIsNotEnabled"}}',
      { ok: false, status: 400, error: 'The chat tool returned 400', gone: true, isRemoved: true },
    ],
    [2, 200, '"WorkflowNotFound"', { ok: true, status: 200 }],
    [1, 503, 'ok', { ok: false, status: 503, error: 'The chat tool returned 503: ok', gone: false }],
  ] as const)(
    'of type %i that is answered with %i %j has the right result',
    async (tool, status, body, result) => {
      vendor.answer = () => ({ status, body })
      expect(await chat.send(tool, vendor.origin, message)).toEqual(result)
    },
  )
  it.each([
    [429, '7', { isPostponed: true, retryAfterSeconds: 7 }],
    [429, 'soon', { isPostponed: true, retryAfterSeconds: 60 }],
    [503, '7', { gone: false }],
  ])('waits after %i as long as the tool asks: %s', async (status, retryAfter, pause) => {
    vendor.answer = () => ({ status, headers: { 'retry-after': retryAfter } })
    expect(await chat.send(1, vendor.origin, message)).toEqual({
      ...{ ok: false, status, error: `The chat tool returned ${status}` },
      ...pause,
    })
  })
  it.each([
    [1, 'blocks'],
    [2, 'attachments'],
  ] as const)('of type %i is JSON in the form of the tool', async (tool, key) => {
    vendor.answer = () => ({ body: 'ok' })
    await chat.send(tool, `${vendor.origin}/hook`, message)
    const [{ method = '', path = '', headers = {}, body = '' } = {}] = vendor.requests
    expect([method, path, headers['content-type']]).toEqual(['POST', '/hook', 'application/json'])
    expect(JSON.parse(body)).toHaveProperty(key)
  })
  it('fails without a connection', async () => {
    expect(await chat.send(1, gone, message)).toEqual({
      ok: false,
      status: null,
      error: 'The connection failed',
    })
  })
})

describe('NOT-90 a webhook that does not exist any more', () => {
  const words: Record<1 | 2, string[]> = {
    1: ['no_service', 'no_team', 'channel_not_found', 'channel_is_archived', 'is_archived', 'token_revoked'],
    2: ['WorkflowTriggerIsNotEnabled', 'WorkflowNotFound', 'DirectApiAuthorizationRequired'],
  }
  const toBodies = (word: string): Record<string, unknown> => ({
    'a text': `${word}\n`,
    'the error of JSON': { ok: false, error: word },
    'the code of an error': { error: { code: word, message: 'It is gone.' } },
    'a code': { code: word, message: 'It is gone.' },
  })
  it.each(
    ([1, 2] as const).flatMap((tool) =>
      words[tool].flatMap((word) =>
        Object.entries(toBodies(word)).flatMap(([name, body]) =>
          // Teams answers an accepted message with a text too.
          (tool === 1 ? [200, 400, 403] : [400, 401, 403]).map(
            (status) => [tool, word, name, status, body] as const,
          ),
        ),
      ),
    ),
  )('of type %i is known by %s as %s with %i', async (tool, _, __, status, body) => {
    vendor.answer = () => ({ status, body })
    const message = releaseParts({ title: 'Title', body: 'Body', url: null })
    expect(await chatWebhooks().send(tool, vendor.origin, message)).toMatchObject({
      ok: false,
      isRemoved: true,
    })
  })
})
