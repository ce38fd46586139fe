import { concatBytes } from '#rules/text/bytes.ts'

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
  return chunks.length === 1 && chunks[0] ? chunks[0] : concatBytes(chunks)
}
