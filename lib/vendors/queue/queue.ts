import type { PingResult } from '#vendors/net/ping-result.ts'

/** A job for later, delivered at least once to the job of a path. */
export interface Message {
  path: `/jobs/${string}`
  body: Record<string, string | number>
  delaySeconds?: number
  /** The queue drops a second message with the same id, for a minute at least. */
  deduplicationId?: string
}

export interface QueuePort {
  /**
   * Publish all messages in one call. Throw if the queue does not accept them. No job is lost: a sweep
   * publishes them again from their database rows.
   */
  publish(messages: Message[]): Promise<void>
  /** Throw when the queue does not answer. */
  ping(): Promise<PingResult>
}
