/** A job for later, delivered at least once to a path of this service. */
export interface Message {
  path: `/jobs/${string}`
  body: Record<string, string | number>
  delaySeconds?: number
  /** The queue drops a second message with the same id. */
  deduplicationId?: string
}

export interface QueuePort {
  /**
   * Publish all messages in one call. Throw if the queue does not accept them. No job is lost: a sweep publishes them again from their
   * database rows.
   */
  publish(messages: Message[]): Promise<void>
  /** Throw when the queue does not answer. */
  ping(): Promise<void>
}
