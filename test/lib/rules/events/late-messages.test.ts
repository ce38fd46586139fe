import { expect, it } from 'vitest'
import { eventKeyList } from '#rules/events/keys.ts'
import { judgeLateMessage, reasonsToLeaveOut } from '#rules/events/late-messages.ts'

it.each(eventKeyList)(
  'NOT-88 a message of %s is left out when its recipient has read it in the app',
  (key) => {
    expect(judgeLateMessage(key, ['read', 'taken'])).toEqual({ leftOut: 'It was read in the app' })
    expect(reasonsToLeaveOut[key]).toHaveProperty('read')
  },
)

it.each([
  ['session.escalated', ['taken', 'closed'], { leftOut: 'Somebody has taken the escalation since' }],
  ['approval.requested', ['decided'], { leftOut: 'The request was decided or has ended since' }],
  ['proposal.submitted', ['decided'], { leftOut: 'The request was decided or has ended since' }],
  ['session.timer_due', ['closed'], { leftOut: 'The session has ended since' }],
  ['handoff.claimed', ['closed'], { notice: 'The session has ended since.' }],
  ['handoff.claimed', ['taken'], null],
  ['member.joined', [], null],
  [null, ['taken'], null],
] as const)('NOT-88 NOT-89 a message of %s after %j is judged as %j', (key, happened, expected) => {
  expect(judgeLateMessage(key, happened)).toEqual(expected)
})
