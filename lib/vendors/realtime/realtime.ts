/** An event for the open streams of an account. */
export const liveEvents = [
  'handoff_created',
  'handoff_claimed',
  'handoff_closed',
  'handoff_assessment_ready',
  'ai_task_finished',
  'ticket_changed',
  'approval_changed',
  'kb_batch_finished',
  'job_progressed',
  'script_run_finished',
] as const

export interface LiveEvent {
  /** The id of its row. The hub ignores a second event with the same key. */
  key: string
  event: (typeof liveEvents)[number]
  data: Record<string, unknown>
}

/**
 * An event for the streams that are open now. It is not stored and has no id: a client that is not connected
 * does not receive it, and then asks for the current state.
 */
export interface TransientEvent {
  event: 'presence'
  data: Record<string, unknown>
  /** The users whose streams receive it; null for every user of the account. */
  audience: readonly string[] | null
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
  /**
   * Throw when the hub does not accept the events within a second. Their rows remain, and the sweep publishes
   * them again.
   */
  publish(accountId: string, events: readonly LiveEvent[]): Promise<void>
  /**
   * Send events to the streams that are open now. Throw when no hub accepts them within a second; they are
   * lost then.
   */
  broadcast(accountId: string, events: readonly TransientEvent[]): Promise<void>
  /**
   * Open a stream of the account's server-sent events. It ends when the client disconnects or loses access.
   */
  subscribe(accountId: string, listener: StreamListener): Promise<ReadableStream<Uint8Array>>
  /**
   * Open a WebSocket that receives the account's events. Return the function that creates the answer to the
   * client, with these headers. Undefined where the platform has no WebSockets.
   */
  acceptSocket?(
    accountId: string,
    listener: SocketListener,
  ): Promise<(headers: Record<string, string>) => Response>
  /**
   * Delete the stored events of an account, and close the connections whose sign-in has ended. Throw when no
   * hub answers. With `isErased` the account no longer exists: free all that the hub has stored, and throw
   * while connections are open.
   */
  forget(accountId: string, options?: { isErased: boolean }): Promise<void>
  /** Throw when no hub answers. */
  ping(): Promise<void>
}
