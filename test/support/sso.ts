import { expect } from 'vitest'
import { parseConfig } from '#config.ts'
import { organisationClientId } from '#local/vendors/identity/organisation.ts'
import { sealClientSecret } from '#vendors/auth/sealed-client-secret.ts'
import { createVault } from '#vendors/auth/vault.ts'
import type { ApiResponse, Service } from './app.ts'
import { createAccount, type TestAccount } from './people.ts'
import { postWithoutToken } from './public-requests.ts'

export interface OrganisationPerson {
  email?: string
  name?: string
  sub?: string
  groups?: string
}

export interface Organisation {
  account: TestAccount
  name: string
  issuer: string
  /** A domain that the account has proved. */
  domain: string
  connectionId: string
  createEmail(): string
  /** Make the local provider misbehave; without a behaviour it is well again. */
  behave(behaviour?: object): Promise<void>
}

export const clientSecretOf = (service: Service) => service.settings.GOOGLE_CLIENT_SECRET ?? ''

export const createIssuer = (service: Service, name = crypto.randomUUID()) => ({
  name,
  issuer: `${service.localOrigin}/idp/org/${name}`,
})

/** Insert the connection of an account to a local provider, and a proved domain. */
export async function connectOrganisation(
  service: Service,
  account: TestAccount,
  {
    mode = 'optional',
    group_roles = [],
    ...settings
  }: { mode?: string; group_roles?: object[] } & Partial<{
    issuer: string
    name: string
  }> = {},
): Promise<Organisation> {
  const { name, issuer } = { ...createIssuer(service), ...settings }
  const domain = `${crypto.randomUUID()}.example`
  const connectionId = await insertConnection(service, account.id, { issuer, mode, group_roles })
  await service.sql(
    `insert into sso_domains (account_id, domain, token, verified_at) values ($1, $2, 'token-of-the-domain-0', now())`,
    [account.id, domain],
  )
  return {
    account,
    name,
    issuer,
    domain,
    connectionId,
    createEmail: () => `p-${crypto.randomUUID().slice(0, 12)}@${domain}`,
    behave: async (behaviour = {}) => {
      const response = await fetch(`${issuer}/behaviour`, { method: 'PUT', body: JSON.stringify(behaviour) })
      expect(response.status).toBe(204)
    },
  }
}

export const createOrganisation = async (
  service: Service,
  settings: Parameters<typeof connectOrganisation>[2] = {},
) => connectOrganisation(service, await createAccount(service), settings)

export async function insertConnection(
  service: Service,
  accountId: string,
  { issuer, mode = 'optional', group_roles = [] }: { issuer: string; mode?: string; group_roles?: object[] },
): Promise<string> {
  const vault = createVault(parseConfig(service.settings).CREDENTIALS_KEY)
  const secret = await sealClientSecret(vault, accountId, clientSecretOf(service))
  const [row] = await service.sql<{ id: string }>(
    `insert into sso_connections (account_id, issuer, client_id, client_secret, scopes, mode, group_roles)
     values ($1, $2, $3, $4, '{openid,email,profile}', $5, $6)
     on conflict (account_id) do update set issuer = excluded.issuer returning id`,
    [accountId, issuer, organisationClientId, secret, mode, JSON.stringify(group_roles)],
  )
  return row?.id ?? ''
}

/** Start a sign-in for an address, and sign in at the provider. Return what the callback needs. */
export async function obtainSsoCode(
  service: Service,
  email: string,
  person: OrganisationPerson = {},
): Promise<{ connectionId: string; code: string; state: string }> {
  const started = await postWithoutToken(service, '/auth/sso/authorize', { email })
  expect(started.status, started.text).toBe(200)
  const url = new URL(started.body.authorization_url)
  const form = { ...Object.fromEntries(url.searchParams), email, ...person }
  const body = new URLSearchParams(Object.entries(form))
  const response = await fetch(url.origin + url.pathname, { method: 'POST', body, redirect: 'manual' })
  expect(response.status, await response.clone().text()).toBe(302)
  const back = new URL(response.headers.get('location') ?? '')
  const [, connectionId = ''] = /^\/oauth\/sso\/([\w-]+)\/callback$/.exec(back.pathname) ?? []
  const { code = '', state = '' } = Object.fromEntries(back.searchParams)
  expect(state).toBe(started.body.state)
  return { connectionId, code, state }
}

export const postSsoCallback = (
  service: Service,
  { connectionId, ...body }: { connectionId: string; code: string; state: string },
): Promise<ApiResponse> => postWithoutToken(service, `/auth/sso/${connectionId}/callback`, body)

/** Sign in through the provider of the organisation that has proved the domain of `email`. */
export async function signInThroughSso(
  service: Service,
  email: string,
  person: OrganisationPerson = {},
): Promise<ApiResponse> {
  return postSsoCallback(service, await obtainSsoCode(service, email, person))
}
