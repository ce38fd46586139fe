import type { Hono } from 'hono'
import type { C, Env, Services } from '#http/app.ts'
import type { KeyMemory } from '#http/key-memory.ts'

/**
 * Add the SCIM 2.0 server (RFC 7644) at `/scim/v2`, with which the provider of an organisation provisions the
 * members of its account. Callers have the token of the account's connection, which opens nothing else. It is
 * loaded by the first call, because few requests need it.
 */
export function mountScim(app: Hono<Env>, services: Services, keys: KeyMemory): void {
  app.on(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], ['/scim/v2', '/scim/v2/*'], async (c) => {
    const { answerScim } = await import('./scim-server.ts')
    return answerScim(c as C, services, keys)
  })
}
