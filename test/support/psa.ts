import type { Service } from './app.ts'
import type { Person } from './people.ts'

export const providers = ['connectwise', 'halopsa'] as const
export type Provider = (typeof providers)[number]

export function connectwiseBody({ local }: Pick<Service, 'local'>) {
  const keys = { company_id: 'demo', public_key: 'demo', private_key: 'demo', client_id: 'demo' }
  return { provider: 'connectwise' as const, base_url: `${local}/psa`, ...keys }
}

/** The body that connects an account to the local stand-in of a provider. */
export function connectionBody(service: Pick<Service, 'local'>, provider: Provider = 'connectwise') {
  if (provider === 'halopsa') return { provider, base_url: `${service.local}/halo`, client_id: 'demo', client_secret: 'demo' }
  return connectwiseBody(service)
}

/** What of the body is wrong with every key. */
export function wrongKeys(provider: Provider) {
  return provider === 'halopsa' ? { client_secret: 'wrong-secret-7' } : { private_key: 'wrong-secret-7' }
}

export async function connect(service: Pick<Service, 'local'>, admin: Person, provider: Provider = 'connectwise') {
  const answer = await admin.call('PUT', '/integrations/psa/connection', connectionBody(service, provider))
  if (answer.status !== 200) throw new Error(`The connection was refused: ${answer.text}`)
  return answer.body
}
