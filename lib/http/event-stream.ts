import { asProblem } from './app.ts'
import { type Base, Content } from './operation.ts'

/** Sends one event; what has left is left. */
export type Send = (event: string, data: unknown) => void

/**
 * Answers server-sent events that `produce` sends while it works. A failure before the first is thrown, so that it becomes an answer of its
 * own; a later one is sent as an `error` event with the body it would have had, and its status. A client that leaves stops nothing: the work
 * goes on to its end.
 */
export async function eventStream({ after }: Pick<Base, 'after'>, produce: (send: Send) => Promise<void>): Promise<Content> {
  const encoder = new TextEncoder()
  let left = false
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(opened) {
      controller = opened
    },
    cancel() {
      left = true
    },
  })
  let begun = () => {}
  const first = new Promise<void>((resolve) => {
    begun = resolve
  })
  let sent = false
  const send: Send = (event, data) => {
    sent = true
    begun()
    // JSON holds no line breaks, so an event's data is one line.
    if (!left) controller?.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
  }
  const ended = produce(send)
    .catch((error: unknown) => {
      if (!sent) throw error
      const { status, body } = asProblem(error)
      send('error', { status, ...body })
    })
    .finally(() => {
      if (!left) controller?.close()
    })
  await Promise.race([first, ended])
  after(() => ended)
  return new Content(body, 'text/event-stream')
}
