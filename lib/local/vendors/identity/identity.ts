import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { generateKeyPair, type JWTPayload, UnsecuredJWT } from 'jose'
import * as z from 'zod'
import type { Clock } from '#local/clock.ts'
import type { Faults, TokenMode } from '#local/vendors/faults.ts'
import type { ProviderName } from '#vendors/auth/oidc.ts'
import { createSigningKeys, type SigningKeys } from './identity-keys.ts'
import { renderIdentityPage, renderRefusalPage } from './identity-page.ts'
import { buildClaims, Persona } from './identity-personas.ts'

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
  /** Milliseconds since the epoch, of the moved clock. */
  expiresAt: number
}

/** The paths of each provider's endpoints, below its own root. */
const endpoints = {
  google: { discovery: '', authorize: '/o/oauth2/v2/auth', token: '/token', keys: '/oauth2/v3/certs' },
  microsoft: {
    discovery: '/common/v2.0',
    authorize: '/common/oauth2/v2.0/authorize',
    token: '/common/oauth2/v2.0/token',
    keys: '/common/discovery/v2.0/keys',
  },
} as const

export const localClientId = (provider: ProviderName) => `local-${provider}-client`
const codeLifetimeMs = 60_000

/** Create an OpenID provider with a sign-in page that asks for no password. Mount it at /idp/<provider>. */
export function createIdentityRoutes(options: Options): Hono {
  const { provider, clock } = options
  const paths = endpoints[provider]
  const keys = createSigningKeys()
  const grants = new Map<string, Grant>()
  const app = new Hono()
  app.get(`${paths.discovery}/.well-known/openid-configuration`, (c) =>
    c.json(discoveryDocument(provider, rootUrl(c, provider))),
  )
  app.get(paths.keys, async (c) => c.json(await keys.listPublicKeys()))
  app.post('/keys/rotate', async (c) => {
    await keys.rotate()
    return c.json(await keys.listPublicKeys())
  })
  app.get(paths.authorize, (c) => {
    const request = c.req.query()
    return (
      findRequestError(c, provider, request) ?? c.html(renderIdentityPage(provider, request), 200, policy)
    )
  })
  app.post(paths.authorize, async (c) => {
    const form = Object.fromEntries(
      Object.entries(await c.req.parseBody()).map(([name, value]) => [name, String(value)]),
    )
    const error = findRequestError(c, provider, form)
    if (error) return error
    const { redirect_uri = '', state = '', code_challenge = '', nonce = '' } = form
    if (form.deny) return redirectBack(c, redirect_uri, { error: 'access_denied', state })
    const code = randomBytes(24).toString('base64url')
    const claims = buildClaims(provider, Persona.parse(form))
    grants.set(code, {
      redirectUri: redirect_uri,
      challenge: code_challenge,
      nonce,
      claims,
      expiresAt: clock.now() + codeLifetimeMs,
    })
    return redirectBack(c, redirect_uri, {
      code,
      state,
      ...dialects[provider].redirectExtras(rootUrl(c, provider)),
    })
  })
  app.post(paths.token, (c) => redeemCode(c, options, keys, grants))
  return app
}

const policy = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}

function rootUrl(c: Context, provider: ProviderName): string {
  return `${new URL(c.req.url).origin}/idp/${provider}`
}

interface Dialect {
  /** The parameters beside the code. */
  redirectExtras(root: string): Record<string, string>
  /** The issuer in the discovery document. */
  issuer(root: string): string
  /** The issuer in an ID token. */
  tokenIssuer(root: string, claims: Record<string, unknown>): string
  discovery: Record<string, unknown>
}
const dialects: Record<ProviderName, Dialect> = {
  google: {
    redirectExtras: (root) => ({ iss: root, scope: 'openid email profile' }),
    issuer: (root) => root,
    tokenIssuer: (root) => root,
    discovery: { subject_types_supported: ['public'], authorization_response_iss_parameter_supported: true },
  },
  microsoft: {
    redirectExtras: () => ({ session_state: randomBytes(16).toString('hex') }),
    issuer: (root) => `${root}/{tenantid}/v2.0`,
    tokenIssuer: (root, { tid }) => `${root}/${tid}/v2.0`,
    discovery: { subject_types_supported: ['pairwise'] },
  },
}

function discoveryDocument(provider: ProviderName, root: string) {
  const paths = endpoints[provider]
  return {
    issuer: dialects[provider].issuer(root),
    authorization_endpoint: root + paths.authorize,
    token_endpoint: root + paths.token,
    jwks_uri: root + paths.keys,
    response_types_supported: ['code'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'email', 'profile'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    code_challenge_methods_supported: ['plain', 'S256'],
    ...dialects[provider].discovery,
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

/**
 * Return the error response for a request, or undefined if it is valid. Redirects only to the registered
 * address.
 */
function findRequestError(
  c: Context,
  provider: ProviderName,
  request: Record<string, string>,
): Response | Promise<Response> | undefined {
  const { client_id, redirect_uri = '', state = '' } = request
  if (client_id !== localClientId(provider))
    return c.html(renderRefusalPage('This client is not registered.'), 400)
  const registered = `${new URL(c.req.url).origin}/oauth/${provider}/callback`
  if (redirect_uri !== registered)
    return c.html(renderRefusalPage(`The redirect URI must be ${registered}, not ${redirect_uri}.`), 400)
  const parsed = AuthorizationRequest.safeParse(request)
  if (parsed.success) return undefined
  const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')
  return redirectBack(c, redirect_uri, {
    error: 'invalid_request',
    error_description: `Missing or not supported: ${fields}`,
    state,
  })
}

function redirectBack(c: Context, redirectUri: string, values: Record<string, string>): Response {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value)
  return c.redirect(url.href, 302)
}

async function redeemCode(
  c: Context,
  options: Options,
  keys: SigningKeys,
  grants: Map<string, Grant>,
): Promise<Response> {
  const { provider, clientSecret, clock, faults } = options
  const form = new URLSearchParams(await c.req.text())
  const refuse = (status: 400 | 401, error: string) =>
    c.json({ error, error_description: `Refused by the local ${provider}.` }, status)
  if (!hasClientCredentials(c, form, localClientId(provider), clientSecret))
    return refuse(401, 'invalid_client')
  if (form.get('grant_type') !== 'authorization_code') return refuse(400, 'unsupported_grant_type')
  const code = form.get('code') ?? ''
  const grant = grants.get(code)
  // A code works once, even when this request fails.
  grants.delete(code)
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  const isValid =
    grant &&
    grant.expiresAt > clock.now() &&
    grant.redirectUri === form.get('redirect_uri') &&
    grant.challenge === challenge
  if (!isValid) return refuse(400, 'invalid_grant')
  const root = rootUrl(c, provider)
  const now = Math.floor(Date.now() / 1000)
  const issuer = dialects[provider].tokenIssuer(root, grant.claims)
  const claims = {
    iss: issuer,
    aud: localClientId(provider),
    iat: now,
    exp: now + 3600,
    nonce: grant.nonce,
    ...grant.claims,
  }
  const id_token = await signIdToken(claims, keys, (mode) => faults.take(provider, mode) !== undefined)
  const access_token = randomBytes(24).toString('base64url')
  return c.json({
    access_token,
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'openid email profile',
    id_token,
  })
}

/** Check the client's credentials, in the body or in a Basic authorization header. */
function hasClientCredentials(c: Context, form: URLSearchParams, id: string, secret: string): boolean {
  const [, basic = ''] = /^Basic (.+)$/i.exec(c.req.header('authorization') ?? '') ?? []
  const [basicId, basicSecret] = Buffer.from(basic, 'base64')
    .toString()
    .split(':')
    .map((part) => decodeURIComponent(part))
  const [sentId, sentSecret] = basic
    ? [basicId, basicSecret]
    : [form.get('client_id'), form.get('client_secret')]
  return sentId === id && timingSafeEqual(digest(sentSecret ?? ''), digest(secret))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Sign an ID token, made invalid by the token faults that are set. */
async function signIdToken(
  claims: JWTPayload,
  keys: SigningKeys,
  takeFault: (mode: TokenMode) => boolean,
): Promise<string> {
  if (takeFault('wrong_nonce')) claims.nonce = 'another-nonce'
  if (takeFault('wrong_audience')) claims.aud = 'another-client'
  if (takeFault('wrong_issuer')) claims.iss = 'https://issuer.example/v2.0'
  if (takeFault('expired_token'))
    Object.assign(claims, { iat: Number(claims.iat) - 7200, exp: Number(claims.exp) - 7200 })
  if (takeFault('unsigned_token')) return new UnsecuredJWT(claims).encode()
  if (takeFault('other_key')) return keys.sign(claims, (await generateKeyPair('RS256')).privateKey)
  return keys.sign(claims)
}
