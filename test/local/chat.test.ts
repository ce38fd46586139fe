import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { expectStatus } from '#test/support/expect-status.ts'
import { startTestServer } from './test-server.ts'

const plainText = (text: string) => ({ type: 'plain_text', text })
const header = (length: number) => ({ type: 'header', text: plainText('h'.repeat(length)) })
const section = (length: number) => ({ type: 'section', text: { type: 'mrkdwn', text: 's'.repeat(length) } })
const actions = (button: object) => ({
  type: 'actions',
  elements: [{ type: 'button', text: plainText('Open'), ...button }],
})
const card = (attachmentFields: object = {}, contentFields: object = {}) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        type: 'AdaptiveCard',
        version: '1.4',
        body: [{ type: 'TextBlock', text: 'Hi' }],
        ...contentFields,
      },
      ...attachmentFields,
    },
  ],
})

test.each([
  ['a text', { text: 'hello' }, 200, 'ok'],
  [
    'blocks at their limits',
    { text: 't', blocks: [header(150), section(3000), actions({ url: 'https://example.com' })] },
    200,
    'ok',
  ],
  ['a body that is not JSON', 'hello', 400, 'invalid_payload'],
  ['an array', [], 400, 'invalid_payload'],
  ['neither text nor blocks', {}, 400, 'no_text'],
  ['51 blocks', { text: 't', blocks: Array(51).fill({ type: 'divider' }) }, 400, 'invalid_blocks'],
  ['a header of 151 characters', { text: 't', blocks: [header(151)] }, 400, 'invalid_blocks'],
  ['an empty header', { text: 't', blocks: [header(0)] }, 400, 'invalid_blocks'],
  ['a section of 3,001 characters', { text: 't', blocks: [section(3001)] }, 400, 'invalid_blocks'],
  [
    '11 fields',
    { text: 't', blocks: [{ type: 'section', fields: Array(11).fill(plainText('f')) }] },
    400,
    'invalid_blocks',
  ],
  [
    'a context without elements',
    { text: 't', blocks: [{ type: 'context', elements: [] }] },
    400,
    'invalid_blocks',
  ],
  [
    'a button text of 76 characters',
    { text: 't', blocks: [actions({ text: plainText('b'.repeat(76)) })] },
    400,
    'invalid_blocks',
  ],
  [
    'a button with an invalid URL',
    { text: 't', blocks: [actions({ url: 'no url' })] },
    400,
    'invalid_blocks',
  ],
  ['an unknown block', { text: 't', blocks: [{ type: 'toString' }] }, 400, 'invalid_blocks'],
  [
    'blocks with 15,000 characters',
    { text: 't', blocks: Array(5).fill(section(3000)) },
    400,
    'msg_blocks_too_long',
  ],
])(
  'the local Slack emulator responds to %s like Slack, and records the request',
  async (_, body, status, text) => {
    const { call, read } = await startTestServer()
    const response = await call('POST', '/chat/1/T0/B0/x', body)
    expect([response.status, await response.text()]).toEqual([status, text])
    expect(await read('/desk/chat')).toMatchObject([
      { tool: 1, path: '/chat/1/T0/B0/x', body, accepted: status === 200 },
    ])
  },
)

test.each([
  ['an adaptive card', card(), 202],
  ['a message without attachments', { type: 'message', text: 'hello' }, 400],
  ['an empty list of attachments', { attachments: [] }, 400],
  ['another content type', card({ contentType: 'application/json' }), 400],
  ['another type of card', card({}, { type: 'HeroCard' }), 400],
  ['a body that is not JSON', 'hello', 400],
  ['a card over 28 KB', card({}, { body: [{ type: 'TextBlock', text: 'x'.repeat(28 * 1024) }] }), 413],
])(
  'the local Teams emulator responds to %s like a Teams workflow, and records the request',
  async (_, body, status) => {
    const { call, read } = await startTestServer()
    const response = await call('POST', '/chat/2/flow?sig=secret', body)
    expectStatus(response, status)
    if (status === 202) expect(await response.text()).toBe('')
    expect(await read('/desk/chat')).toMatchObject([
      { tool: 2, path: '/chat/2/flow', accepted: status === 202 },
    ])
  },
)

test.each([
  ['/chat/1/x/gone', 410, 'channel_is_archived'],
  ['/chat/1/x/missing', 404, 'no_service'],
  ['/chat/2/x/gone', 410, 'WorkflowGone'],
  ['/chat/2/x/missing', 404, 'WorkflowNotFound'],
])('the emulator responds to %s with %i like a webhook that does not exist', async (path, status, text) => {
  const { call, read } = await startTestServer()
  const response = await call('POST', path, path.startsWith('/chat/1') ? { text: 'hello' } : card())
  expectStatus(response, status)
  expect(await response.text()).toContain(text)
  expect(await read('/desk/chat')).toMatchObject([{ path, accepted: false }])
})

test('DSK-05 the local Slack presses a button as a signed user, also badly, shows the replaced message, and ends the address of the answers', async () => {
  const { call, read, origin } = await startTestServer()
  const pressed: { signature: string; timestamp: string; body: string }[] = []
  const receiver = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const read = (name: string) => String(incoming.headers[name])
      pressed.push({
        signature: read('x-slack-signature'),
        timestamp: read('x-slack-request-timestamp'),
        body: Buffer.concat(chunks).toString(),
      })
      outgoing.end('{"result":"done"}')
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void receiver.close())
  const { port } = receiver.address() as AddressInfo
  const claim = { action_id: 'claim', value: 'd-1', style: 'danger' }
  await call('POST', '/chat/1/x', { text: 't', blocks: [header(5), actions(claim)] })
  const [message] = await read('/desk/chat')
  const input = { url: `http://127.0.0.1:${port}/`, secret: 's', user: 'dana', action: 'claim' }
  const press = (fields: object = {}) =>
    call('POST', `/desk/chat/${message?.id}/press`, { ...input, ...fields })
  expect(await (await press()).json()).toEqual([{ status: 200, body: { result: 'done' } }])
  const sign = (key: string, { timestamp, body }: { timestamp: string; body: string }) =>
    `v0=${createHmac('sha256', key).update(`v0:${timestamp}:${body}`).digest('hex')}`
  const [first] = pressed
  if (!first) throw new Error('Nothing was sent')
  expect(first.signature).toBe(sign('s', first))
  const payload = JSON.parse(new URLSearchParams(first.body).get('payload') ?? '')
  expect(payload).toMatchObject({
    type: 'block_actions',
    user: { id: 'U-dana', username: 'dana', team_id: 'T-northwind' },
    team: { id: 'T-northwind', domain: 'northwind' },
    actions: [{ action_id: 'claim', value: 'd-1', type: 'button' }],
  })
  // Two equal ones, one with a wrong signature, one that is six minutes old.
  await press({ mode: 'twice' })
  await press({ mode: 'forged' })
  await press({ mode: 'late' })
  const [, second, third, forged, late] = pressed as [unknown, ...(typeof first)[]]
  expect(second?.body).toBe(third?.body)
  expect(forged?.signature).not.toBe(sign('s', forged as typeof first))
  expect(Date.now() / 1000 - Number(late?.timestamp)).toBeGreaterThan(300)
  // The answers: what only the presser sees, a new message, and no sixth one.
  const path = new URL(payload.response_url).pathname
  const notice = { response_type: 'ephemeral', replace_original: false, text: 'You may not' }
  expectStatus(await call('POST', path, notice), 200)
  expect((await read('/desk/chat')).find(({ id }) => id === message?.id)?.body).toMatchObject({ text: 't' })
  const taken = { replace_original: true, text: 'Taken by Dana' }
  expectStatus(await call('POST', path, taken), 200)
  expect((await read('/desk/chat')).find(({ id }) => id === message?.id)?.body).toEqual(taken)
  for (const status of [200, 200, 200, 404]) expectStatus(await call('POST', path, notice), status)
  // A press of what has no such button, and one whose address has ended.
  expectStatus(await press({ action: 'open' }), 404)
  expectStatus(await press({ user: '' }), 422)
  await call('POST', '/chat/1/y', { text: 't', blocks: [actions(claim)] })
  const other = (await read('/desk/chat')).find(({ path }) => path === '/chat/1/y')
  await call('POST', `/desk/chat/${other?.id}/press`, { ...input, mode: 'expired' })
  const ended = JSON.parse(new URLSearchParams(pressed.at(-1)?.body).get('payload') ?? '')
  const refused = await call('POST', new URL(ended.response_url).pathname, notice)
  expect([refused.status, await refused.json()]).toEqual([404, { ok: false, error: 'expired_url' }])
  expect(ended.response_url.startsWith(origin)).toBe(true)
})
