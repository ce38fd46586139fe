import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { callStoredRequest, prefersAsync, storeUnlessAnswered } from '#http/ai-task.ts'
import { createStubScope } from '#test/support/stub-scope.ts'
import { createStubServices } from '#test/support/stub-services.ts'

it('AIT-07 calls the operation of a task also when the public address of the service has a path', async () => {
  const urls: string[] = []
  const dispatch = (request: Request) => {
    urls.push(request.url)
    return Response.json({})
  }
  const services = createStubServices({
    dispatch,
    config: { PUBLIC_BASE_URL: 'https://example.com/support' },
  })
  const caller = { accountId: 'a', userId: 'u', signInId: 's' }
  await callStoredRequest(services, {
    id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2f01',
    caller,
    path: '/assistant/suggest?x=1',
    body: '{}',
  })
  expect(urls).toEqual(['https://example.com/api/v1/assistant/suggest?x=1'])
})

const request = (headers: Record<string, string>) => new Request('https://api.example.com/', { headers })

it.each([
  [{ prefer: 'respond-async' }, true],
  [{ prefer: 'wait=5, Respond-Async ' }, true],
  [{ prefer: 'respond-async; x' }, false],
  [{ prefer: 'wait=5' }, false],
  [{}, false],
])('asks for an answer in the background with %j: %s', (headers, expected) => {
  expect(prefersAsync(request(headers as Record<string, string>))).toBe(expected)
})

describe('a request whose answer takes long', () => {
  /** Wait for the answer of a request with a clock that the test moves. */
  function waitForAnswer() {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const leaving = new AbortController()
    const { promise, resolve } = Promise.withResolvers<{ status: number; body: string }>()
    const effects: Promise<unknown>[] = []
    const statements: string[] = []
    const { db } = createStubScope(({ sql }) => {
      statements.push(...(/insert into ai_tasks|update ai_tasks/.exec(sql) ?? []))
      return []
    })
    const c = {
      req: { url: 'https://api.example.com/api/v1/assistant/suggest', raw: { signal: leaving.signal } },
      executionCtx: { waitUntil: (effect: Promise<unknown>) => effects.push(effect) },
    }
    const caller = { accountId: 'a', userId: 'u', signInId: 's' }
    const request = { c, op: { id: 'assistant.suggest' }, caller, rawBody: '{}' } as never
    const progress = {
      counts: { started: 0, answered: 0 },
      onCall() {},
      onAnswer() {},
      show() {},
      finish() {},
    }
    storeUnlessAnswered(
      request,
      { scope: { db } as never, id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2f01', progress },
      promise,
    )
    const answer = async (status: number) => {
      resolve({ status, body: '{}' })
      await Promise.all(effects)
    }
    return { answer, statements, leave: () => leaving.abort() }
  }

  it('AIT-06 is stored when its client disconnects', async () => {
    const { answer, statements, leave } = waitForAnswer()
    leave()
    await vi.advanceTimersByTimeAsync(0)
    expect(statements).toEqual(['insert into ai_tasks'])
    await answer(200)
    expect(statements).toEqual(['insert into ai_tasks', 'update ai_tasks'])
  })

  it('AIT-06 is stored once, after two seconds', async () => {
    const { statements, leave } = waitForAnswer()
    await vi.advanceTimersByTimeAsync(1999)
    expect(statements).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    leave()
    await vi.advanceTimersByTimeAsync(0)
    expect(statements).toEqual(['insert into ai_tasks'])
  })

  it('AIT-07 stays with its process as long as this renews it every 20 seconds', async () => {
    const { answer, statements } = waitForAnswer()
    await vi.advanceTimersByTimeAsync(19_999)
    expect(statements).toEqual(['insert into ai_tasks'])
    await vi.advanceTimersByTimeAsync(1)
    expect(statements).toEqual(['insert into ai_tasks', 'update ai_tasks'])
    await answer(503)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(statements).toHaveLength(2)
  })

  it.each([
    [200, 1],
    [499, 1],
    [500, 0],
    [501, 0],
    [502, 1],
    [503, 0],
  ])('AIT-03 has the answer %i stored %i times, and a job repeats the others', async (status, times) => {
    const { answer, statements, leave } = waitForAnswer()
    leave()
    await answer(status)
    expect(statements.filter((text) => text === 'update ai_tasks')).toHaveLength(times)
  })

  it('AIT-08 stores nothing when it is answered within two seconds', async () => {
    const { answer, statements } = waitForAnswer()
    await vi.advanceTimersByTimeAsync(1999)
    await answer(200)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(statements).toEqual([])
  })
})
