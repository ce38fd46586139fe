/** The parts of an error that we use. */
interface ErrorBody {
  message: string
  param?: unknown
  code?: unknown
}

const maxMessage = 4000

/**
 * Return an error in the shape of OpenAI, whatever shape the endpoint has: `{error: {…}}`, the same in a
 * list, `{object: 'error', …}`, a text in `error` or `detail`, or no JSON. Of an unknown shape the whole text
 * is the message.
 */
export function readErrorBody(text: string): { error: ErrorBody } {
  const parsed = parse(text)
  const first = toObject(Array.isArray(parsed) ? parsed[0] : parsed)
  const nested = toObject(first?.error)
  const fields = nested ?? first ?? {}
  const message = typeof fields.message === 'string' ? fields.message : text
  return {
    error: { message: message.slice(0, maxMessage), param: fields.param ?? null, code: fields.code ?? null },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}
