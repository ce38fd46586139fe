import { getTraceId } from './trace.ts'

/** Write a line to the log. It must not contain personal data. */
export type Log = (line: Record<string, unknown>) => void

/** Add the trace id of the work that runs to each line. */
export function withTraceId(log: Log): Log {
  return (line) => {
    const traceId = getTraceId()
    log(traceId ? { ...line, trace_id: traceId } : line)
  }
}

/**
 * Create a log that writes JSON lines, by default to the console. From then on a warning or an error that a vendor's client prints is logged by the
 * client's name only: its text may contain personal data that it sent.
 */
export function createConsoleLog(writeLine: (text: string) => void = console.log): Log {
  const log: Log = (line) => writeLine(JSON.stringify(line))
  for (const level of ['warn', 'error'] as const) {
    console[level] = (first: unknown) =>
      log({ at: new Date().toISOString(), level, client: /^\[([\w ]{1,40})\]/.exec(String(first))?.[1] ?? 'unnamed' })
  }
  return log
}
