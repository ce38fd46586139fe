import { expect, it } from 'vitest'
import { callStoredRequest, prefersAsync } from '../../lib/http/ai-task.ts'
import { createStubServices } from '../support/stub-services.ts'

it('AIT-07 calls the operation of a task also when the public address of the service has a path', async () => {
  const urls: string[] = []
  const dispatch = (request: Request) => {
    urls.push(request.url)
    return Response.json({})
  }
  const services = createStubServices({ dispatch, config: { PUBLIC_BASE_URL: 'https://example.com/support' } })
  const caller = { accountId: 'a', userId: 'u', signInId: 's' }
  await callStoredRequest(services, { id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2f01', caller, path: '/assistant/suggest?x=1', body: '{}' })
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
