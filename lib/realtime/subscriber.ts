/** An event as it goes over the wire; its id is what a reconnect names. */
export interface Numbered {
  id: number
  event: string
  /** JSON. */
  data: string
}

export interface Subscriber {
  readonly body: ReadableStream<Uint8Array>
  /** Hands an event over, or counts it as dropped. Never waits. */
  send(event: Numbered): void
  /** A sign of life; answers how many in a row found the client behind with what was sent before. */
  beat(): number
  end(): void
}

export const queueLength = 64

const encoder = new TextEncoder()
const frame = ({ id, event, data }: Numbered) => `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`
const overflow = (id: number, dropped: number) => frame({ id, event: 'overflow', data: JSON.stringify({ dropped }) })

/**
 * One open stream with its own queue of events, filled without regard to how fast the client reads. What finds the queue full is dropped, and
 * an `overflow` event takes its place; its id is that of the last event before the gap, so that a reconnect may still get what was dropped.
 * `missed` events come first, and `forgotten` says how many before them are lost. `onLeave` hears that the client has gone.
 */
export function openSubscriber(
  missed: readonly Numbered[],
  { after, forgotten }: { after: number; forgotten: number },
  onLeave: () => void,
) {
  const queue: string[] = []
  let last = missed.at(-1)?.id ?? after
  let dropped = 0
  let behind = 0
  let waiting = false
  let ended = false
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const opening = `: connected\n\n${forgotten > 0 ? overflow(after, forgotten) : ''}${missed.map(frame).join('')}`
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
    // Nothing is asked for before the client takes it: what waits, waits in the queue and is counted there.
    { highWaterMark: 0 },
  )
  const subscriber: Subscriber = {
    body,
    send(event) {
      if (ended) return
      if (queue.length >= queueLength) {
        dropped++
        return
      }
      last = event.id
      if (waiting) write(frame(event))
      else queue.push(frame(event))
    },
    beat() {
      if (waiting && !ended) write(': heartbeat\n\n')
      else behind++
      return behind
    },
    end() {
      if (ended) return
      ended = true
      controller?.close()
    },
  }
  return subscriber
}
