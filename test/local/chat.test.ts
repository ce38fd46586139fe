import { expect, test } from 'vitest'
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
