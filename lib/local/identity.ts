import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { generateKeyPair, type JWTPayload, UnsecuredJWT } from 'jose'
import { z } from 'zod'
import type { ProviderName } from '../auth/oidc.ts'
import type { Clock } from './clock.ts'
import type { Faults, TokenMode } from './faults.ts'
import { createSigningKeys, type SigningKeys } from './identity-keys.ts'
import { identityPage, refusalPage } from './identity-page.ts'
import { claimsOf, Persona } from './identity-people.ts'

interface Options {
  provider: ProviderName
  clientSecret: string
  clock: Clock
  faults: Faults
}

interface Grant {
  redirectUri: string
  challenge: string
  nonce: string
  claims: Record<string, unknown>
  until: number
}

/** Where each provider has its endpoints, below its own root. */
const places = {
  google: { discovery: '', authorize: '/o/oauth2/v2/auth', token: '/token', keys: '/oauth2/v3/certs' },
  microsoft: {
    discovery: '/common/v2.0',
    authorize: '/common/oauth2/v2.0/authorize',
    token: '/common/oauth2/v2.0/token',
    keys: '/common/discovery/v2.0/keys',
  },
} as const

export const localClientId = (provider: ProviderName) => `local-${provider}-client`
const codeMs = 60_000

/** An OpenID provider with a page to be somebody on; mounted at /idp/<provider>. */
export function identityRoutes(options: Options): Hono {
  const { provider, clock } = options
  const place = places[provider]
  const keys = createSigningKeys()
  const grants = new Map<string, Grant>()
  const app = new Hono()
  app.get(`${place.discovery}/.well-known/openid-configuration`, (c) => c.json(discovery(provider, rootOf(c, provider))))
  app.get(place.keys, async (c) => c.json(await keys.published()))
  app.post('/keys/rotate', async (c) => {
    await keys.rotate()
    return c.json(await keys.published())
  })
  app.get(place.authorize, (c) => {
    const request = c.req.query()
    return readRequest(c, provider, request) ?? c.html(identityPage(provider, request), 200, policy)
  })
  app.post(place.authorize, async (c) => {
    const form = Object.fromEntries(Object.entries(await c.req.parseBody()).map(([name, value]) => [name, String(value)]))
    const problem = readRequest(c, provider, form)
    if (problem) return problem
    const { redirect_uri = '', state = '', code_challenge = '', nonce = '' } = form
    if (form.deny) return sendBack(c, redirect_uri, { error: 'access_denied', state })
    const code = randomBytes(24).toString('base64url')
    const claims = claimsOf(provider, Persona.parse(form))
    grants.set(code, { redirectUri: redirect_uri, challenge: code_challenge, nonce, claims, until: clock.now() + codeMs })
    return sendBack(c, redirect_uri, { code, state, ...extras(provider, rootOf(c, provider)) })
  })
  app.post(place.token, (c) => redeem(c, options, keys, grants))
  return app
}

const policy = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" }

function rootOf(c: Context, provider: ProviderName): string {
  return `${new URL(c.req.url).origin}/idp/${provider}`
}

/** Google answers who it is beside the code. */
function extras(provider: ProviderName, root: string): Record<string, string> {
  return provider === 'google' ? { iss: root, scope: 'openid email profile' } : { session_state: randomBytes(16).toString('hex') }
}

function discovery(provider: ProviderName, root: string) {
  const place = places[provider]
  return {
    issuer: provider === 'google' ? root : `${root}/{tenantid}/v2.0`,
    authorization_endpoint: root + place.authorize,
    token_endpoint: root + place.token,
    jwks_uri: root + place.keys,
    response_types_supported: ['code'],
    subject_types_supported: [provider === 'google' ? 'public' : 'pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'email', 'profile'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    code_challenge_methods_supported: ['plain', 'S256'],
    ...(provider === 'google' ? { authorization_response_iss_parameter_supported: true } : {}),
  }
}

const AuthorizationRequest = z.object({
  response_type: z.literal('code'),
  scope: z.string().refine((scope) => scope.split(' ').includes('openid')),
  state: z.string().min(1),
  nonce: z.string().min(1),
  code_challenge: z.string().length(43),
  code_challenge_method: z.literal('S256'),
})

/** The refusal a request deserves, or undefined. Nobody is sent to an address that the client did not register. */
function readRequest(c: Context, provider: ProviderName, request: Record<string, string>): Response | Promise<Response> | undefined {
  const { client_id, redirect_uri = '', state = '' } = request
  if (client_id !== localClientId(provider)) return c.html(refusalPage('This client is not registered.'), 400)
  const registered = `${new URL(c.req.url).origin}/oauth/${provider}/callback`
  if (redirect_uri !== registered) return c.html(refusalPage(`This client comes back to ${registered} alone, not to ${redirect_uri}.`), 400)
  const parsed = AuthorizationRequest.safeParse(request)
  if (parsed.success) return undefined
  const wrong = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')
  return sendBack(c, redirect_uri, { error: 'invalid_request', error_description: `Missing or not taken: ${wrong}`, state })
}

function sendBack(c: Context, redirectUri: string, values: Record<string, string>): Response {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value)
  return c.redirect(url.href, 302)
}

async function redeem(c: Context, options: Options, keys: SigningKeys, grants: Map<string, Grant>): Promise<Response> {
  const { provider, clientSecret, clock, faults } = options
  const form = new URLSearchParams(await c.req.text())
  const refuse = (status: 400 | 401, error: string) => c.json({ error, error_description: `Refused by the local ${provider}.` }, status)
  if (!isClient(c, form, localClientId(provider), clientSecret)) return refuse(401, 'invalid_client')
  if (form.get('grant_type') !== 'authorization_code') return refuse(400, 'unsupported_grant_type')
  const code = form.get('code') ?? ''
  const grant = grants.get(code)
  // Whatever comes of it, a code that was shown is used.
  grants.delete(code)
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  const good = grant && grant.until > clock.now() && grant.redirectUri === form.get('redirect_uri') && grant.challenge === challenge
  if (!good) return refuse(400, 'invalid_grant')
  const root = rootOf(c, provider)
  const now = Math.floor(Date.now() / 1000)
  const issuer = provider === 'google' ? root : `${root}/${grant.claims.tid}/v2.0`
  const claims = { iss: issuer, aud: localClientId(provider), iat: now, exp: now + 3600, nonce: grant.nonce, ...grant.claims }
  const id_token = await issue(claims, keys, (mode) => faults.take(provider, mode) !== undefined)
  const access_token = randomBytes(24).toString('base64url')
  return c.json({ access_token, token_type: 'Bearer', expires_in: 3600, scope: 'openid email profile', id_token })
}

/** The client's secret, in the body or as Basic credentials. */
function isClient(c: Context, form: URLSearchParams, id: string, secret: string): boolean {
  const [, basic = ''] = /^Basic (.+)$/i.exec(c.req.header('authorization') ?? '') ?? []
  const [basicId, basicSecret] = Buffer.from(basic, 'base64')
    .toString()
    .split(':')
    .map((part) => decodeURIComponent(part))
  const given = basic ? [basicId, basicSecret] : [form.get('client_id'), form.get('client_secret')]
  const [a, b] = [digest(given[1] ?? ''), digest(secret)]
  return given[0] === id && timingSafeEqual(a, b)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Signs an ID token, or one that is wrong in the way somebody asked for. */
async function issue(claims: JWTPayload, keys: SigningKeys, takes: (mode: TokenMode) => boolean): Promise<string> {
  if (takes('wrong_nonce')) claims.nonce = 'another-nonce'
  if (takes('wrong_audience')) claims.aud = 'another-client'
  if (takes('wrong_issuer')) claims.iss = 'https://issuer.example/v2.0'
  if (takes('expired_token')) Object.assign(claims, { iat: Number(claims.iat) - 7200, exp: Number(claims.exp) - 7200 })
  if (takes('unsigned_token')) return new UnsecuredJWT(claims).encode()
  if (takes('other_key')) return keys.sign(claims, (await generateKeyPair('RS256')).privateKey)
  return keys.sign(claims)
}
