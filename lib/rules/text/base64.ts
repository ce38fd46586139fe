/** `btoa` reads one character per byte, and a call takes a limited number of arguments. */
const chunkSize = 0x6000

export function encodeBase64(bytes: Uint8Array): string {
  let encoded = ''
  // The chunk size is divisible by three, so the chunks join without padding.
  for (let start = 0; start < bytes.length; start += chunkSize)
    encoded += btoa(String.fromCharCode(...bytes.subarray(start, start + chunkSize)))
  return encoded
}
