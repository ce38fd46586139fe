/** Read a whole body. When it is longer than `maxBytes`, cancel it and throw what `createError` returns. */
export async function readAtMost(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  createError: () => Error,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    size += chunk.byteLength
    // Leaving the loop cancels the body.
    if (size > maxBytes) throw createError()
    chunks.push(chunk)
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : concatenate(chunks, size)
}

function concatenate(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}
