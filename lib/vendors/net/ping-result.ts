/** What a vendor said when it was asked whether it answers. */
export interface PingResult {
  /** It answered 429: it is there, but was called too often. */
  isLimited: boolean
}

/** Return an error with the status, which `/ready` logs. */
export function createPingError(vendor: string, status: number): Error {
  return Object.assign(new Error(`${vendor} returned ${status}`), { status })
}
