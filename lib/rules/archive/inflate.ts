type Bytes = Uint8Array<ArrayBuffer>

/** Start to decompress data, whose parts the reader returns. */
export function startInflate(
  data: Bytes,
  format: CompressionFormat = 'deflate-raw',
): ReadableStreamDefaultReader<Bytes> {
  const { readable, writable } = new DecompressionStream(format)
  // Whoever reads learns of an error. `Blob.stream()` takes twice as long for short data.
  const writer = writable.getWriter()
  writer.write(data).catch(() => {})
  writer.close().catch(() => {})
  return readable.getReader() as ReadableStreamDefaultReader<Bytes>
}

/**
 * Decompress raw deflate data to text. Return null if the data is invalid or its content is larger than
 * `maxBytes`.
 */
export async function inflateRaw(deflated: Bytes, maxBytes: number): Promise<string | null> {
  return (await (await inflate(deflated, maxBytes))?.text()) ?? null
}

/** Decompress raw deflate data, as `inflateRaw` does. */
export async function inflate(deflated: Bytes, maxBytes: number): Promise<Blob | null> {
  const reader = startInflate(deflated)
  const chunks: Bytes[] = []
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
      chunks.push(value)
    }
  } catch {
    return null
  }
}
