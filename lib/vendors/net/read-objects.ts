import { parseJson } from '#rules/text/json.ts'
import type { Vendor } from './bounded-fetch.ts'
import { parseAnswer } from './read-answer.ts'
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
    if (/^[[{]/.test(text)) yield* toObjects(parseAnswer(text))
    else if (text !== '') leaveOut(vendor, 'event')
  }
  const text = plain.join('\n').trim()
  if (!/^[[{]/.test(text)) return
  const whole = parseJson(text)
  if (whole !== undefined) return yield* toObjects(whole)
  for (const line of plain) yield* toObjects(parseAnswer(line))
}

/**
 * Yield the lines of a body, and an empty one after the last. A long line in many pieces is joined once: whole
 * answers are one line.
 */
async function* readLines({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let openLine: string[] = []
  let carried = ''
  for await (const chunk of body ?? []) {
    const text = carried + decoder.decode(chunk, { stream: true })
    // A line break may be in two pieces.
    carried = text.endsWith('\r') ? '\r' : ''
    const [first = '', ...others] = text.slice(0, text.length - carried.length).split(/\r\n|\n|\r/)
    openLine.push(first)
    for (const line of others) {
      yield openLine.join('')
      openLine = [line]
    }
  }
  yield* [openLine.join('') + carried, '']
}

/** Google sends its errors in a list. */
const toObjects = (value: unknown): Record<string, unknown>[] =>
  [value].flat().filter((each): each is Record<string, unknown> => typeof each === 'object' && each !== null)
