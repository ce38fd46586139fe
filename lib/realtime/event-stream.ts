import { asProblem } from '../http/app.ts'
import { type Base, Content } from '../http/operation.ts'

/** Sends one event; what has left is left. */
export type Send = (event: string, data: unknown) => void

/**
 * Answers server-sent events that `produce` sends while it works. A failure before the first is thrown, so that it becomes an answer of its
 * own; a later one is sent as an `error` event with the body it would have had, and its status. A client that leaves stops nothing: the work
 * goes on to its end.
 */
export async function eventStream({ after }: Pick<Base, 'after'>, produce: (send: Send) => Promise<void>): Promise<Content> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, { highWaterMark: Number.POSITIVE_INFINITY })
  const writer = writable.getWriter()
  const encoder = new TextEncoder()
  let begun = () => {}
  const first = new Promise<void>((resolve) => {
    begun = resolve
  })
  const send: Send = (event, data) => {
    begun()
    // Without line breaks, as JSON is, an event is one line; a reader that is gone makes writing fail, and nothing else.
    writer.write(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)).catch(() => {})
  }
  let sent = false
  const work = produce((event, data) => {
    sent = true
    send(event, data)
  })
  const ended = work
    .catch((error: unknown) => {
      if (!sent) throw error
      const { status, body } = asProblem(error)
      send('error', { status, ...body })
    })
    .finally(() => writer.close().catch(() => {}))
  await Promise.race([first, ended])
  after(() => ended)
  return new Content(readable, 'text/event-stream')
}
