import { describe, expect, it } from 'vitest'
import { createEventStream } from '#http/event-stream.ts'
import { Problem } from '#problem.ts'

describe('a stream of events', () => {
  const read = async (produce: Parameters<typeof createEventStream<{ text: string; done: number }>>[1]) => {
    const effects: (() => Promise<unknown>)[] = []
    const content = await createEventStream({ afterCommit: (effect) => void effects.push(effect) }, produce)
    const body = await new Response(content.body as ReadableStream).text()
    return {
      body,
      type: content.type,
      effects: effects.length,
      completed: await content.completed?.catch((error: Error) => error.message),
    }
  }
  it('has the events in their order, and completes with the result', async () => {
    const produced = await read(async (send) => {
      send('text', 'a\nb')
      send('done', 1)
      return 'result'
    })
    expect(produced).toEqual({
      ...{
        body: 'event: text\ndata: "a\\nb"\n\nevent: done\ndata: 1\n\n',
        type: 'text/event-stream',
        effects: 1,
        completed: 'result',
      },
    })
  })
  it('ends with an error event after a failure', async () => {
    const produced = await read(async (send) => {
      send('text', 'a')
      throw new Problem('already_claimed', 'Taken')
    })
    expect(produced.body).toBe(
      'event: text\ndata: "a"\n\nevent: error\ndata: {"status":409,"detail":"Taken","code":"already_claimed"}\n\n',
    )
  })
  it('throws a failure before the first event', async () => {
    await expect(read(() => Promise.reject(new Problem('conflict')))).rejects.toMatchObject({
      kind: 'conflict',
    })
  })
  it('continues the work when the client disconnects', async () => {
    const next = Promise.withResolvers<void>()
    const content = await createEventStream<{ text: string }>({ afterCommit: () => {} }, async (send) => {
      send('text', 'a')
      await next.promise
      send('text', 'b')
      return 'result'
    })
    await (content.body as ReadableStream).cancel()
    next.resolve()
    expect(await content.completed).toBe('result')
  })
})
