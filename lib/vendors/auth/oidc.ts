import { decodeJwt } from 'jose'
import * as oauth from 'oauth4webapi'
import { createBoundedFetch, type Fetch } from '#vendors/net/bounded-fetch.ts'
import { readAnswer } from '#vendors/net/read-answer.ts'

export const providerNames = ['google', 'microsoft'] as const
export type ProviderName = (typeof providerNames)[number]

/** A user as the identity provider knows them. */
export interface Identity {
  /**
   * Unique and never reassigned: Google's `sub`, Microsoft's `tid` and `oid`. An e-mail address can be
   * reassigned.
   */
  subject: string
  email: string | null
  /** Whether the provider has verified the address. Always false for Microsoft, which does not say. */
  emailVerified: boolean
  name: string | null
}

export interface SignInFlow {
  state: string
  nonce: string
  codeVerifier: string
}

export interface IdentityProvider {
  /** Return the address for the browser. Throw OidcFailure. */
  authorizationUrl(flow: SignInFlow): Promise<string>
  /** Exchange the code from the browser for a verified identity. A code works once. Throw OidcFailure. */
  redeem(flow: SignInFlow & { code: string }): Promise<Identity>
}
export type IdentityProviders = Partial<Record<ProviderName, IdentityProvider>>

/**
 * `refused`: the provider does not accept the code, or its ID token is not valid. `failed`: it does not
 * answer, or not as specified.
 */
export class OidcFailure extends Error {
  readonly kind: 'refused' | 'failed'
  constructor(kind: 'refused' | 'failed', message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

export interface ClientSettings {
  issuer: string
  clientId: string
  /** Undefined for a public client, which only PKCE protects. */
  clientSecret: string | undefined
  redirectUri: string
}

export interface ProviderSettings extends ClientSettings {
  name: ProviderName
}

/** What differs between the providers of this service and that of an organisation. */
interface ClientOptions {
  scope: string
  /** Parameters of the authorization request beside those of the protocol. */
  request: Record<string, string>
  fetch: Fetch
  /** Whether an issuer of many tenants, which each ID token names, is accepted. */
  allowsTenants: boolean
  /** Whether claims lack what the provider may tell at its userinfo endpoint only. */
  lacksClaims?: (claims: oauth.IDToken) => boolean
}

/** What a provider says of a person. */
export interface Redeemed {
  /** The verified claims of the ID token. */
  claims: oauth.IDToken
  /** Undefined if it was not needed or is not offered, null if it could not be read. */
  userInfo: Record<string, unknown> | null | undefined
}

/** One provider: what both kinds of sign-in need of it. */
export interface OidcClient {
  authorizationUrl(flow: SignInFlow, request?: Record<string, string>): Promise<string>
  redeem(flow: SignInFlow & { code: string }): Promise<Redeemed>
}

interface CachedDiscovery {
  server: oauth.AuthorizationServer
  until: number
}

const scope = 'openid email profile'
export const fetchBounded = createBoundedFetch('identity', { timeoutMs: 8000, maxBytes: 512 * 1024 })
const discoveryLifetimeMs = 3_600_000
export const clockToleranceSeconds = 30

export function identityProvider(settings: ProviderSettings): IdentityProvider {
  const client = createOidcClient(settings, {
    scope,
    // Let users with several accounts choose one, instead of using the last one.
    request: { prompt: 'select_account' },
    fetch: fetchBounded,
    allowsTenants: settings.name === 'microsoft',
  })
  return {
    authorizationUrl: (flow) => client.authorizationUrl(flow),
    redeem: async (flow) => identityReaders[settings.name]((await client.redeem(flow)).claims),
  }
}

/**
 * Sign in with OpenID Connect: code flow, PKCE, state and nonce. This isolate caches discovery for an hour
 * and keys for five minutes.
 */
export function createOidcClient(settings: ClientSettings, options: ClientOptions): OidcClient {
  const { issuer, clientId, clientSecret, redirectUri } = settings
  const client: oauth.Client = { client_id: clientId, [oauth.clockTolerance]: clockToleranceSeconds }
  const keys: KeyCache = { keys: {}, refetchedAt: 0 }
  const http = httpOptions(issuer, options.fetch)
  let cachedDiscovery: CachedDiscovery | undefined
  const server = async () => {
    if (!cachedDiscovery || cachedDiscovery.until <= Date.now())
      cachedDiscovery = {
        server: await discover(issuer, options, http),
        until: Date.now() + discoveryLifetimeMs,
      }
    return cachedDiscovery.server
  }
  return {
    authorizationUrl: (flow, request = {}) =>
      withOidcFailures(async () => {
        const url = new URL((await server()).authorization_endpoint ?? '')
        const challenge = await oauth.calculatePKCECodeChallenge(flow.codeVerifier)
        for (const [key, value] of Object.entries({
          ...options.request,
          ...request,
          client_id: clientId,
          redirect_uri: redirectUri,
          response_type: 'code',
          scope: options.scope,
          state: flow.state,
          nonce: flow.nonce,
          code_challenge: challenge,
          code_challenge_method: 'S256',
        }))
          url.searchParams.set(key, value)
        return url.href
      }),
    redeem: ({ code, state, nonce, codeVerifier }) =>
      withOidcFailures(async () => {
        const as = await server()
        const callback = oauth.validateAuthResponse(as, client, new URLSearchParams({ code, state }), state)
        const response = await oauth.authorizationCodeGrantRequest(
          as,
          client,
          authenticate(as, clientSecret),
          callback,
          redirectUri,
          codeVerifier,
          http(),
        )
        const issuing = { ...as, issuer: issuerFor(await readIdTokenClaims(response.clone()), as.issuer) }
        const checks = { expectedNonce: nonce, requireIdToken: true }
        const tokens = await oauth
          .processAuthorizationCodeResponse(issuing, client, response, checks)
          .catch(throwUnprovenToken)
        await verifySignature(issuing, response, keys, http).catch(throwUnverifiedSignature)
        const claims = oauth.getValidatedIdTokenClaims(tokens) as oauth.IDToken
        const asks = options.lacksClaims?.(claims) && as.userinfo_endpoint !== undefined
        const userInfo = asks ? await readUserInfo(as, client, tokens.access_token, claims, http) : undefined
        return { claims, userInfo }
      }),
  }
}

/**
 * Ask what the ID token leaves out. Return null if it cannot be read. Throw if it is about somebody else:
 * https://openid.net/specs/openid-connect-core-1_0.html#UserInfoResponse
 */
async function readUserInfo(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  accessToken: string,
  { sub }: oauth.IDToken,
  http: ReturnType<typeof httpOptions>,
): Promise<Record<string, unknown> | null> {
  if (!isEndpoint(as.userinfo_endpoint, as.issuer)) return null
  const answer = await oauth
    .userInfoRequest(as, client, accessToken, http())
    .then((response) => (response.status === 200 ? readAnswer(response) : null))
    .catch(() => null)
  if (typeof answer !== 'object' || answer === null) return null
  const info = answer as Record<string, unknown>
  if (typeof info.sub !== 'string') return null
  if (info.sub !== sub) throw new OidcFailure('refused', 'The userinfo is about another person')
  return info
}

/**
 * Send the secret in the body, unless the provider takes it in the header only, as it does by default:
 * https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata
 */
function authenticate(as: oauth.AuthorizationServer, secret: string | undefined): oauth.ClientAuth {
  if (!secret) return oauth.None()
  const methods = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return methods.includes('client_secret_post')
    ? oauth.ClientSecretPost(secret)
    : oauth.ClientSecretBasic(secret)
}

const tenantTemplate = '{tenantid}'

async function discover(
  issuer: string,
  { allowsTenants }: ClientOptions,
  http: ReturnType<typeof httpOptions>,
): Promise<oauth.AuthorizationServer> {
  const answer = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oidc', ...http() })
  // The issuer of a multi-tenant endpoint is a template. Each ID token is checked against its own tenant's
  // issuer.
  const expected = allowsTenants
    ? issuer.replace(/\/(common|organizations)\/v2\.0$/, `/${tenantTemplate}/v2.0`)
    : issuer
  const server = await oauth.processDiscoveryResponse(new URL(expected), answer)
  for (const endpoint of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
    if (!isEndpoint(server[endpoint], issuer))
      throw new OidcFailure('failed', `The provider's discovery has no ${endpoint}`)
  // The state identifies the provider of a callback. The frontend does not pass on `iss`.
  return { ...server, issuer: server.issuer, authorization_response_iss_parameter_supported: false }
}

/** Whether an endpoint is https, or http like its issuer: a browser would also follow `javascript:`. */
export function isEndpoint(address: unknown, issuer: string): address is string {
  if (typeof address !== 'string' || !URL.canParse(address)) return false
  const { protocol } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'))
}

/**
 * Return the unchecked claims of the ID token. Throw when a 200 has no tokens; another status is a refusal
 * that the library reads.
 */
async function readIdTokenClaims(answer: Response): Promise<Record<string, unknown>> {
  if (answer.status !== 200) return {}
  const { id_token, access_token } = (await readAnswer(answer)) as {
    id_token?: unknown
    access_token?: unknown
  }
  if (typeof id_token !== 'string' || typeof access_token !== 'string')
    throw new OidcFailure('failed', 'The provider answered without tokens')
  try {
    return decodeJwt(id_token)
  } catch (error) {
    return throwUnprovenToken(error)
  }
}

/** The keys of a provider, and when an unknown one was last looked for. */
interface KeyCache {
  keys: oauth.JWKSCacheInput
  refetchedAt: number
}
const keyLookupIntervalMs = 60_000

/** Return the issuer that the ID token must have. The library checks it and the signature afterwards. */
function issuerFor({ iss, tid }: Record<string, unknown>, issuer: string): string {
  if (issuer.includes(tenantTemplate))
    return issuer.replace(tenantTemplate, () => (isTenant(tid) ? tid : 'none'))
  // Google's older tokens have an issuer without the scheme.
  return `https://${iss}` === issuer ? String(iss) : issuer
}

/**
 * Verify the signature. An unknown key is looked up once more in freshly fetched keys, because providers
 * rotate them: at most once a minute.
 */
async function verifySignature(
  as: oauth.AuthorizationServer,
  response: Response,
  cache: KeyCache,
  http: ReturnType<typeof httpOptions>,
): Promise<void> {
  const { keys } = cache
  const verify = (server: oauth.AuthorizationServer) =>
    oauth.validateApplicationLevelSignature(server, response, { ...http(), [oauth.jwksCache]: keys })
  await verify(as).catch(async (error: unknown) => {
    const mayRefetch = cache.refetchedAt + keyLookupIntervalMs <= Date.now()
    if (getErrorCode(error) !== oauth.KEY_SELECTION || !mayRefetch) throw error
    cache.refetchedAt = Date.now()
    for (const key of Object.keys(keys)) delete keys[key as keyof typeof keys]
    await verify({ ...as })
  })
}

const identityReaders: Record<ProviderName, (claims: oauth.IDToken) => Identity> = {
  google: ({ sub, email, email_verified, name }) => ({
    subject: requireSubject(sub),
    email: textClaim(email),
    emailVerified: email_verified === true,
    name: textClaim(name),
  }),
  microsoft: ({ tid, oid, email, preferred_username, name }) => {
    if (!isTenant(tid)) throw new OidcFailure('refused', 'The ID token has no tenant')
    const subject = `${tid}:${requireSubject(oid)}`
    return {
      subject,
      email: textClaim(email) ?? textClaim(preferred_username),
      emailVerified: false,
      name: textClaim(name),
    }
  },
}

// OpenID Connect Core 1.0, section 2: at most 255 ASCII characters.
export function requireSubject(claim: unknown): string {
  if (typeof claim === 'string' && /^[\x21-\x7e]{1,255}$/.test(claim)) return claim
  throw new OidcFailure('refused', 'The ID token has no subject')
}

function isTenant(tid: unknown): tid is string {
  return typeof tid === 'string' && /^[\w-]{1,64}$/.test(tid)
}

export function textClaim(claim: unknown): string | null {
  return typeof claim === 'string' && claim.trim() !== '' ? claim.trim() : null
}

/** Allow plain http endpoints only for a plain http issuer, which is the local emulator. */
function httpOptions(issuer: string, fetchProvider: Fetch) {
  const customFetch = (url: string, options: object) => fetchProvider(url, options)
  return () => ({
    [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
    [oauth.customFetch]: customFetch,
  })
}

function throwUnprovenToken(error: unknown): never {
  if (error instanceof oauth.ResponseBodyError || getErrorCode(error) === oauth.RESPONSE_IS_NOT_CONFORM)
    throw error
  throw new OidcFailure('refused', 'The ID token is not valid', error)
}

const badSignatureCodes: ReadonlySet<unknown> = new Set([
  oauth.KEY_SELECTION,
  oauth.INVALID_RESPONSE,
  oauth.UNSUPPORTED_OPERATION,
])

/** Turn a bad signature into a refusal. A failure to fetch keys is no refusal of the token. */
function throwUnverifiedSignature(error: unknown): never {
  throw badSignatureCodes.has(getErrorCode(error))
    ? new OidcFailure('refused', 'The signature of the ID token is wrong', error)
    : error
}

async function withOidcFailures<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OidcFailure) throw error
    const isUnknownCode = error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant'
    if (isUnknownCode) throw new OidcFailure('refused', 'The provider does not accept this code', error)
    throw new OidcFailure('failed', 'The provider does not answer as specified', error)
  }
}

function getErrorCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}
