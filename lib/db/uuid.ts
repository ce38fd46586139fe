/**
 * Create a UUIDv7, for a row whose id must be known before it is written. `at` is in milliseconds since the
 * epoch.
 */
export function uuidv7(at: number = Date.now()): string {
  const time = Math.floor(at).toString(16).padStart(12, '0')
  // The random digits of a UUIDv4, of which the runtime has a supply. Both versions have the variant at the
  // same place.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`
}
