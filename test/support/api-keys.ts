import { type ApiResponse, request, type Service } from './app.ts'
import { expectStatus } from './expect-status.ts'
import type { Person, TestAccount } from './people.ts'
import { createTestClient } from './test-client.ts'

/** An API key as a caller. Its user is `id`. */
export interface KeyCaller extends Person {
  key: string
}

interface KeyOptions {
  role?: 'viewer' | 'engineer' | 'admin'
  team_id?: string
  scopes?: string[]
  allowed_ranges?: string[]
  expires_at?: string
  name?: string
}

/**
 * Create an API key as the account's admin, by default one that may do everything that an engineer's key may.
 */
export async function createKey(
  service: Service,
  { admin }: Pick<TestAccount, 'admin'>,
  options: KeyOptions = {},
): Promise<KeyCaller> {
  const input = { name: 'Ticket sync', role: 'engineer', scopes: ['*:write'], ...options }
  const { body } = expectStatus(await admin.call('POST', '/api-keys', input), 201)
  const call = (
    method: string,
    path: string,
    content?: unknown,
    headers?: Record<string, string>,
  ): Promise<ApiResponse> =>
    request(service, method, path, {
      token: body.key,
      ...(content === undefined ? {} : { body: content }),
      ...(headers ? { headers } : {}),
    })
  const person = {
    id: body.id,
    accountId: admin.accountId,
    teamId: options.team_id ?? '',
    signInId: body.id,
    email: '',
    fullName: input.name,
  }
  return { ...person, token: body.key, key: body.key, call, client: createTestClient(service, body.key) }
}
