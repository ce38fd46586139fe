import * as rows from '#db/rows/oauth.ts'
import { openPlatformDb, type PlatformDb } from '#db/scope.ts'
import { type C, respondProblem, type Services, toProblem } from '#http/app.ts'
import { countCall, createRateLimitProblem } from '#http/rate-limit.ts'
import { redirect, respondJson } from '#http/respond.ts'
import { invalidField, Problem } from '#problem.ts'
import { toAddressBlock } from '#rules/text/address-block.ts'
import { decodeUtf8, notUtf8 } from '#rules/text/bytes.ts'
import { parseJson } from '#rules/text/json.ts'
import { removeInvisible } from '#rules/text/plain-name.ts'
import { sha256Bytea } from '#vendors/auth/hash.ts'
import { createMcpTokens } from '#vendors/auth/mcp-tokens.ts'
import { parseRate } from '#vendors/cache/limiter.ts'
import { readAtMost } from '#vendors/net/read-at-most.ts'
import { getResource, isResource } from './metadata.ts'
import { addParameters, isRegistered } from './redirect-uri.ts'
import {
  AuthorizationRequest,
  ClientId,
  createClientId,
  parseScopes,
  Registration,
  TokenRequest,
} from './requests.ts'
import { issueTokens, OAuthError } from './tokens.ts'

const maxBodyBytes = 64 * 1024
// Anybody may call these, so the limits hold while Redis is away too.
const rates = {
  register: parseRate('10/hour/ip'),
  authorize: parseRate('60/minute/ip'),
  token: parseRate('60/minute/ip'),
}

export interface OAuthHandlers {
  register(c: C): Promise<Response>
  authorize(c: C): Promise<Response>
  token(c: C): Promise<Response>
  revoke(c: C): Promise<Response>
}

export function createOAuthHandlers(services: Services): OAuthHandlers {
  const {
    PUBLIC_BASE_URL: base,
    FRONTEND_URL,
    OAUTH_REDIRECT_BASE: frontend = FRONTEND_URL,
  } = services.ports.config
  const platform = openPlatformDb(
    services.platform,
    'a client or a code is known before its account',
    () => {},
  )
  const tokens = createMcpTokens(services.ports.config)
  const resource = getResource(base)
  return {
    register: (c) => answer(c, () => registerClient(c, services, platform), 201),
    async authorize(c) {
      try {
        await limit(c, services, 'authorize')
        return redirect(
          c,
          await startAuthorization(new URL(c.req.url).searchParams, { frontend, resource, platform }),
          303,
        )
      } catch (error) {
        return respondProblem(c, toProblem(error), error)
      }
    },
    token: (c) =>
      answer(c, async () => {
        await limit(c, services, 'token')
        const request = parseTokenRequest(await readText(c), c.req.header('authorization'))
        return issueTokens({ platform, tokens, resource, ip: c.get('ip') }, request)
      }),
    revoke: (c) =>
      answer(c, async () => {
        await limit(c, services, 'token')
        const token = new URLSearchParams(await readText(c)).get('token') ?? ''
        const grant = await tokens.verify(token)
        if (grant) await rows.endGrant.run(platform, grant.caller.signInId)
        else await rows.endGrantOfToken.run(platform, await sha256Bytea(token))
        // The same answer for an unknown token: https://www.rfc-editor.org/rfc/rfc7009#section-2.2
        return {}
      }),
  }
}

/** Register a program that names itself. It gets no secret, because it could not keep one. */
async function registerClient(c: C, services: Services, platform: PlatformDb): Promise<object> {
  const text = await readText(c).catch(async (error: unknown) => {
    await limit(c, services, 'register', false)
    throw error
  })
  const { data } = Registration.safeParse(parseJson(text))
  await limit(c, services, 'register', data !== undefined)
  if (!data)
    throw new OAuthError(
      'invalid_redirect_uri',
      'Register redirect_uris with https, with http on localhost, or with the scheme of a known program',
    )
  const { id, name, redirect_uris, created_at } = await rows.insertClient(
    platform,
    createClientId(),
    data.client_name,
    data.redirect_uris,
  )
  return {
    client_id: id,
    client_id_issued_at: Math.floor(Date.parse(created_at) / 1000),
    client_name: name,
    redirect_uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

interface AuthorizationContext {
  frontend: string
  resource: string
  platform: PlatformDb
}

/**
 * Return the address of the consent page. Throw for a request that is not valid instead of redirecting,
 * because anybody can register a redirect address (https://www.rfc-editor.org/rfc/rfc9700#section-4.11.2).
 */
async function startAuthorization(
  query: URLSearchParams,
  { frontend, resource, platform }: AuthorizationContext,
): Promise<string> {
  const clientId = ClientId.safeParse(query.get('client_id')).data
  const client = clientId ? await rows.selectClient(platform, clientId) : undefined
  if (!client) throw new Problem('bad_request', 'The client is unknown; register again')
  const redirectUri =
    query.get('redirect_uri') || (client.redirect_uris.length === 1 ? client.redirect_uris[0] : undefined)
  if (!redirectUri)
    throw new Problem('bad_request', 'Name the redirect_uri, because the client has registered several')
  if (!isRegistered(redirectUri, client.redirect_uris))
    throw new Problem(
      'bad_request',
      `The client has not registered ${removeInvisible(redirectUri).slice(0, 200)}; register again with it`,
    )
  const { data } = AuthorizationRequest.safeParse(Object.fromEntries(query))
  if (!data)
    throw new Problem(
      'bad_request',
      'The authorization request is not valid; see the metadata of this server',
    )
  if (!isResource(data.resource, resource))
    throw new Problem('bad_request', `Tokens are issued for ${resource} only`)
  const { code_challenge, state } = data
  const scope = parseScopes(data.scope).join(' ')
  return addParameters(`${frontend}/oauth/consent`, {
    client_id: client.id,
    redirect_uri: redirectUri,
    code_challenge,
    scope,
    state,
  })
}

/**
 * Read a form, or JSON, which some clients send. One that has registered another method of authentication than
 * `none` puts its id into the header: https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1
 */
function parseTokenRequest(text: string, authorization = ''): TokenRequest {
  const form = text.startsWith('{') ? parseJson(text) : Object.fromEntries(new URLSearchParams(text))
  const [, basic = ''] = /^basic +([\w+/=-]{1,500})$/i.exec(authorization) ?? []
  const [client_id] = Buffer.from(basic, 'base64').toString().split(':')
  const values = { ...(client_id ? { client_id } : {}), ...(form as Record<string, unknown> | undefined) }
  const { data } = TokenRequest.safeParse(values)
  if (data) return data
  const { grant_type } = values as { grant_type?: unknown }
  const isKnown = grant_type === 'authorization_code' || grant_type === 'refresh_token'
  throw new OAuthError(
    isKnown ? 'invalid_request' : 'unsupported_grant_type',
    'The request is not valid; see the metadata of this server',
  )
}

type LimitName = keyof typeof rates

async function limit(c: C, { limiter }: Services, name: LimitName, isValid = true): Promise<void> {
  const key = `oauth.${name}:${toAddressBlock(c.get('ip'))}`
  const { rate, result } = await countCall(limiter, key, rates[name], { isValid, isStrict: true })
  if (!result.allowed) throw createRateLimitProblem(rate, result)
}

/** Answer with JSON, or with an error in the form of OAuth. */
async function answer(c: C, work: () => Promise<object>, status = 200): Promise<Response> {
  try {
    return respondJson(c, JSON.stringify(await work()), status)
  } catch (error) {
    if (!(error instanceof OAuthError)) return respondProblem(c, toProblem(error), error)
    return respondJson(c, JSON.stringify({ error: error.code, error_description: error.message }), 400)
  }
}

async function readText({ req }: C): Promise<string> {
  const bytes = await readAtMost(req.raw.body, maxBodyBytes, () => new Problem('too_large'))
  const text = decodeUtf8(bytes)
  if (text === undefined) throw invalidField(['body'], notUtf8.msg, notUtf8.type)
  return text
}
