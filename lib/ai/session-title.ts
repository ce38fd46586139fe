const maxTitleLength = 100

/** Return the title of a session of which nothing is known. Its first message replaces it. */
export const createDefaultTitle = (sessionType: 'chat' | 'guided') => `New ${sessionType} session`

/** Return the first line of a problem, cut after 100 characters. */
export function toSessionTitle(problem: string): string {
  return cutTitle((problem.trim().split('\n')[0] ?? '').trim())
}

/** Return a message as one line, cut after 100 characters. Its first line may be a greeting only. */
export function toTitleOfMessage(message: string): string {
  return cutTitle(message.replace(/\s+/g, ' ').trim())
}

function cutTitle(text: string): string {
  const line = Array.from(text)
  return line.length > maxTitleLength ? `${line.slice(0, maxTitleLength).join('')}…` : text
}
