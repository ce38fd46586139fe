import type { ServerEvent } from './call-types.ts'

/** State that lasts from one connection of a stream to the next. */
export interface StreamState {
  lastEventId: string
  /** Milliseconds until the next connection. */
  retryMs: number
}

/** Yield the server-sent events of a response, and store `id` and `retry` in the state. */
export async function* parseEvents(
  response: Response,
  state: StreamState,
): AsyncGenerator<ServerEvent, void, undefined> {
  let event = ''
  let data: string[] = []
  for await (const line of readLines(response)) {
    if (line === '') {
      if (data.length > 0)
        yield { id: state.lastEventId, event: event || 'message', data: parseData(data.join('\n')) }
      event = ''
      data = []
      continue
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
    if (field === 'id' && !value.includes('\0')) state.lastEventId = value
    if (field === 'retry' && /^\d+$/.test(value)) state.retryMs = Number(value)
  }
}

/** Yield the complete lines of a response. When the caller stops, the connection is closed. */
async function* readLines(response: Response): AsyncGenerator<string, void, undefined> {
  if (!response.body) return
  // Not `for await`, which Safari does not have for streams.
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      // A CR at the end may be the first half of CRLF.
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      yield* lines
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function parseData(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
