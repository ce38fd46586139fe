/**
 * Return whether pages of an origin may call from a browser. An entry such as `http://localhost:*` allows
 * each port.
 */
export function isAllowedOrigin(allowed: readonly string[], origin: string): boolean {
  return allowed.includes(origin) || allowed.includes(origin.replace(/:\d{1,5}$/, ':*'))
}
