import { parseJson } from '#rules/text/json.ts'
import type { Vendor } from './bounded-fetch.ts'
import { leaveOut } from './wire.ts'

/**
 * Yield the JSON objects of an answer: the whole one, or those of server-sent events, whichever the body has.
 * Its content type says neither reliably. Events without JSON are left out, because gateways keep a connection
 * alive with them. Throw a SyntaxError for JSON that is broken, and return when there is none.
 */
export async function* readObjects(
  vendor: Vendor,
  response: Response,
): AsyncGenerator<Record<string, unknown>> {
  const plain: string[] = []
  let data: string[] = []
  let isDone = false
  for await (const line of readLines(response)) {
    const [, field, value = ''] = /^(data|event|id|retry|):(?: ?)(.*)$/.exec(line) ?? []
    if (field === 'data') data.push(value)
    else if (field === undefined && line.trim() !== '') plain.push(line)
    if (line.trim() !== '') continue
    const text = data.join('\n').trim()
    data = []
    isDone = text === '[DONE]'
    if (isDone) break
    if (/^[[{]/.test(text)) yield* toObjects(JSON.parse(text))
    else if (text !== '') leaveOut(vendor, 'event')
  }
  const text = plain.join('\n').trim()
  if (!/^[[{]/.test(text)) return
  const whole = parseJson(text)
  for (const each of whole === undefined ? plain : [text]) yield* toObjects(JSON.parse(each))
}

/** Yield the lines of a body, and an empty one after the last. */
async function* readLines({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body ?? []) {
    // A line break may be in two pieces.
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    yield* lines
  }
  yield* [rest, '']
}

/** Google sends its errors in a list. */
const toObjects = (value: unknown): Record<string, unknown>[] =>
  [value].flat().filter((each): each is Record<string, unknown> => typeof each === 'object' && each !== null)
