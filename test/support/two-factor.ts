import { generateTotpCode } from '#vendors/auth/totp.ts'
import { type ApiResponse, request, type Service } from './app.ts'
import { expectStatus } from './expect-status.ts'
import { postWithoutToken } from './public-requests.ts'

const password = 'violet-tractor-81'

/** Someone who registered with a password. */
export interface Registered {
  email: string
  id: string
  accountId: string
  token: string
  refreshToken: string
  deviceToken: string
  call(method: string, path: string, body?: unknown): Promise<ApiResponse>
}

export async function register(service: Service): Promise<Registered> {
  const email = `p-${crypto.randomUUID()}@people.example`
  const { body } = expectStatus(
    await postWithoutToken(service, '/auth/register', { email, password, full_name: 'Dana Reyes' }),
    201,
  )
  const token = body.access_token as string
  return {
    email,
    id: body.user.id,
    accountId: body.user.account_id,
    token,
    refreshToken: body.refresh_token,
    deviceToken: body.device_token,
    call: callWith(service, token),
  }
}

export function callWith(service: Service, token: string): Registered['call'] {
  return (method, path, body) =>
    request(service, method, path, { token, ...(body === undefined ? {} : { body }) })
}

/** Return the code of a secret at the database's time, `steps` later. */
export async function readCode(service: Service, secret: string, steps = 0): Promise<string> {
  const [row] = await service.sql<{ seconds: number }>(
    'select extract(epoch from app.now())::float8 as seconds',
  )
  return generateTotpCode(secret, (row?.seconds ?? 0) + steps * 30)
}

/**
 * Set up an authenticator app. The code of the previous time step is used, so that the current one is still
 * free.
 */
export async function enableTotp(
  service: Service,
  person: Registered,
): Promise<{ secret: string; code: string; recoveryCodes: string[] }> {
  const { secret } = expectStatus(await person.call('POST', '/auth/mfa/totp'), 201).body
  let code = ''
  const verify = async () => {
    code = await readCode(service, secret, -1)
    return person.call('POST', '/auth/mfa/totp/verify', { code })
  }
  const first = await verify()
  // When a time step ends before the request arrives, the code is too old.
  const verification = first.status === 400 ? await verify() : first
  return { secret, code, recoveryCodes: expectStatus(verification, 200).body.recovery_codes }
}

export const login = (
  service: Service,
  { email }: Pick<Registered, 'email'>,
  fields: object = {},
): Promise<ApiResponse> => postWithoutToken(service, '/auth/login', { email, password, ...fields })

/** Sign in with the password and return the token of the challenge. */
export async function startChallenge(service: Service, person: Pick<Registered, 'email'>): Promise<string> {
  return expectStatus(await login(service, person), 200).body.mfa_token
}

export const completeChallenge = (service: Service, body: object): Promise<ApiResponse> =>
  postWithoutToken(service, '/auth/mfa/challenge', body)
