// @module-tag mechanism
import { expect, it } from 'vitest'
import { createClient, type ServerEvent } from '#client/client.ts'
import { createInterceptor, recordWaits } from './interceptor.ts'

/** Return a client whose service answers with these responses, one after the other. */
function createScriptedClient(responses: Response[]) {
  const interceptor = createInterceptor(
    {},
    (_, index) => responses[index] ?? Response.json({}, { status: 403 }),
  )
  const { waits, wait } = recordWaits()
  const client = createClient({ baseUrl: 'https://api.example.com', wait, fetch: interceptor.fetch })
  return { client, waits, requests: interceptor.requests }
}

/** Return an event stream of these chunks. It fails after the last if `isLost`. */
function createStream(chunks: string[], isLost = false): Response {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks.shift()
      if (chunk !== undefined) controller.enqueue(new TextEncoder().encode(chunk))
      else if (isLost) controller.error(new Error('The connection was lost'))
      else controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

/**
 * Collect the events of a stream until it ends. The last script entry refuses the caller, which ends it with
 * an error.
 */
async function collectEvents(events: AsyncIterable<ServerEvent>): Promise<ServerEvent[]> {
  const collected: ServerEvent[] = []
  try {
    for await (const event of events) collected.push(event)
  } catch (error) {
    expect(error).toMatchObject({ status: 403 })
  }
  return collected
}

it('parses ids, names, comments, several data lines and every line end, however the chunks are cut', async () => {
  const { client } = createScriptedClient([
    createStream([
      ': connected\n\nid: 1\r',
      '\nevent: a\r\nda',
      'ta: {"n":1}\r\n\r\n',
      'data: first\r',
      '\ndata:second\r\r',
      'data: unfinished',
    ]),
  ])
  expect(await collectEvents(client.ai.escalations.stream())).toEqual([
    { id: '1', event: 'a', data: { n: 1 } },
    { id: '1', event: 'message', data: 'first\nsecond' },
  ])
})

it('connects again after a lost connection, from the last event and after the time that the service names', async () => {
  const { client, waits, requests } = createScriptedClient([
    createStream(['retry: 2500\n\nid: 7\ndata: 1\n\n'], true),
    createStream(['id: 8\ndata: 2\n\n']),
  ])
  expect((await collectEvents(client.ai.escalations.stream())).map(({ data }) => data)).toEqual([1, 2])
  expect(requests.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, '7', '8'])
  expect(waits).toEqual([2500, 2500])
})

it('waits twice as long after each failed connection', async () => {
  const failures = [1, 2, 3].map(() => new Response('', { status: 502 }))
  const { client, waits } = createScriptedClient([createStream(['retry: 1000\n\n']), ...failures])
  await collectEvents(client.ai.escalations.stream())
  expect(waits).toEqual([1000, 2000, 4000, 8000])
})

it('ends when a newer stream replaces it', async () => {
  const { client, requests } = createScriptedClient([
    createStream(['retry: 300000\nevent: replaced\ndata: {}\n\n']),
  ])
  expect((await collectEvents(client.ai.escalations.stream())).map(({ event }) => event)).toEqual([
    'replaced',
  ])
  expect(requests).toHaveLength(1)
})

it('throws when the first connection is refused', async () => {
  const { client } = createScriptedClient([])
  await expect(client.ai.escalations.stream().next()).rejects.toMatchObject({ status: 403 })
})

it('closes the connection when the caller stops', async () => {
  let isCancelled = false
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
    cancel: () => {
      isCancelled = true
    },
  })
  const { client } = createScriptedClient([new Response(body)])
  for await (const { data } of client.ai.escalations.stream()) {
    expect(data).toBe(1)
    break
  }
  expect(isCancelled).toBe(true)
})

it('throws the `error` event of an answer that fails after its first part', async () => {
  const error =
    'event: error\ndata: {"status":502,"detail":"The model failed","code":"ai_provider_error"}\n\n'
  const { client } = createScriptedClient([createStream(['event: delta\ndata: {"text":"It"}\n\n', error])])
  const events = client.ai.turns.sendMessage.stream({ session_id: 'a', message: 'It is offline' })
  expect(await events.next()).toMatchObject({ value: { event: 'delta' } })
  await expect(events.next()).rejects.toMatchObject({
    status: 502,
    code: 'ai_provider_error',
    message: 'The model failed',
  })
})

it('stops waiting for the next connection when the signal aborts', async () => {
  const abort = new AbortController()
  const { fetch } = createInterceptor({}, () => createStream([]))
  const client = createClient({ baseUrl: 'https://api.example.com', fetch })
  const next = client.ai.escalations.stream({}, { signal: abort.signal }).next()
  abort.abort(new Error('Left the page'))
  await expect(next).rejects.toThrow('Left the page')
})
