/** Create a UUIDv7, for a row whose id must be known before it is written. `at` is in milliseconds since the epoch. */
export function uuidv7(at: number = Date.now()): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  new DataView(bytes.buffer).setUint32(0, Math.floor(at / 2 ** 16))
  new DataView(bytes.buffer).setUint16(4, at % 2 ** 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
