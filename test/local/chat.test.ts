import { expect, test } from 'vitest'
import { expectStatus } from '../support/answers.ts'
import { stand } from './stand.ts'

const plain = (text: string) => ({ type: 'plain_text', text })
const header = (length: number) => ({ type: 'header', text: plain('h'.repeat(length)) })
const section = (length: number) => ({ type: 'section', text: { type: 'mrkdwn', text: 's'.repeat(length) } })
const actions = (button: object) => ({ type: 'actions', elements: [{ type: 'button', text: plain('Open'), ...button }] })
const card = (change: object = {}, content: object = {}) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: { type: 'AdaptiveCard', version: '1.4', body: [{ type: 'TextBlock', text: 'Hi' }], ...content },
      ...change,
    },
  ],
})

test.each([
  ['a text', { text: 'hello' }, 200, 'ok'],
  ['blocks at their limits', { text: 't', blocks: [header(150), section(3000), actions({ url: 'https://example.com' })] }, 200, 'ok'],
  ['no JSON', 'hello', 400, 'invalid_payload'],
  ['an array', [], 400, 'invalid_payload'],
  ['neither text nor blocks', {}, 400, 'no_text'],
  ['51 blocks', { text: 't', blocks: Array(51).fill({ type: 'divider' }) }, 400, 'invalid_blocks'],
  ['a header of 151', { text: 't', blocks: [header(151)] }, 400, 'invalid_blocks'],
  ['an empty header', { text: 't', blocks: [header(0)] }, 400, 'invalid_blocks'],
  ['a section of 3,001', { text: 't', blocks: [section(3001)] }, 400, 'invalid_blocks'],
  ['11 fields', { text: 't', blocks: [{ type: 'section', fields: Array(11).fill(plain('f')) }] }, 400, 'invalid_blocks'],
  ['a context without elements', { text: 't', blocks: [{ type: 'context', elements: [] }] }, 400, 'invalid_blocks'],
  ['a button text of 76', { text: 't', blocks: [actions({ text: plain('b'.repeat(76)) })] }, 400, 'invalid_blocks'],
  ['a button to nowhere', { text: 't', blocks: [actions({ url: 'no url' })] }, 400, 'invalid_blocks'],
  ['an unknown block', { text: 't', blocks: [{ type: 'toString' }] }, 400, 'invalid_blocks'],
  ['15,000 characters', { text: 't', blocks: Array(5).fill(section(3000)) }, 400, 'msg_blocks_too_long'],
])('chat tool 1 answers %s like Slack and records it', async (_, body, status, text) => {
  const { call, read } = await stand()
  const answer = await call('POST', '/chat/1/T0/B0/x', body)
  expect([answer.status, await answer.text()]).toEqual([status, text])
  expect(await read('/desk/chat')).toMatchObject([{ tool: 1, path: '/chat/1/T0/B0/x', body, accepted: status === 200 }])
})

test.each([
  ['an adaptive card', card(), 202],
  ['no attachments', { type: 'message', text: 'hello' }, 400],
  ['an empty list of attachments', { attachments: [] }, 400],
  ['another content type', card({ contentType: 'application/json' }), 400],
  ['another type of card', card({}, { type: 'HeroCard' }), 400],
  ['no JSON', 'hello', 400],
  ['a card over 28 KB', card({}, { body: [{ type: 'TextBlock', text: 'x'.repeat(28 * 1024) }] }), 413],
])('chat tool 2 answers %s like a Teams workflow and records it', async (_, body, status) => {
  const { call, read } = await stand()
  const answer = await call('POST', '/chat/2/flow?sig=secret', body)
  expectStatus(answer, status)
  if (status === 202) expect(await answer.text()).toBe('')
  expect(await read('/desk/chat')).toMatchObject([{ tool: 2, path: '/chat/2/flow', accepted: status === 202 }])
})

test.each([
  ['/chat/1/x/gone', 410, 'channel_is_archived'],
  ['/chat/1/x/missing', 404, 'no_service'],
  ['/chat/2/x/gone', 410, 'WorkflowGone'],
  ['/chat/2/x/missing', 404, 'WorkflowNotFound'],
])('%s is a webhook that is no more', async (path, status, text) => {
  const { call, read } = await stand()
  const answer = await call('POST', path, path.startsWith('/chat/1') ? { text: 'hello' } : card())
  expectStatus(answer, status)
  expect(await answer.text()).toContain(text)
  expect(await read('/desk/chat')).toMatchObject([{ path, accepted: false }])
})
