// @module-tag mechanism
import { expect, it } from 'vitest'
import { openPlatformDb } from '#db/scope.ts'
import { writeMails, writeMessage } from '#functions/notifications/messages/service.ts'
import { sharedService } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import type { Ports } from '#vendors/ports.ts'
import type { ClaimedDelivery } from '#work/claimed-deliveries.ts'

const service = await sharedService()
const platform = openPlatformDb(openTestDatabase(service.settings.DATABASE_PLATFORM_URL), 'test', () => {})
const ctx = { ...(service.services?.ports as Ports), platform }

/** A delivery whose subject was deleted after it was created. */
const delivery = {
  id: crypto.randomUUID(),
  account_id: crypto.randomUUID(),
  account_name: 'Contoso',
  recipient: 'ann@contoso.example',
  sales_lead_id: crypto.randomUUID(),
  feedback_id: crypto.randomUUID(),
  invite_id: crypto.randomUUID(),
  report_id: crypto.randomUUID(),
  webhook: null,
  event_key: 'session.escalated',
  happened: [],
  may_receive: true,
  deletes_at: null,
}

it.each([
  ['a lead that was deleted', { purpose: 'sales_lead' }, 'The feedback or sales lead no longer exists'],
  ['feedback that was deleted', { purpose: 'feedback' }, 'The feedback or sales lead no longer exists'],
  [
    'the receipt of feedback that was deleted',
    { purpose: 'feedback_receipt' },
    'The feedback no longer exists',
  ],
  ['an invite that is no longer open', { purpose: 'invite' }, 'The invite is no longer open'],
  [
    'a webhook that was deleted',
    { purpose: 'webhook_disabled' },
    'The webhook no longer exists or is on again',
  ],
  [
    'a webhook that is on again',
    { purpose: 'webhook_disabled', webhook: { reason: null } },
    'The webhook no longer exists or is on again',
  ],
  ['a digest whose events were deleted', { purpose: 'digest' }, 'The events of the digest no longer exist'],
  ['a report that was deleted', { purpose: 'weekly_report' }, 'The report no longer exists'],
  [
    'a deletion that was cancelled',
    { purpose: 'account_deletion_requested' },
    'Another admin has decided otherwise',
  ],
  [
    'a cancelled deletion that was requested again',
    { purpose: 'account_deletion_cancelled', deletes_at: '2026-01-01T00:00:00Z' },
    'Another admin has decided otherwise',
  ],
  [
    'an escalation that somebody has taken',
    { purpose: null, happened: ['taken'] },
    'Somebody has taken the escalation since',
  ],
  [
    'an event whose recipient has left',
    { purpose: null, may_receive: false },
    'The recipient has left or can no longer work',
  ],
])('writes no e-mail about %s, and fails its delivery without a retry', async (_, fields, error) => {
  const written = await writeMails(ctx, { ...delivery, ...fields } as unknown as ClaimedDelivery)
  expect(written).toEqual({ refusal: { ok: false, status: null, error, gone: true } })
})

const remindedAt = '2026-01-01T00:00:00Z'

it.each([
  [
    'adds a link to acknowledge to an e-mail to a user',
    { channel: 'email', recipient: 'ann@contoso.example', alerted_at: remindedAt },
    true,
  ],
  [
    'adds a link to acknowledge to a chat message',
    { channel: 'chat1_webhook', recipient: null, alerted_at: remindedAt },
    true,
  ],
  [
    'adds none to an e-mail to the addresses of a config',
    { channel: 'email', recipient: null, alerted_at: remindedAt },
    false,
  ],
  [
    'adds none to an e-mail that is no alert',
    { channel: 'email', recipient: 'ann@contoso.example', alerted_at: null },
    false,
  ],
  [
    'adds none to a chat message that is no alert',
    { channel: 'chat1_webhook', recipient: null, alerted_at: null },
    false,
  ],
])('%s', async (_, fields, hasLink) => {
  const message = await writeMessage(ctx, {
    ...delivery,
    ...fields,
    title: 'VPN is down',
    body: '',
    link: '/',
    escalation: null,
  } as never)
  expect(message.secondButton).toEqual(
    hasLink
      ? { label: 'Acknowledge', url: expect.stringMatching(/\/api\/v1\/acknowledge\/.{20,}/) }
      : undefined,
  )
})
