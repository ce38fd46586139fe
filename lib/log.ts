import { getTraceId } from './trace.ts'

/**
 * Write a line to the log. It must not contain personal data, but for the address of a client that is
 * refused.
 */
export type Log = (line: Record<string, unknown>) => void

/** Add the trace id of the work that runs to each line. */
export function withTraceId(log: Log): Log {
  return (line) => {
    const traceId = getTraceId()
    log(traceId ? { ...line, trace_id: traceId } : line)
  }
}

/**
 * Create a log that writes lines, by default as JSON to the console. Each has a level: `error` if it names an
 * error, otherwise `info`, unless it says another one. From then on a warning or an error that a package
 * prints is a line too, with its text masked: it may quote what was sent.
 */
export function createConsoleLog(
  writeLine: (text: string) => void = console.log,
  format: (line: LogLine) => string = JSON.stringify,
): Log {
  const log: Log = (line) => writeLine(format({ level: line.error ? 'error' : 'info', ...line }))
  for (const level of ['warn', 'error'] as const) {
    console[level] = (first: unknown) => {
      const [, client = 'unnamed', text = ''] = /^(?:\[([\w ]{1,40})\] ?)?(.*)/.exec(String(first)) ?? []
      log({ at: new Date().toISOString(), level, client, text: maskText(text) })
    }
  }
  return log
}

/** A line of the log, before it is written as a text. */
export type LogLine = Record<string, unknown>

const quotedParts = /(["`])[^"`]*\1?|(?<!\w)'[^']*'?|[{[(].*/g
const addresses = /(?<![\w.+-])[\w.+-]+@[\w.-]*|(?<!\w)\w+:\/\/\S*/g
const codes = /(?<![\w.~+/=-])(?=[\w.~+/=-]*\d)[\w.~+/=-]{16,}/g

/**
 * Return a text without what it may quote: texts in quotes or brackets, e-mail and web addresses, and long
 * codes.
 */
function maskText(text: string): string {
  return text
    .slice(0, 300)
    .replace(quotedParts, '…')
    .replace(addresses, '…')
    .replace(codes, '…')
    .slice(0, 200)
}
