import {
  type Connection,
  isInAudience,
  replaceOldest,
  type StreamSettings,
} from '#vendors/realtime/account-streams.ts'
import type { StreamOwner } from '#vendors/realtime/active-sign-ins.ts'
import type { TransientEvent } from '#vendors/realtime/realtime.ts'
import {
  maxQueuedEvents,
  maxQueuedTransients,
  type StreamEvent,
  type StreamStart,
} from '#vendors/realtime/subscriber.ts'

/** The used part of a WebSocket that stays open while the object hibernates. */
export interface HubSocket {
  send(text: string): void
  close(code: number, reason?: string): void
  serializeAttachment(value: Attachment | null): void
  deserializeAttachment(): Attachment | null
}

/**
 * The used part of the object's state:
 * https://developers.cloudflare.com/durable-objects/best-practices/websockets/
 */
export interface SocketState {
  acceptWebSocket(socket: HubSocket): void
  getWebSockets(): HubSocket[]
  setWebSocketAutoResponse(pair: unknown): void
  getWebSocketAutoResponseTimestamp(socket: HubSocket): Date | null
  storage: { getAlarm(): Promise<number | null>; setAlarm(at: number): Promise<void> }
}

/**
 * What the object knows about a socket. It is attached to the socket, because hibernation clears the object's
 * memory.
 */
interface Attachment extends StreamOwner {
  openedAt: number
  /** When the sign-in was last found active. */
  checkedAt: number
  /** The id of the last event that was sent. */
  sentId: number
  /** How many events were sent since the client's last ping. */
  unreadCount: number
  /** When that ping was answered. */
  pingedAt: number
}

interface SocketSettings extends Required<StreamSettings> {
  /** Return the stored events after an id. */
  readEventsAfter(id: number): StreamStart
}

/** The open sockets of one account. */
export interface AccountSockets {
  /**
   * Accept a socket and send what it starts with. It replaces the oldest connection of a person who has too
   * many.
   */
  open(socket: HubSocket, owner: StreamOwner, start: StreamStart): Promise<void>
  /**
   * Send every socket the stored events that it has not received. The sign-ins are checked first, at most
   * once per heartbeat interval.
   */
  sendNewEvents(): Promise<void>
  /** Send the sockets of their audience transient events, after the same check of the sign-ins. */
  broadcast(events: readonly TransientEvent[]): Promise<void>
  /** Close the sockets whose sign-in has ended. Set the alarm of the next check while sockets are open. */
  checkSignIns(): Promise<void>
  /** Close a socket that sent a message. */
  refuseMessage(socket: HubSocket): void
  listConnections(userId: string): Connection[]
  count(): number
}

/** The close codes of a socket. */
const closings = {
  refused: [1008, 'only the message "ping" is accepted'],
  failed: [1011, 'sending has failed; connect again'],
  unchecked: [1013, 'the sign-in cannot be checked; connect again later'],
  signedOut: [4401, 'the sign-in has ended'],
  unread: [4408, 'too many events without a ping; connect again'],
  replaced: [4409, 'replaced by a newer connection'],
} as const

/**
 * Heartbeat intervals between two checks of the sign-ins while no event is sent: 5 minutes. Each check wakes
 * the object.
 */
const intervalsPerCheck = 12
/**
 * Heartbeat intervals after which a socket is closed whose sign-in could not be checked. A failed check is
 * repeated after one interval.
 */
const maxUncheckedIntervals = intervalsPerCheck + 4

declare const WebSocketRequestResponsePair: new (request: string, response: string) => unknown

/** Create the sockets of an account, including those that were open before the object hibernated. */
export function createAccountSockets(state: SocketState, settings: SocketSettings): AccountSockets {
  const { heartbeatMs, listOtherConnections } = settings
  const signIns = createSignInChecks(state, settings)
  const setAlarm = (intervals: number) => state.storage.setAlarm(Date.now() + intervals * heartbeatMs)
  const listConnections = (userId: string): Connection[] =>
    listOpen(state)
      .filter(({ attachment }) => attachment.userId === userId)
      .map(({ socket, attachment: { openedAt } }) => ({
        openedAt,
        replace: () => closeSocket(socket, 'replaced'),
      }))
  return {
    async open(socket, owner, start) {
      replaceOldest([...listConnections(owner.userId), ...listOtherConnections(owner.userId)])
      acceptSocket(state, socket, owner, start)
      if ((await state.storage.getAlarm()) === null) await setAlarm(intervalsPerCheck)
    },
    async sendNewEvents() {
      if (!signIns.wereCheckedRecently()) await signIns.check()
      sendToAll(state, settings)
    },
    async broadcast(events) {
      if (!signIns.wereCheckedRecently()) await signIns.check()
      for (const { socket, attachment } of listOpen(state)) {
        const received = events.filter(({ audience }) => isInAudience(audience, attachment.userId))
        if (received.length > 0) sendTransientEvents(state, socket, attachment, received)
      }
    },
    async checkSignIns() {
      const isChecked = await signIns.check()
      sendToAll(state, settings)
      if (listOpen(state).length > 0) await setAlarm(isChecked ? intervalsPerCheck : 1)
    },
    refuseMessage: (socket) => closeSocket(socket, 'refused'),
    listConnections,
    count: () => listOpen(state).length,
  }
}

interface SignInChecks {
  /**
   * Close the sockets whose sign-in has ended, or could not be checked for too long. Return whether the check
   * succeeded.
   */
  check(): Promise<boolean>
  wereCheckedRecently(): boolean
}

function createSignInChecks(
  state: SocketState,
  { heartbeatMs, selectActiveSignIns }: SocketSettings,
): SignInChecks {
  let checkedAt = 0
  return {
    wereCheckedRecently: () => Date.now() - checkedAt < heartbeatMs,
    async check() {
      const checkedSockets = listOpen(state)
      if (checkedSockets.length === 0) return true
      const activeSignIns = await selectActiveSignIns(
        checkedSockets.map(({ attachment }) => attachment),
      ).catch(() => undefined)
      const now = Date.now()
      if (activeSignIns) checkedAt = now
      for (const { socket, attachment } of checkedSockets) {
        if (!activeSignIns && now - attachment.checkedAt >= maxUncheckedIntervals * heartbeatMs)
          closeSocket(socket, 'unchecked')
        if (activeSignIns && !activeSignIns.has(attachment.signInId)) closeSocket(socket, 'signedOut')
        if (activeSignIns?.has(attachment.signInId)) update(socket, { checkedAt: now })
      }
      return activeSignIns !== undefined
    },
  }
}

function acceptSocket(state: SocketState, socket: HubSocket, owner: StreamOwner, start: StreamStart): void {
  // The runtime answers pings without waking the object.
  state.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
  state.acceptWebSocket(socket)
  const now = Date.now()
  const sentId = start.missed.at(-1)?.id ?? start.after
  socket.serializeAttachment({ ...owner, openedAt: now, checkedAt: now, sentId, unreadCount: 0, pingedAt: 0 })
  socket.send(toMessage({ id: start.after, event: 'connected', data: '{}' }))
  sendAll(socket, start)
}

/** Send every socket the events that it has not received. One that fails does not stop the others. */
function sendToAll(state: SocketState, { readEventsAfter }: SocketSettings): void {
  for (const { socket, attachment } of listOpen(state)) {
    try {
      const pingedAt = state.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0
      sendEvents(socket, attachment, readEventsAfter(attachment.sentId), pingedAt)
    } catch {
      closeSocket(socket, 'failed')
    }
  }
}

interface OpenSocket {
  socket: HubSocket
  attachment: Attachment
}

/** List the open sockets. One that is being closed has no attachment any more. */
function listOpen(state: SocketState): OpenSocket[] {
  return state.getWebSockets().flatMap((socket) => {
    const attachment = socket.deserializeAttachment()
    return attachment ? [{ socket, attachment }] : []
  })
}

/** Change what is attached to a socket, unless it was closed meanwhile. */
function update(socket: HubSocket, changes: Partial<Attachment>): void {
  const attachment = socket.deserializeAttachment()
  if (attachment) socket.serializeAttachment({ ...attachment, ...changes })
}

function closeSocket(socket: HubSocket, reason: keyof typeof closings): void {
  socket.serializeAttachment(null)
  const [code, text] = closings[reason]
  socket.close(code, text)
}

/**
 * Send a socket new events. The runtime buffers what a client does not read, without a limit and without
 * telling the object. So a client that pings counts as reading, and one that has received 64 events since its
 * last ping is closed before the next.
 */
function sendEvents(socket: HubSocket, attachment: Attachment, start: StreamStart, pingedAt: number): void {
  const last = start.missed.at(-1)
  if (!last) return
  const unreadCount = pingedAt === attachment.pingedAt ? attachment.unreadCount : 0
  const missed = start.missed.slice(0, maxQueuedEvents - unreadCount)
  sendAll(socket, { ...start, missed })
  if (missed.length < start.missed.length) closeSocket(socket, 'unread')
  else update(socket, { sentId: last.id, pingedAt, unreadCount: unreadCount + missed.length })
}

/**
 * Send a socket events with the id of the last stored one, from which its client reconnects. A client that
 * does not read loses them.
 */
function sendTransientEvents(
  state: SocketState,
  socket: HubSocket,
  attachment: Attachment,
  events: readonly TransientEvent[],
): void {
  const pingedAt = state.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0
  const unreadCount = pingedAt === attachment.pingedAt ? attachment.unreadCount : 0
  const sentEvents = events.slice(0, Math.max(0, maxQueuedTransients - unreadCount))
  try {
    for (const { event, data } of sentEvents)
      socket.send(toMessage({ id: attachment.sentId, event, data: JSON.stringify(data) }))
    update(socket, { pingedAt, unreadCount: unreadCount + sentEvents.length })
  } catch {
    closeSocket(socket, 'failed')
  }
}

function sendAll(socket: HubSocket, { missed, after, lostCount }: StreamStart): void {
  if (lostCount > 0)
    socket.send(toMessage({ id: after, event: 'overflow', data: JSON.stringify({ dropped: lostCount }) }))
  for (const event of missed) socket.send(toMessage(event))
}

function toMessage({ id, event, data }: StreamEvent): string {
  return `{"id":${id},"event":"${event}","data":${data}}`
}
