/** An event as the client receives it. A reconnect sends its id as Last-Event-ID. */
export interface StreamEvent {
  id: number
  event: string
  /** JSON text. */
  data: string
}

export interface Subscriber {
  readonly body: ReadableStream<Uint8Array>
  /**
   * Queue an event, or count it as dropped. Never waits. An event that the stream already has is ignored.
   * `firstId` is the id of the first event that was ever stored in the same place: if events since then are
   * missing before this one, an overflow event says how many.
   */
  send(event: StreamEvent, firstId?: number): void
  /**
   * Queue an event without an id. It is dropped if the queue is half full, and not counted, because a
   * reconnect cannot return it.
   */
  sendTransient(event: string, data: string): void
  /** Send a comment if the client has read everything, so that the platform notices a client that is gone. */
  probe(): void
  /**
   * Send a heartbeat if the client has read everything. Return for how many heartbeats in a row it has not.
   */
  sendHeartbeat(): number
  close(): void
  /** Send a last `replaced` event if the client reads, and close. */
  replace(): void
  /** Send a new reconnection time if the client reads, and close. */
  end(): void
}

export interface StreamStart {
  missed: readonly StreamEvent[]
  /** The id after which the missed events start. */
  after: number
  /** Set if `after` is unknown: the stream begins with the first event that comes. */
  isUnknown?: boolean
  /** How many events before the missed ones are no longer stored. */
  lostCount: number
  /** Secret that the id of every event ends with, after a dot. */
  reconnectSecret?: string | undefined
}

export const maxQueuedEvents = 64
/** Transient events fill half of a queue at most, so that they push out no stored event. */
export const maxQueuedTransients = maxQueuedEvents / 2

/**
 * Return how long a client waits before it reconnects: 2 to 5 s, at random, so that clients which lose their
 * streams together return one by one.
 */
export function chooseRetryMs(): number {
  return 2000 + Math.floor(Math.random() * 3001)
}

// A replaced client that ignores the event and reconnects soon would replace another stream of the same
// person, and so on.
const replacedRetryMs = 300_000

const encoder = new TextEncoder()

/** Return the functions that write the frames of a stream whose ids end with a secret, or with nothing. */
function createFrames(secret: string | undefined) {
  const idLine = (id: number) => `id: ${id}${secret === undefined ? '' : `.${secret}`}\n`
  const frame = ({ id, event, data }: StreamEvent) => `${idLine(id)}event: ${event}\ndata: ${data}\n\n`
  const overflow = (id: number, dropped: number) =>
    frame({ id, event: 'overflow', data: JSON.stringify({ dropped }) })
  return { idLine, frame, overflow }
}

/**
 * Open one stream with its own queue, which fills independently of how fast the client reads. Events that
 * find the queue full are dropped, and one `overflow` event replaces them. It has the id of the last event
 * before the gap, so a reconnect may still receive the dropped events. `missed` events are sent first;
 * `lostCount` is the number of events before them that are no longer stored. `onLeave` runs when the client
 * disconnects. A client whose stream ends reconnects after `retryMs`, with the id that the stream starts with
 * if it has received no event.
 */
export function openSubscriber(
  { missed, after, isUnknown = false, lostCount, reconnectSecret }: StreamStart,
  onLeave: () => void,
  retryMs: number = chooseRetryMs(),
) {
  const { idLine, frame, overflow } = createFrames(reconnectSecret)
  const queue: string[] = []
  /** The last event that was queued. */
  let last = missed.at(-1)?.id ?? after
  /** The last event that was queued or dropped. */
  let seenId = isUnknown ? undefined : last
  let dropped = 0
  let behind = 0
  let isWaiting = false
  let hasEnded = false
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const opening = `: connected\nretry: ${retryMs}\n${isUnknown ? '' : idLine(after)}\n${lostCount > 0 ? overflow(after, lostCount) : ''}${missed.map(frame).join('')}`
  const write = (text: string) => {
    isWaiting = false
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
        if (all === '') isWaiting = true
        else write(all)
      },
      cancel() {
        hasEnded = true
        onLeave()
      },
    },
    // Without internal buffering, every waiting event is in our queue and is counted there.
    { highWaterMark: 0 },
  )
  const subscriber: Subscriber = {
    body,
    send(event, firstId = event.id) {
      if (hasEnded || event.id <= (seenId ?? 0)) return
      const missingCount = seenId === undefined ? 0 : event.id - Math.max(seenId, firstId - 1) - 1
      seenId = event.id
      if (queue.length >= maxQueuedEvents) {
        dropped += missingCount + 1
        return
      }
      const text = (missingCount > 0 ? overflow(last, missingCount) : '') + frame(event)
      last = event.id
      if (isWaiting) write(text)
      else queue.push(text)
    },
    sendTransient(event, data) {
      if (hasEnded || queue.length >= maxQueuedTransients) return
      const text = `event: ${event}\ndata: ${data}\n\n`
      if (isWaiting) write(text)
      else queue.push(text)
    },
    probe() {
      if (isWaiting && !hasEnded) write(': heartbeat\n\n')
    },
    sendHeartbeat() {
      if (!isWaiting || hasEnded) behind++
      subscriber.probe()
      return behind
    },
    close() {
      if (hasEnded) return
      hasEnded = true
      controller?.close()
    },
    replace() {
      if (isWaiting && !hasEnded) write(`retry: ${replacedRetryMs}\nevent: replaced\ndata: {}\n\n`)
      subscriber.close()
    },
    end() {
      if (isWaiting && !hasEnded) write(`retry: ${chooseRetryMs()}\n\n`)
      subscriber.close()
    },
  }
  return subscriber
}
