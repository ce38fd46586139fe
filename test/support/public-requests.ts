import { randomBytes } from 'node:crypto'
import { type ApiResponse, request, type Service } from './app.ts'
import { expectStatus } from './expect-status.ts'

/** Return a new IPv6 address. Public operations are rate limited by address. */
export function randomIpAddress(): string {
  return `2001:db8:${(randomBytes(12).toString('hex').match(/.{4}/g) ?? []).join(':')}`
}

/** Post a body without a token, from a new IP address. */
export function postWithoutToken(
  service: Service,
  path: string,
  body: unknown,
  address = randomIpAddress(),
): Promise<ApiResponse> {
  return request(service, 'POST', path, { body, headers: { 'cf-connecting-ip': address } })
}

/** Register a user with a new account. Return what the user signs in with. */
export async function registerUser(service: Service): Promise<{ email: string; password: string }> {
  const user = { email: `p-${crypto.randomUUID()}@people.example`, password: 'violet-tractor-81' }
  expectStatus(await postWithoutToken(service, '/auth/register', { ...user, full_name: 'Dana Reyes' }), 201)
  return user
}
