import type { Service } from './app.ts'
import type { Person } from './people.ts'

export const psaProviders = ['connectwise', 'halopsa'] as const
export type PsaProvider = (typeof psaProviders)[number]

/** Return the body that connects an account to the local ConnectWise emulator. */
export function connectwiseBody({ localOrigin }: Pick<Service, 'localOrigin'>) {
  const credentials = { company_id: 'demo', public_key: 'demo', private_key: 'demo', client_id: 'demo' }
  return { provider: 'connectwise' as const, base_url: `${localOrigin}/psa`, ...credentials }
}

/** Return the body that connects an account to the local emulator of a provider. */
export function connectionBody(service: Pick<Service, 'localOrigin'>, provider: PsaProvider = 'connectwise') {
  if (provider === 'halopsa')
    return { provider, base_url: `${service.localOrigin}/halo`, client_id: 'demo', client_secret: 'demo' }
  return connectwiseBody(service)
}

/** Return credentials that the provider refuses, to replace those of `connectionBody`. */
export function wrongCredentials(provider: PsaProvider) {
  return provider === 'halopsa' ? { client_secret: 'wrong-secret-7' } : { private_key: 'wrong-secret-7' }
}

/** Connect an account to the local emulator of a provider, and return the connection. */
export async function connectPsa(
  service: Pick<Service, 'localOrigin'>,
  admin: Person,
  provider: PsaProvider = 'connectwise',
) {
  const response = await admin.call('PUT', '/integrations/psa/connection', connectionBody(service, provider))
  if (response.status !== 200) throw new Error(`Connecting the ticketing system failed: ${response.text}`)
  return response.body
}
