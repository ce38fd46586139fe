/** The states of a request for a substitute. An open one expires at its start. */
export const substituteStates = ['open', 'accepted', 'declined', 'withdrawn', 'expired'] as const

/** What is told of a request. `unanswered`: nobody has accepted, and the shift comes near. */
export const substituteOutcomes = ['accepted', 'declined', 'withdrawn', 'unanswered'] as const
export type SubstituteOutcome = (typeof substituteOutcomes)[number]

const dayMs = 86_400_000

/**
 * Return when an engineer is told that nobody has accepted: a day before the shift or, of a request that is made
 * later than two days before it, after half of the time. So there is time left to ask somebody else.
 */
export function getNoticeTime(requestedAt: number, startsAt: number): number {
  return Math.floor(Math.max(startsAt - dayMs, (requestedAt + startsAt) / 2))
}
