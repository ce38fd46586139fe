import { decodeJwt } from 'jose'
import * as oauth from 'oauth4webapi'

export const providerNames = ['google', 'microsoft'] as const
export type ProviderName = (typeof providerNames)[number]

/** Who somebody is at a provider. */
export interface Identity {
  /** Never given to anybody else there: google's `sub`, microsoft's `tid` and `oid`. An address is no such thing. */
  subject: string
  email: string | null
  /** Whether the provider vouches that the address is theirs. Microsoft never does. */
  emailVerified: boolean
  name: string | null
}

interface Flow {
  state: string
  nonce: string
  codeVerifier: string
}

export interface IdentityProvider {
  /** Where the browser is sent. Throws OidcFailure. */
  authorizationUrl(flow: Flow): Promise<string>
  /** Trades the code that the browser brought back for a verified identity, once. Throws OidcFailure. */
  redeem(flow: Flow & { code: string }): Promise<Identity>
}
export type IdentityProviders = Partial<Record<ProviderName, IdentityProvider>>

/** `refused`: the provider does not take the code, or its ID token proves nothing. `failed`: it is away or answers nonsense. */
export class OidcFailure extends Error {
  readonly kind: 'refused' | 'failed'
  constructor(kind: 'refused' | 'failed', message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

interface ProviderSettings {
  name: ProviderName
  issuer: string
  clientId: string
  /** Undefined for a public client, which PKCE alone protects. */
  clientSecret: string | undefined
  redirectUri: string
}

interface Known {
  server: oauth.AuthorizationServer
  until: number
}

const scope = 'openid email profile'
const patienceMs = 8000
const discoveryLifetimeMs = 3_600_000
// Clocks of two houses are never quite the same.
const toleranceSeconds = 30

/** OpenID Connect with code flow, PKCE, state and nonce. Discovery is kept an hour and keys five minutes, in this isolate. */
export function identityProvider(settings: ProviderSettings): IdentityProvider {
  const { name, clientId, clientSecret, redirectUri } = settings
  const client: oauth.Client = { client_id: clientId, [oauth.clockTolerance]: toleranceSeconds }
  const auth = clientSecret ? oauth.ClientSecretPost(clientSecret) : oauth.None()
  const keys: oauth.JWKSCacheInput = {}
  let known: Known | undefined
  const server = async () => {
    if (!known || known.until <= Date.now()) known = { server: await discover(settings), until: Date.now() + discoveryLifetimeMs }
    return known.server
  }
  return {
    authorizationUrl: (flow) =>
      explained(async () => {
        const url = new URL((await server()).authorization_endpoint ?? '')
        const challenge = await oauth.calculatePKCECodeChallenge(flow.codeVerifier)
        const asked = { client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope, state: flow.state, nonce: flow.nonce }
        for (const [key, value] of Object.entries({ ...asked, code_challenge: challenge, code_challenge_method: 'S256' }))
          url.searchParams.set(key, value)
        // Whoever has several accounts there says which one, instead of being let in with the last.
        url.searchParams.set('prompt', 'select_account')
        return url.href
      }),
    redeem: ({ code, state, nonce, codeVerifier }) =>
      explained(async () => {
        const as = await server()
        const http = httpOptions(settings.issuer)
        const callback = oauth.validateAuthResponse(as, client, new URLSearchParams({ code, state }), state)
        const response = await oauth.authorizationCodeGrantRequest(as, client, auth, callback, redirectUri, codeVerifier, http())
        const issuing = { ...as, issuer: issuerFor(await idTokenOf(response.clone()), as.issuer) }
        const checks = { expectedNonce: nonce, requireIdToken: true }
        const tokens = await oauth.processAuthorizationCodeResponse(issuing, client, response, checks).catch(unproven)
        await verifySignature(issuing, response, keys, http).catch(unsigned)
        return readers[name](oauth.getValidatedIdTokenClaims(tokens) as oauth.IDToken)
      }),
  }
}

const tenantTemplate = '{tenantid}'

async function discover({ issuer }: ProviderSettings): Promise<oauth.AuthorizationServer> {
  const answer = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oidc', ...httpOptions(issuer)() })
  // What serves every tenant names a template for its issuer; each ID token is held to its own tenant's.
  const named = issuer.replace(/\/(common|organizations)\/v2\.0$/, `/${tenantTemplate}/v2.0`)
  const server = await oauth.processDiscoveryResponse(new URL(named), answer)
  for (const endpoint of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
    if (!URL.canParse(server[endpoint] ?? '')) throw new OidcFailure('failed', `The provider names no ${endpoint}`)
  // The state says which provider a callback belongs to; `iss` is not among what the frontend passes on.
  return { ...server, issuer: server.issuer, authorization_response_iss_parameter_supported: false }
}

/** The ID token of a token endpoint's answer, unchecked. Throws for an answer that is none; who refuses a code says so in one of another status. */
async function idTokenOf(answer: Response): Promise<Record<string, unknown>> {
  if (answer.status !== 200) return {}
  const { id_token, access_token } = (await answer.json()) as { id_token?: unknown; access_token?: unknown }
  if (typeof id_token !== 'string' || typeof access_token !== 'string') throw new OidcFailure('failed', 'The provider answered no tokens')
  try {
    return decodeJwt(id_token)
  } catch (error) {
    return unproven(error)
  }
}

/** The issuer that an ID token must name; whether it does, and is signed, is checked after. */
function issuerFor({ iss, tid }: Record<string, unknown>, issuer: string): string {
  if (issuer.includes(tenantTemplate)) return issuer.replace(tenantTemplate, () => (isTenant(tid) ? tid : 'none'))
  // Google's older tokens leave the scheme out.
  return `https://${iss}` === issuer ? String(iss) : issuer
}

/** Keys rotate: an unknown one is looked for once more, in keys asked for anew. */
async function verifySignature(
  as: oauth.AuthorizationServer,
  response: Response,
  keys: oauth.JWKSCacheInput,
  http: ReturnType<typeof httpOptions>,
): Promise<void> {
  const verify = (server: oauth.AuthorizationServer) =>
    oauth.validateApplicationLevelSignature(server, response, { ...http(), [oauth.jwksCache]: keys })
  await verify(as).catch(async (error: unknown) => {
    if (codeOf(error) !== oauth.KEY_SELECTION) throw error
    for (const key of Object.keys(keys)) delete keys[key as keyof typeof keys]
    await verify({ ...as })
  })
}

const readers: Record<ProviderName, (claims: oauth.IDToken) => Identity> = {
  google: ({ sub, email, email_verified, name }) => ({
    subject: requireSubject(sub),
    email: textOf(email),
    emailVerified: email_verified === true,
    name: textOf(name),
  }),
  microsoft: ({ tid, oid, email, preferred_username, name }) => {
    if (!isTenant(tid)) throw new OidcFailure('refused', 'The ID token names no tenant')
    const subject = `${tid}:${requireSubject(oid)}`
    return { subject, email: textOf(email) ?? textOf(preferred_username), emailVerified: false, name: textOf(name) }
  },
}

// What the standard lets a subject be.
function requireSubject(claim: unknown): string {
  if (typeof claim === 'string' && /^[\x21-\x7e]{1,255}$/.test(claim)) return claim
  throw new OidcFailure('refused', 'The ID token names nobody')
}

function isTenant(tid: unknown): tid is string {
  return typeof tid === 'string' && /^[\w-]{1,64}$/.test(tid)
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' && claim.trim() !== '' ? claim.trim() : null
}

/** Only an issuer that is plain http itself, the stand-in of a laptop, may name plain http endpoints. */
function httpOptions(issuer: string) {
  return () => ({ [oauth.allowInsecureRequests]: issuer.startsWith('http:'), signal: AbortSignal.timeout(patienceMs) })
}

function unproven(error: unknown): never {
  if (error instanceof oauth.ResponseBodyError || codeOf(error) === oauth.RESPONSE_IS_NOT_CONFORM) throw error
  throw new OidcFailure('refused', 'The ID token proves nothing', error)
}

const unsoundCodes: ReadonlySet<unknown> = new Set([oauth.KEY_SELECTION, oauth.INVALID_RESPONSE, oauth.UNSUPPORTED_OPERATION])

/** Keys that could not be had say nothing of the token. */
function unsigned(error: unknown): never {
  throw unsoundCodes.has(codeOf(error)) ? new OidcFailure('refused', 'The signature of the ID token does not hold', error) : error
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OidcFailure) throw error
    const unknownCode = error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant'
    if (unknownCode) throw new OidcFailure('refused', 'The provider does not take this code', error)
    throw new OidcFailure('failed', 'The provider is away or answers nonsense', error)
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}
