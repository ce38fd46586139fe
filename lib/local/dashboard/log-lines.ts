import { type ListSummary, summarizeList } from '#local/vendors/records.ts'
import { parseJson } from '#rules/text/json.ts'

/** A line that the service has logged. */
export type LogLine = Record<string, unknown> & { id: string; trace_id?: string }

const maxLines = 5000

export interface LogLines {
  add(line: string): void
  /** Return the lines, newest first, of one trace if it is given. */
  list(traceId?: string): LogLine[]
  summarize(): ListSummary
  clear(): void
}

/** Keep the newest 5,000 lines that the service has logged. A line that is not JSON becomes its `text`. */
export function createLogLines(): LogLines {
  const lines: LogLine[] = []
  let count = 0
  return {
    add(text) {
      const parsed = parseJson(text)
      const fields =
        typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : { text }
      lines.push({ ...fields, id: String(++count) })
      if (lines.length > maxLines) lines.shift()
    },
    list: (traceId) =>
      lines.filter((line) => traceId === undefined || line.trace_id === traceId).toReversed(),
    summarize: () => summarizeList(lines),
    clear: () => void lines.splice(0),
  }
}
