/** A job for later: delivered at least once, to a path of this Worker. */
export interface Message {
  path: `/jobs/${string}`
  body: Record<string, string | number>
  delaySeconds?: number
  /** A second message of the same id is dropped by the queue. */
  deduplicationId?: string
}

export interface QueuePort {
  /** All in one call. Throws when the queue does not take them; what must not be lost is a row that a sweep finds. */
  publish(messages: Message[]): Promise<void>
  /** Throws when the queue does not answer as it should. */
  ping(): Promise<void>
}
