import type { SelectActiveSignIns, StreamOwner } from './active-sign-ins.ts'
import type { StreamListener, TransientEvent } from './realtime.ts'
import { openSubscriber, type StreamEvent, type StreamStart, type Subscriber } from './subscriber.ts'

export interface StreamSettings {
  /** Heartbeat interval in milliseconds. Each heartbeat also closes the streams whose sign-in has ended. */
  heartbeatMs: number
  selectActiveSignIns: SelectActiveSignIns
  /**
   * List a person's connections of another kind in the same account. They count towards the limit per person.
   */
  listOtherConnections?: (userId: string) => Connection[]
}

/** An open connection of a person, which a newer one may replace. */
export interface Connection {
  /** In milliseconds since 1970. */
  openedAt: number
  /** Tell the client that it was replaced, and close. */
  replace(): void
}

/** The open streams of one account in this process. */
export interface AccountStreams {
  /**
   * Look for closed streams of a person who has too many, for half a second at most. On Cloudflare, a client
   * that leaves is noticed when something is written to it, so pages that were reloaded would push out a
   * living one.
   */
  findClosed(userId: string): Promise<void>
  /** Open a stream. It closes the oldest stream of a person who has too many. */
  open(
    listener: StreamOwner & Pick<StreamListener, 'reconnectSecret'>,
    start: StreamStart,
    signal: AbortSignal,
  ): ReadableStream<Uint8Array>
  /** Send an event to every stream, as `Subscriber.send` does. */
  send(event: StreamEvent, firstId?: number): void
  /** Send an event to the streams of its audience, as `Subscriber.sendTransient` does. */
  broadcast(event: TransientEvent): void
  count(): number
  /** List the open streams of a person. */
  listConnections(userId: string): Connection[]
  /** Close the streams whose sign-in has ended. */
  checkSignIns(): Promise<void>
  /** End every stream. The clients reconnect after a few seconds. */
  close(): void
}

/** Open connections per person. One more closes the oldest. */
const maxConnectionsPerUser = 5
const maxProbes = 5
const probeIntervalMs = 100
// A client that has read nothing for this long counts as disconnected.
const maxUnreadMs = 300_000
// After this many failed sign-in checks in a row, all streams are closed.
const maxFailedChecks = 4

/** Create the streams of an account. `onEmpty` is called when the last one has been closed. */
export function createAccountStreams(settings: StreamSettings, onEmpty = () => {}): AccountStreams {
  const { heartbeatMs, selectActiveSignIns, listOtherConnections = () => [] } = settings
  const streams: OpenStreams = new Map()
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
    for (const subscriber of [...streams.keys()])
      if (subscriber.sendHeartbeat() * heartbeatMs >= maxUnreadMs) leave(subscriber)
    void closeEndedStreams(streams, check, leave)
  }
  const listConnections = (userId: string): Connection[] =>
    [...streams].flatMap(([subscriber, { openedAt, ...owner }]) => {
      const replace = () => {
        subscriber.replace()
        leave(subscriber)
      }
      return owner.userId === userId ? [{ openedAt, replace }] : []
    })
  return {
    async findClosed(userId) {
      const hasTooMany = () =>
        [...listConnections(userId), ...listOtherConnections(userId)].length >= maxConnectionsPerUser
      for (let probe = 0; probe < maxProbes && hasTooMany(); probe++) {
        for (const [subscriber, owner] of streams) if (owner.userId === userId) subscriber.probe()
        await new Promise((resolve) => setTimeout(resolve, probeIntervalMs))
      }
    },
    open({ reconnectSecret, ...owner }, start, signal) {
      const subscriber = openSubscriber({ ...start, reconnectSecret }, () => leave(subscriber))
      replaceOldest([...listConnections(owner.userId), ...listOtherConnections(owner.userId)])
      streams.set(subscriber, { ...owner, openedAt: Date.now() })
      heartbeat ??= setInterval(sendHeartbeats, heartbeatMs)
      signal.addEventListener('abort', () => leave(subscriber))
      if (signal.aborted) leave(subscriber)
      return subscriber.body
    },
    send(event, firstId) {
      for (const subscriber of streams.keys()) subscriber.send(event, firstId)
    },
    broadcast({ event, data, audience }) {
      const text = JSON.stringify(data)
      for (const [subscriber, { userId }] of streams)
        if (isInAudience(audience, userId)) subscriber.sendTransient(event, text)
    },
    count: () => streams.size,
    listConnections,
    checkSignIns: () => closeEndedStreams(streams, check, leave),
    close() {
      for (const subscriber of [...streams.keys()]) {
        subscriber.end()
        leave(subscriber)
      }
    },
  }
}

export function isInAudience(audience: TransientEvent['audience'], userId: string): boolean {
  return audience === null || audience.includes(userId)
}

type OpenStreams = Map<Subscriber, StreamOwner & Pick<Connection, 'openedAt'>>

/**
 * Replace the oldest connections of a person who is about to have more than allowed. Refusing the new one
 * instead would lock out a client whose connection broke unnoticed, because its old connections still count.
 */
export function replaceOldest(connections: readonly Connection[]): void {
  const oldestFirst = connections.toSorted((a, b) => a.openedAt - b.openedAt)
  for (const { replace } of oldestFirst.slice(0, Math.max(0, connections.length - maxConnectionsPerUser + 1)))
    replace()
}

/**
 * Return which sign-ins have access: none after several failed checks, and undefined while nobody knows or a
 * check runs.
 */
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
  streams: OpenStreams,
  check: AccessCheck,
  leave: (subscriber: Subscriber) => void,
): Promise<void> {
  const checked = [...streams]
  const active = await check(checked.map(([, owner]) => owner))
  if (active) for (const [subscriber, { signInId }] of checked) if (!active.has(signInId)) leave(subscriber)
}
