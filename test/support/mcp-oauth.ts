import { createHash, randomBytes } from 'node:crypto'
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import type { Service } from './app.ts'
import { expectStatus } from './expect-status.ts'
import type { Person } from './people.ts'
import { randomIpAddress } from './public-requests.ts'

type Api = Pick<Service, 'api'>
export const redirectUri = 'http://127.0.0.1:33418/callback'

/** Send a request to the OAuth server, with a form or JSON. */
export async function postOAuth(
  service: Api,
  path: string,
  body: Record<string, string> | { json: unknown },
  address = randomIpAddress(),
) {
  const isJson = 'json' in body
  const response = await fetch(`${service.api}${path}`, {
    method: 'POST',
    headers: {
      'cf-connecting-ip': address,
      'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
    },
    body: isJson ? JSON.stringify(body.json) : new URLSearchParams(body as Record<string, string>).toString(),
  })
  const text = await response.text()
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of the body it expects
  return { status: response.status, body: JSON.parse(text) as any, text }
}

export async function registerClient(service: Api, metadata: Record<string, unknown> = {}): Promise<string> {
  const json = { client_name: 'Assistant', redirect_uris: [redirectUri], ...metadata }
  return expectStatus(await postOAuth(service, '/oauth/register', { json }), 201).body.client_id
}

/** Follow an authorization request to the page of the frontend, or back to the program. */
export async function startAuthorization(
  service: Api,
  url: URL | string,
): Promise<{ status: number; location: URL | null; detail?: string }> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { 'cf-connecting-ip': randomIpAddress() },
  })
  const location = response.headers.get('location')
  if (location) return { status: response.status, location: new URL(location, service.api) }
  const { detail = '' } = (await response.json().catch(() => ({}))) as { detail?: string }
  return { status: response.status, location: null, detail }
}

/**
 * Agree as the page of the frontend does. Return the parameters with which the browser comes back to the
 * program.
 */
export async function agree(person: Person, consentUrl: URL, scopes?: string[]): Promise<URLSearchParams> {
  const { scope = '', ...query } = Object.fromEntries(consentUrl.searchParams)
  const { body } = expectStatus(
    await person.call('POST', '/auth/consents', { ...query, scopes: scopes ?? scope.split(' ') }),
    201,
  )
  return new URL(body.redirect_to).searchParams
}

export function createVerifier() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Register a program and let a person agree. Return the request that exchanges the code. */
export async function obtainCode(
  service: Api,
  person: Person,
  scopes: string[] = ['flows:read'],
): Promise<Record<string, string>> {
  const client_id = await registerClient(service)
  const { verifier, challenge } = createVerifier()
  const input = { client_id, redirect_uri: redirectUri, scopes, code_challenge: challenge }
  const { body } = expectStatus(await person.call('POST', '/auth/consents', input), 201)
  const code = new URL(body.redirect_to).searchParams.get('code') ?? ''
  return {
    grant_type: 'authorization_code',
    code,
    client_id,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  }
}

/** Obtain the tokens of a program. */
export async function obtainTokens(service: Api, person: Person, scopes?: string[]) {
  const exchange = await obtainCode(service, person, scopes)
  const { body } = expectStatus(await postOAuth(service, '/oauth/token', exchange), 200)
  return {
    ...(body as { access_token: string; refresh_token: string; scope: string }),
    client_id: exchange.client_id as string,
  }
}

/**
 * Connect the official client with OAuth: it discovers, registers itself and sends the person to the page of
 * the consent.
 */
export async function connectWithOAuth(service: Api, person: Person, scopes?: string[]): Promise<Client> {
  return (await connectProgram(service, person, scopes)).client
}

/** Connect as `connectWithOAuth`. `agreeAgain` plays the person whom the client asks for more. */
export async function connectProgram(service: Api, person: Person, scopes?: string[]) {
  const store: { client?: unknown; tokens?: unknown; verifier?: string; url?: URL } = {}
  const authProvider: OAuthClientProvider = {
    redirectUrl: redirectUri,
    clientMetadata: { client_name: 'Test client', redirect_uris: [redirectUri] },
    state: () => 'the-state',
    clientInformation: () => store.client as never,
    saveClientInformation: (client) => void Object.assign(store, { client }),
    tokens: () => store.tokens as never,
    saveTokens: (tokens) => void Object.assign(store, { tokens }),
    redirectToAuthorization: (url) => void Object.assign(store, { url }),
    saveCodeVerifier: (verifier) => void Object.assign(store, { verifier }),
    codeVerifier: () => store.verifier ?? '',
  }
  const address = new URL(`${service.api}/mcp`)
  const requestInit = { headers: { 'cf-connecting-ip': randomIpAddress() } }
  const first = new StreamableHTTPClientTransport(address, { authProvider, requestInit })
  await new Client({ name: 'test', version: '1' }).connect(first).catch(() => {})
  const { location } = await startAuthorization(service, store.url as URL)
  await first.finishAuth(await agree(person, location as URL, scopes))
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(address, { authProvider, requestInit })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const askedScopes = () => store.url?.searchParams.get('scope')?.split(' ') ?? []
  const agreeAgain = async () => {
    const again = await startAuthorization(service, store.url as URL)
    await transport.finishAuth(await agree(person, again.location as URL))
  }
  return { client, askedScopes, agreeAgain }
}
