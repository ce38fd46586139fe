// @module-tag mechanism

import { describe, expect, it } from 'vitest'
import { deliverNow } from '#functions/notifications/deliveries/service.ts'
import { writeChatMessage, writeNotificationContent } from '#functions/notifications/messages/service.ts'
import { releaseParts } from '#rules/audience.ts'
import { createStubDatabase } from '#test/support/stub-database.ts'

const notification = {
  title: 'Ada escalated a session',
  body: 'The VPN is down',
  link: '/sessions/1',
  escalation: null,
  approval: null,
  review: null,
}
const claimed = {
  ...{
    id: 'd',
    channel: 'chat1_webhook',
    recipient: null,
    attempts: 1,
    max_attempts: 4,
    event_key: 'session.escalated',
    happened: [] as string[],
    may_receive: true,
    user_id: null,
    alerted_at: null as string | null,
  },
  ...{ webhook_url: 'https://chat.example', ...notification },
}
const config = { FRONTEND_URL: 'https://app.example', PUBLIC_BASE_URL: 'https://api.example' }

interface Scene {
  row?: Partial<typeof claimed>
  result?: object
  refusal?: string
  isRecorded?: boolean
}
/**
 * Make the first attempt at a message to a chat tool. Return its result, what was sent and what was enqueued.
 */
async function attempt({ row = {}, result = { ok: true, status: 200 }, refusal, isRecorded = true }: Scene) {
  const { db, outbox } = createStubDatabase((sql) => {
    if (sql.includes('with claimed')) return [{ ...claimed, ...row }]
    return isRecorded ? [{ id: 'd' }] : []
  })
  const sent: unknown[][] = []
  const outcome = await deliverNow(
    {
      platform: db,
      config,
      guard: { findRefusal: async () => refusal ?? null },
      acknowledgementTokens: { sign: async (id: string, at: Date) => `${id}-${at.getTime()}` },
      chat: { send: async (...call: unknown[]) => sent.push(call) && result },
    } as never,
    'd',
  )
  return { outcome, sent, outbox }
}
const message = { title: notification.title, body: notification.body, url: 'https://app.example/sessions/1' }
const failed = { ok: false, status: 500, error: 'e' }

describe('a message to a chat tool', () => {
  it.each([
    ['chat1_webhook', 1],
    ['chat2_webhook', 2],
  ])('of the channel %s is sent as the tool %i reads it', async (channel, tool) => {
    expect(await attempt({ row: { channel } })).toEqual({
      outcome: { ok: true, status: 200 },
      sent: [[tool, 'https://chat.example', message]],
      outbox: [],
    })
  })
  it('is not sent to an address that is refused, and is tried again', async () => {
    expect(await attempt({ refusal: 'must be public' })).toEqual({
      outcome: { ok: false, status: null, error: 'The webhook address must be public' },
      sent: [],
      outbox: [{ kind: 'delivery', id: 'd', attempt: 2, delaySeconds: 30 }],
    })
  })
  it('is not sent when somebody has taken the escalation since', async () => {
    expect(await attempt({ row: { happened: ['taken'] } })).toEqual({
      outcome: { ok: false, status: null, error: 'Somebody has taken the escalation since', gone: true },
      sent: [],
      outbox: [],
    })
  })
  it.each<[string, Scene, number | null]>([
    ['the first failure', { result: failed }, 30],
    ['the second failure', { result: failed, row: { attempts: 2 } }, 120],
    ['the last failure', { result: failed, row: { attempts: 4 } }, null],
    ['a final failure', { result: { ...failed, gone: true } }, null],
    ['a failure that a later attempt has replaced', { result: failed, isRecorded: false }, null],
  ])('after %s is repeated as planned', async (_, scene, delaySeconds) => {
    const next = { kind: 'delivery', id: 'd', attempt: (scene.row?.attempts ?? 1) + 1, delaySeconds }
    expect((await attempt(scene)).outbox).toEqual(delaySeconds === null ? [] : [next])
  })
  it('of a reminder has a button to acknowledge it', async () => {
    const { sent } = await attempt({ row: { alerted_at: '2026-01-01T00:00:00.000Z' } })
    const secondButton = {
      label: 'Acknowledge',
      url: 'https://api.example/api/v1/acknowledge/d-1767225600000',
    }
    expect(sent).toEqual([[1, 'https://chat.example', { ...message, secondButton }]])
  })
})

describe('the message of a notification', () => {
  const write = (changes: object) =>
    writeChatMessage({ config }, releaseParts({ ...notification, ...changes }))

  it.each([
    [{}, message],
    [{ body: 'Ada  escalated\na session' }, { ...message, body: '' }],
    [{ link: null }, { ...message, url: 'https://app.example/settings/notifications' }],
    [
      { title: null, body: null, link: null },
      {
        title: 'Test message',
        body: 'This channel is set up. Notifications that you switched on will arrive here.',
        url: 'https://app.example/settings/notifications',
      },
    ],
  ])('with %j is %j', (changes, expected) => expect(write(changes)).toEqual(expected))

  const texts = {
    client_name: null,
    psa_ticket_id: null,
    reason: '',
    summary: '',
    what_was_tried: '',
    next_steps: '',
  }
  it.each([
    ['critical', true],
    ['high', true],
    ['medium', false],
    ['low', false],
  ])('of an escalation of the urgency %s is urgent: %s', (urgency, isUrgent) => {
    expect(write({ escalation: { handoff_id: 'h', urgency, ...texts } })).toEqual({
      ...message,
      body: '',
      facts: [{ label: 'Urgency', text: urgency.charAt(0).toUpperCase() + urgency.slice(1) }],
      sections: [{ label: 'Problem', text: notification.body }],
      button: { label: 'Pick up the session', isUrgent },
    })
  })
})

describe('the e-mail of a notification', () => {
  const empty = { subject: 't', paragraphs: [], facts: [], sections: [], isUrgent: false }
  const secondButton = { label: 'Acknowledge', url: 'https://api.example/a' }

  it.each([
    [
      { title: 't', body: '', url: null },
      { ...empty, link: { label: 'Open in Support Flow', url: '' } },
    ],
    [
      { title: 't', body: 'b', url: 'u' },
      { ...empty, paragraphs: ['b'], link: { label: 'Open in Support Flow', url: 'u' } },
    ],
    [
      { title: 't', body: '', url: 'u', button: { label: 'Pick up', isUrgent: true }, secondButton },
      { ...empty, isUrgent: true, link: { label: 'Pick up', url: 'u' }, secondLink: secondButton },
    ],
    [
      { title: 't', body: '', url: 'u', button: { label: 'Pick up', isUrgent: false } },
      { ...empty, link: { label: 'Pick up', url: 'u' } },
    ],
  ])('of %j is %j', (chatMessage, expected) =>
    expect(writeNotificationContent(releaseParts(chatMessage))).toEqual(expected),
  )
})
