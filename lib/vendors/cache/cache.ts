/** A cache of JSON values. Every failure is a miss, so nothing may depend on it. */
export interface CachePort {
  /** Return the stored JSON, or undefined. The caller checks its shape. */
  get(key: string): Promise<unknown>
  /** Store a value for some seconds, if the cache answers. */
  set(key: string, value: unknown, seconds: number): Promise<void>
  /** Delete a value, if the cache answers. */
  delete(key: string): Promise<void>
}
