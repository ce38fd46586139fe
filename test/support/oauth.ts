import { expect } from 'vitest'
import { type ApiResponse, request, type Service } from './app.ts'
import { postWithoutToken, randomIpAddress } from './public-requests.ts'

export type Provider = 'google' | 'microsoft'
type Persona = {
  email?: string
  name?: string
  sub?: string
  tid?: string
  oid?: string
  email_verified?: 'true' | 'false'
}

export const requestAuthorization = (service: Service, provider: string) =>
  request(service, 'GET', `/auth/oauth/${provider}/authorize`, {
    headers: { 'cf-connecting-ip': randomIpAddress() },
  })

export const postCallback = (service: Service, provider: string, body: unknown): Promise<ApiResponse> =>
  postWithoutToken(service, `/auth/oauth/${provider}/callback`, body)

/** Submit the local provider's sign-in page as a persona. Return the parameters of the redirect back. */
export async function signInAtProvider(
  authorizationUrl: string,
  persona: Persona & { deny?: string },
): Promise<Record<string, string>> {
  const url = new URL(authorizationUrl)
  const body = new URLSearchParams({ ...Object.fromEntries(url.searchParams), ...persona })
  const response = await fetch(url.origin + url.pathname, { method: 'POST', body, redirect: 'manual' })
  expect(response.status, await response.clone().text()).toBe(302)
  return Object.fromEntries(new URL(response.headers.get('location') ?? '').searchParams)
}

/** Start a sign-in and sign in at the local provider. Return the code and state that the callback needs. */
export async function obtainProviderCode(
  service: Service,
  provider: Provider,
  persona: Persona,
): Promise<{ code: string; state: string }> {
  const authorization = await requestAuthorization(service, provider)
  expect(authorization.status, authorization.text).toBe(200)
  const { code = '', state = '' } = await signInAtProvider(authorization.body.authorization_url, persona)
  expect(state).toBe(authorization.body.state)
  return { code, state }
}

/** Sign in through a local provider. `fields` are added to the callback's body. */
export async function signInThroughProvider(
  service: Service,
  provider: Provider,
  persona: Persona,
  fields: object = {},
): Promise<ApiResponse> {
  return postCallback(service, provider, {
    ...(await obtainProviderCode(service, provider, persona)),
    ...fields,
  })
}
