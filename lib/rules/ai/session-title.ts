import { shorten } from './shorten.ts'

const maxTitleLength = 100

/** Return the title of a session without a problem. Its first message replaces the title. */
export const createDefaultTitle = (sessionType: 'chat' | 'guided') => `New ${sessionType} session`

/** Return the first line of a problem, cut after 100 characters. */
export function toSessionTitle(problem: string): string {
  return shorten((problem.trim().split('\n')[0] ?? '').trim(), maxTitleLength)
}

/** Return a message as one line, cut after 100 characters. Its first line may be a greeting only. */
export function toTitleOfMessage(message: string): string {
  return shorten(message.replace(/\s+/g, ' ').trim(), maxTitleLength)
}
