/**
 * Decompress raw deflate data to text. Return null if the data is invalid or its content is larger than
 * `maxBytes`.
 */
export async function inflateRaw(
  deflated: Uint8Array<ArrayBuffer>,
  maxBytes: number,
): Promise<string | null> {
  return (await (await inflate(deflated, maxBytes))?.text()) ?? null
}

/** Decompress raw deflate data, as `inflateRaw` does. */
export async function inflate(deflated: Uint8Array<ArrayBuffer>, maxBytes: number): Promise<Blob | null> {
  const reader = new Blob([deflated]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return new Blob(chunks)
      size += value.byteLength
      if (size > maxBytes) {
        await reader.cancel()
        return null
      }
      chunks.push(value as Uint8Array<ArrayBuffer>)
    }
  } catch {
    return null
  }
}
