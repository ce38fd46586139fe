import { concatBytes } from '#rules/text/bytes.ts'

/** Read the first bytes of a body as text, and cancel the rest. */
export async function readStart({ body }: Response, maxBytes: number): Promise<string> {
  if (!body) return ''
  const decoder = new TextDecoder()
  let text = ''
  let readBytes = 0
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk.subarray(0, maxBytes - readBytes), { stream: true })
    readBytes += chunk.byteLength
    // Leaving the loop cancels the body.
    if (readBytes >= maxBytes) break
  }
  // PostgreSQL accepts no NUL character.
  return text.replaceAll('\0', '')
}

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
