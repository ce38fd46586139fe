/** A sentence for people. `path` leads to its case in the frontend. */
export interface HandoverLine {
  text: string
  path: string | null
}

/** What a message shows at most, in characters. A section of Slack has 3,000. */
const maxMessage = 2900

/** Join lines with the addresses of their cases, as many as a message shows. */
export function joinLines(lines: readonly HandoverLine[], frontendUrl: string): string {
  const keptLines: string[] = []
  let length = 0
  for (const { text, path } of lines) {
    const line = path === null ? text : `${text} ${frontendUrl}${path}`
    length += line.length + 2
    if (length > maxMessage) break
    keptLines.push(line)
  }
  const more = lines.length - keptLines.length
  return [...keptLines, ...(more > 0 ? [`And ${more} more ${more === 1 ? 'line' : 'lines'}.`] : [])].join(
    '\n\n',
  )
}
