import { expect, it } from 'vitest'
import { toMessage } from '#work/messages.ts'

it.each([
  [
    { kind: 'push', id: 'p', attempt: 2 },
    { path: '/jobs/psa/push', body: { push_id: 'p', attempt: 2 }, delaySeconds: 0, deduplicationId: 'p-2' },
  ],
  [
    { kind: 'delivery', id: 'd', attempt: 1, delaySeconds: 30 },
    { body: { delivery_id: 'd', attempt: 1 }, delaySeconds: 30, deduplicationId: 'd-1' },
  ],
  [
    { kind: 'delivery', id: 'd', attempt: 1, isPostponed: true },
    { path: '/jobs/notifications/deliver', delaySeconds: 0 },
  ],
] as const)('the message of %j is %j', (entry, message) => {
  expect(toMessage(entry)).toMatchObject(message)
  expect('deduplicationId' in toMessage(entry)).toBe(!('isPostponed' in entry))
})
