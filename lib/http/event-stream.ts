import { toProblem } from './app.ts'
import { type BaseContext, Content } from './operation.ts'

/** Send one server-sent event, of those that the operation declares. */
export type SendEvent<Events> = <Name extends keyof Events & string>(event: Name, data: Events[Name]) => void

/**
 * Answer with the server-sent events that `produce` sends. A failure before the first event is thrown and
 * becomes a normal error answer. A later failure is sent as an `error` event with the body and status it
 * would have had. The work continues when the client disconnects, for as long as the platform allows.
 * `produce` returns the answer that a client without a stream would get.
 */
export async function createEventStream<Events>(
  { afterCommit }: Pick<BaseContext, 'afterCommit'>,
  produce: (send: SendEvent<Events>) => Promise<unknown>,
): Promise<Content> {
  const encoder = new TextEncoder()
  let isCancelled = false
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(started) {
      controller = started
    },
    cancel() {
      isCancelled = true
    },
  })
  const first = Promise.withResolvers<void>()
  let hasSent = false
  const send = (event: string, data: unknown) => {
    hasSent = true
    first.resolve()
    // JSON has no raw line breaks, so the data is one line.
    if (!isCancelled)
      controller?.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
  }
  const produced = produce(send)
  const completion = produced
    .catch((error: unknown) => {
      if (!hasSent) throw error
      const { status, body } = toProblem(error)
      send('error', { status, ...body })
    })
    .finally(() => {
      if (!isCancelled) controller?.close()
    })
  await Promise.race([first.promise, completion])
  afterCommit(() => completion)
  return Object.assign(new Content(body, 'text/event-stream'), { completed: produced })
}
