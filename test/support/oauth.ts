import { expect } from 'vitest'
import { type Answer, request, type Service } from './app.ts'

export type Provider = 'google' | 'microsoft'
type Persona = { email?: string; name?: string; sub?: string; tid?: string; oid?: string; email_verified?: 'true' | 'false' }

/** An address that nobody calls from: limits of public operations count by it. */
const anywhere = () => ({ 'cf-connecting-ip': `2001:db8::${crypto.randomUUID().slice(0, 4)}:${crypto.randomUUID().slice(0, 4)}` })

export const authorize = (service: Service, provider: string) =>
  request(service, 'GET', `/auth/oauth/${provider}/authorize`, { headers: anywhere() })

export const callback = (service: Service, provider: string, body: unknown): Promise<Answer> =>
  request(service, 'POST', `/auth/oauth/${provider}/callback`, { body, headers: anywhere() })

/** Says who one is on the provider's page; the parameters it sends the browser back with. */
export async function say(authorizationUrl: string, persona: Persona & { deny?: string }): Promise<Record<string, string>> {
  const url = new URL(authorizationUrl)
  const body = new URLSearchParams({ ...Object.fromEntries(url.searchParams), ...persona })
  const answer = await fetch(url.origin + url.pathname, { method: 'POST', body, redirect: 'manual' })
  expect(answer.status, await answer.clone().text()).toBe(302)
  return Object.fromEntries(new URL(answer.headers.get('location') ?? '').searchParams)
}

/** As far as the browser comes: the code and state of somebody who was at the provider. */
export async function visitProvider(service: Service, provider: Provider, persona: Persona): Promise<{ code: string; state: string }> {
  const begun = await authorize(service, provider)
  expect(begun.status, begun.text).toBe(200)
  const { code = '', state = '' } = await say(begun.body.authorization_url, persona)
  expect(state).toBe(begun.body.state)
  return { code, state }
}

/** A whole sign-in; `more` goes beside code and state. */
export async function signInWith(service: Service, provider: Provider, persona: Persona, more: object = {}): Promise<Answer> {
  return callback(service, provider, { ...(await visitProvider(service, provider, persona)), ...more })
}
