// @module-tag mechanism
import { expect, it } from 'vitest'
import { measureThreadCpuTimeMs } from '#test/support/measure.ts'
import { readObjects } from '#vendors/net/read-objects.ts'

/** Read the objects of a text that arrives in pieces of some characters, the first one shorter by `offset`. */
async function read(text: string, size: number, offset = 0): Promise<unknown[]> {
  const bytes = new TextEncoder().encode(text)
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = -offset; at < bytes.length; at += size)
        controller.enqueue(bytes.subarray(Math.max(0, at), Math.max(0, at + size)))
      controller.close()
    },
  })
  const objects: unknown[] = []
  for await (const object of readObjects('ai', new Response(body))) objects.push(object)
  return objects
}

it.each(['\n', '\r\n', '\r'])(
  'AIM-11 reads the same objects wherever a stream is cut, with lines that end with %j',
  async (end) => {
    const text = [
      'data: {"n":1}',
      '',
      ': ping',
      'event: x',
      'data: {"n":',
      'data: 2}',
      '',
      'data: [DONE]',
      '',
      '',
    ].join(end)
    for (let size = 1; size <= 9; size++)
      for (let offset = 0; offset < size; offset++)
        expect(await read(text, size, offset)).toEqual([{ n: 1 }, { n: 2 }])
  },
)

it('joins a whole answer once, in however many pieces it arrives', async () => {
  const answer = JSON.stringify({ text: 'a'.repeat(4 * 1024 * 1024) })
  expect(await measureThreadCpuTimeMs(() => read(answer, 1024))).toBeLessThan(1000)
})
