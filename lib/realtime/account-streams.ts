import type { SelectActiveSignIns, StreamOwner } from './active-sign-ins.ts'
import { openSubscriber, type StreamEvent, type StreamStart, type Subscriber } from './subscriber.ts'

export interface StreamSettings {
  /** Heartbeat interval in milliseconds. Each heartbeat also closes the streams whose sign-in has ended. */
  heartbeatMs: number
  selectActiveSignIns: SelectActiveSignIns
}

/** The open streams of one account in this process. */
export interface AccountStreams {
  /** Open a stream. It closes the oldest stream of a person who has too many. */
  open(owner: StreamOwner, start: StreamStart, signal: AbortSignal): ReadableStream<Uint8Array>
  /** Send an event to every stream, as `Subscriber.send` does. */
  send(event: StreamEvent, firstId?: number): void
  count(): number
  /** End every stream. The clients reconnect after a few seconds. */
  close(): void
}

/** Open streams per person. One more closes the oldest. */
const maxStreamsPerUser = 5
// A client that has read nothing for this long counts as disconnected.
const maxUnreadMs = 300_000
// After this many failed sign-in checks in a row, all streams are closed.
const maxFailedChecks = 4

/** Create the streams of an account. `onEmpty` is called when the last one has been closed. */
export function createAccountStreams({ heartbeatMs, selectActiveSignIns }: StreamSettings, onEmpty = () => {}): AccountStreams {
  const streams = new Map<Subscriber, StreamOwner>()
  const check = createAccessCheck(selectActiveSignIns)
  let heartbeat: ReturnType<typeof setInterval> | undefined
  const leave = (subscriber: Subscriber) => {
    subscriber.close()
    if (!streams.delete(subscriber) || streams.size > 0) return
    clearInterval(heartbeat)
    heartbeat = undefined
    onEmpty()
  }
  const sendHeartbeats = () => {
    for (const subscriber of [...streams.keys()]) if (subscriber.sendHeartbeat() * heartbeatMs >= maxUnreadMs) leave(subscriber)
    void closeEndedStreams(streams, check, leave)
  }
  return {
    open(owner, start, signal) {
      const subscriber = openSubscriber(start, () => leave(subscriber))
      for (const oldest of listReplacedStreams(streams, owner.userId)) {
        oldest.replace()
        leave(oldest)
      }
      streams.set(subscriber, owner)
      heartbeat ??= setInterval(sendHeartbeats, heartbeatMs)
      signal.addEventListener('abort', () => leave(subscriber))
      if (signal.aborted) leave(subscriber)
      return subscriber.body
    },
    send(event, firstId) {
      for (const subscriber of streams.keys()) subscriber.send(event, firstId)
    },
    count: () => streams.size,
    close() {
      for (const subscriber of [...streams.keys()]) {
        subscriber.end()
        leave(subscriber)
      }
    },
  }
}

/**
 * List the oldest streams of a user who is about to have more than allowed. Refusing the new one instead would lock out a client whose
 * connection broke unnoticed, because its old streams still count.
 */
function listReplacedStreams(streams: ReadonlyMap<Subscriber, StreamOwner>, userId: string): Subscriber[] {
  const own = [...streams].filter(([, owner]) => owner.userId === userId)
  return own.slice(0, Math.max(0, own.length - maxStreamsPerUser + 1)).map(([subscriber]) => subscriber)
}

/** Return which sign-ins have access: none after several failed checks, and undefined while nobody knows or a check runs. */
type AccessCheck = (owners: readonly StreamOwner[]) => Promise<Set<string> | undefined>

function createAccessCheck(selectActiveSignIns: SelectActiveSignIns): AccessCheck {
  let isChecking = false
  let failedChecks = 0
  return async (owners) => {
    if (isChecking || owners.length === 0) return undefined
    isChecking = true
    const active = await selectActiveSignIns(owners).catch(() => undefined)
    isChecking = false
    failedChecks = active ? 0 : failedChecks + 1
    return active ?? (failedChecks < maxFailedChecks ? undefined : new Set())
  }
}

async function closeEndedStreams(
  streams: ReadonlyMap<Subscriber, StreamOwner>,
  check: AccessCheck,
  leave: (subscriber: Subscriber) => void,
): Promise<void> {
  const checked = [...streams]
  const active = await check(checked.map(([, owner]) => owner))
  if (active) for (const [subscriber, { signInId }] of checked) if (!active.has(signInId)) leave(subscriber)
}
