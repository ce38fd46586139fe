import { eventKeyList, eventKeys } from './keys.ts'

/**
 * Every event that a webhook can receive, with its description. A test message has the type `webhook.test`.
 */
export const webhookEvents = {
  'audit.recorded': 'Entries were added to the audit log of the account',
  'flow.published': 'A flow was published, or a published flow has a new version',
  'schedule.run': 'A maintenance schedule ran, or its run failed',
  'session.completed': 'A session was completed or an AI session was resolved',
  ...eventKeys,
} as const

export type WebhookEvent = keyof typeof webhookEvents
export const webhookEventList = [
  'audit.recorded',
  'flow.published',
  'schedule.run',
  'session.completed',
  ...eventKeyList,
] as const satisfies WebhookEvent[]
