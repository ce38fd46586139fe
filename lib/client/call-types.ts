/** Options of one call. */
export interface CallOptions {
  /** Ends the call, its waits and its stream. */
  signal?: AbortSignal | undefined
  /** Name of the request. Without one, each call of a POST gets a random key, which its retries share. */
  idempotencyKey?: string | undefined
  /**
   * Called with the headers of each successful answer. `Idempotent-Replayed: true` marks one that repeats
   * that of an earlier request.
   */
  onHeaders?: ((headers: Headers) => void) | undefined
}

export interface FollowOptions extends CallOptions {
  /**
   * Follow through a WebSocket, where the service has them and one opens. On Cloudflare an open WebSocket
   * costs less than a stream.
   */
  webSocket?: boolean | undefined
}

/** A file to upload. `filename` is needed when `file` is a Blob without a name. */
export interface FileInput {
  file: Blob
  filename?: string | undefined
}

/** A task that the service completes in the background. Get its answer with `ai.tasks.get`. */
export interface BackgroundTask {
  task_id: string
  state: 'queued'
}

/**
 * One server-sent event. `data` is the parsed JSON. A newer service may send events that are not in the
 * types.
 */
export interface ServerEvent<Name extends string = string, Data = unknown> {
  /** Id of the last event that had one, or an empty string. */
  id: string
  event: Name
  data: Data
}
