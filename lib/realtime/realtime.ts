/** An event for the open streams of an account. */
export const liveEvents = ['handoff_created', 'handoff_assessment_ready', 'ai_task_finished', 'ticket_changed'] as const

export interface LiveEvent {
  /** The id of its row. The hub ignores a second event with the same key. */
  key: string
  event: (typeof liveEvents)[number]
  data: Record<string, unknown>
}

export interface SocketListener {
  userId: string
  signInId: string
  /** The last event that the client received on an earlier connection. */
  lastEventId: string | null
}

export interface StreamListener extends SocketListener {
  /** Aborted when the client disconnects. */
  signal: AbortSignal
  /** Secret that the id of every event ends with, after a dot. */
  reconnectSecret?: string | undefined
}

export interface RealtimePort {
  /** Throw when the hub does not accept the events within a second. Their rows remain, and the sweep publishes them again. */
  publish(accountId: string, events: readonly LiveEvent[]): Promise<void>
  /** Open a stream of the account's server-sent events. It ends when the client disconnects or loses access. */
  subscribe(accountId: string, listener: StreamListener): Promise<ReadableStream<Uint8Array>>
  /**
   * Open a WebSocket that receives the account's events. Return the function that creates the answer to the client, with these headers.
   * Undefined where the platform has no WebSockets.
   */
  acceptSocket?(accountId: string, listener: SocketListener): Promise<(headers: Record<string, string>) => Response>
  /** Delete the stored events of an account, and close the connections whose sign-in has ended. Throw when no hub answers. */
  forget(accountId: string): Promise<void>
  /** Throw when no hub answers. */
  ping(): Promise<void>
}
