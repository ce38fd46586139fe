/** An event as the client receives it. A reconnect sends its id as Last-Event-ID. */
export interface StreamEvent {
  id: number
  event: string
  /** JSON text. */
  data: string
}

export interface Subscriber {
  readonly body: ReadableStream<Uint8Array>
  /** Queue an event, or count it as dropped. Never waits. */
  send(event: StreamEvent): void
  /** Send a heartbeat if the client has read everything. Return for how many heartbeats in a row it has not. */
  sendHeartbeat(): number
  close(): void
  /** Send a last `replaced` event if the client reads, and close. */
  replace(): void
}

export const maxQueuedEvents = 64

/** Return how long a client waits before it reconnects: 2 to 5 s, at random, so that clients which lose their streams together return one by one. */
export function chooseRetryMs(): number {
  return 2000 + Math.floor(Math.random() * 3001)
}

// A replaced client that ignores the event and reconnects soon would replace another stream of the same person, and so on.
const replacedRetryMs = 300_000

const encoder = new TextEncoder()
const frame = ({ id, event, data }: StreamEvent) => `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`
const overflow = (id: number, dropped: number) => frame({ id, event: 'overflow', data: JSON.stringify({ dropped }) })

/**
 * Open one stream with its own queue, which fills independently of how fast the client reads. Events that find the queue full are dropped,
 * and one `overflow` event replaces them. It has the id of the last event before the gap, so a reconnect may still receive the dropped events.
 * `missed` events are sent first; `lostCount` is the number of events before them that are no longer stored. `onLeave` runs when the client
 * disconnects. A client whose stream ends reconnects after `retryMs`.
 */
export function openSubscriber(
  missed: readonly StreamEvent[],
  { after, lostCount }: { after: number; lostCount: number },
  onLeave: () => void,
  retryMs: number = chooseRetryMs(),
) {
  const queue: string[] = []
  let last = missed.at(-1)?.id ?? after
  let dropped = 0
  let behind = 0
  let waiting = false
  let ended = false
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const opening = `: connected\nretry: ${retryMs}\n\n${lostCount > 0 ? overflow(after, lostCount) : ''}${missed.map(frame).join('')}`
  const write = (text: string) => {
    waiting = false
    controller?.enqueue(encoder.encode(text))
  }
  const closeGap = () => {
    const text = overflow(last, dropped)
    dropped = 0
    return text
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(opened) {
        controller = opened
        write(opening)
      },
      pull() {
        behind = 0
        const all = queue.splice(0).join('') + (dropped > 0 ? closeGap() : '')
        if (all === '') waiting = true
        else write(all)
      },
      cancel() {
        ended = true
        onLeave()
      },
    },
    // Without internal buffering, every waiting event is in our queue and is counted there.
    { highWaterMark: 0 },
  )
  const subscriber: Subscriber = {
    body,
    send(event) {
      if (ended) return
      if (queue.length >= maxQueuedEvents) {
        dropped++
        return
      }
      last = event.id
      if (waiting) write(frame(event))
      else queue.push(frame(event))
    },
    sendHeartbeat() {
      if (waiting && !ended) write(': heartbeat\n\n')
      else behind++
      return behind
    },
    close() {
      if (ended) return
      ended = true
      controller?.close()
    },
    replace() {
      if (waiting && !ended) write(`retry: ${replacedRetryMs}\nevent: replaced\ndata: {}\n\n`)
      subscriber.close()
    },
  }
  return subscriber
}
