/** Something that an account's open streams are told. */
export interface LiveEvent {
  /** Of its row: the hub takes a copy for the event it has already. */
  key: string
  event: 'handoff_created' | 'handoff_assessment_ready'
  data: Record<string, unknown>
}

export interface Listener {
  userId: string
  signInId: string
  /** The last event heard on an earlier stream. */
  lastEventId: string | null
  /** Aborted when the client leaves. */
  signal: AbortSignal
}

export interface RealtimePort {
  /** Throws when the hub does not take them within a second; what must not be lost is a row that a sweep finds. */
  publish(accountId: string, events: readonly LiveEvent[]): Promise<void>
  /** Server-sent events of the account, until the listener leaves or may not listen any more. */
  subscribe(accountId: string, listener: Listener): Promise<ReadableStream<Uint8Array>>
}
