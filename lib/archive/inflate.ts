/** Inflates raw deflate up to `most` bytes; null when it is none or gives more. */
export async function inflateRaw(packed: Uint8Array<ArrayBuffer>, most: number): Promise<string | null> {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return await new Blob(chunks).text()
      size += value.byteLength
      if (size > most) {
        await reader.cancel()
        return null
      }
      chunks.push(value as Uint8Array<ArrayBuffer>)
    }
  } catch {
    return null
  }
}
