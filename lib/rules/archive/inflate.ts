type Bytes = Uint8Array<ArrayBuffer>

/** What is written at once: deflate makes at most 1,032 bytes of one, so 16 MiB. */
const pieceBytes = 16 * 1024

/**
 * Decompress data, and yield its parts. Throw if it is invalid. workerd decompresses all that is written to a
 * stream at once and keeps it until it is read. So a piece is written when nothing is left to read.
 */
export async function* inflateParts(
  data: Bytes,
  format: CompressionFormat = 'deflate-raw',
): AsyncGenerator<Bytes, void, undefined> {
  const { readable, writable } = new DecompressionStream(format)
  const reader = (readable as ReadableStream<Bytes>).getReader()
  // Whoever reads learns of an error. `Blob.stream()` takes twice as long for short data.
  const writer = writable.getWriter()
  let at = 0
  const writePiece = () => {
    const piece = data.subarray(at, at + pieceBytes)
    at += pieceBytes
    writer.write(piece).catch(() => {})
    if (at >= data.length) writer.close().catch(() => {})
  }
  writePiece()
  try {
    for (let reading = reader.read(); ; reading = reader.read()) {
      while (at < data.length && !(await isSettledSoon(reading))) writePiece()
      const { done, value } = await reading
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

/** Return whether a promise is settled when other work of this process had its turn. */
function isSettledSoon(promise: Promise<unknown>): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  )
  return Promise.race([settled, new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 1))])
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
  const chunks: Bytes[] = []
  let size = 0
  try {
    for await (const part of inflateParts(deflated)) {
      size += part.byteLength
      if (size > maxBytes) return null
      chunks.push(part)
    }
    return new Blob(chunks)
  } catch {
    return null
  }
}
