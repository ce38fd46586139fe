import { expect } from 'vitest'
import { type Client, createClient } from '#client/client.ts'
import { findDeclaredStatuses, type Service } from './app.ts'

/**
 * Create a client that sends the requests of a signed-in user. It repeats nothing, and expects that the
 * OpenAPI document declares the status of each answer. A call that succeeds has therefore got the one success
 * status that its operation declares.
 */
export function createTestClient(service: Pick<Service, 'api' | 'fetch'>, token: string): Client {
  const send = async (request: Request) => {
    const response = await (service.fetch ?? fetch)(request)
    const path = request.url.slice(`${service.api}/api/v1`.length)
    expect(findDeclaredStatuses(request.method, path), `${request.method} ${path}`).toContain(
      String(response.status),
    )
    return response
  }
  // An access token is sent as an API key is, so that a 401 is not answered with a refresh.
  return createClient({ baseUrl: service.api, apiKey: token, fetch: send, maxRetries: 0 })
}
