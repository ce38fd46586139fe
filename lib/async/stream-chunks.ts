type Bytes = Uint8Array<ArrayBuffer>

/**
 * Return a stream that reads a chunk only when the client has taken the one before, so that few are in memory.
 * The first one is read before: once a response has started, a failure could no longer be answered.
 */
export async function streamChunks(chunks: AsyncGenerator<Bytes, undefined>): Promise<ReadableStream<Bytes>> {
  let next: IteratorResult<Bytes, undefined> | undefined = await chunks.next()
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        const { done, value } = next ?? (await chunks.next())
        next = undefined
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await chunks.return(undefined)),
    },
    { highWaterMark: 0 },
  )
}
