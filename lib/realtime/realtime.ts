/** An event for the open streams of an account. */
export const liveEvents = ['handoff_created', 'handoff_assessment_ready', 'ai_task_finished'] as const

export interface LiveEvent {
  /** The id of its row. The hub ignores a second event with the same key. */
  key: string
  event: (typeof liveEvents)[number]
  data: Record<string, unknown>
}

export interface StreamListener {
  userId: string
  signInId: string
  /** The last event that the client received on an earlier stream. */
  lastEventId: string | null
  /** Aborted when the client disconnects. */
  signal: AbortSignal
}

export interface RealtimePort {
  /** Throw when the hub does not accept the events within a second. Their rows remain, and the sweep publishes them again. */
  publish(accountId: string, events: readonly LiveEvent[]): Promise<void>
  /** Open a stream of the account's server-sent events. It ends when the client disconnects or loses access. */
  subscribe(accountId: string, listener: StreamListener): Promise<ReadableStream<Uint8Array>>
  /** Throw when no hub answers. */
  ping(): Promise<void>
}
