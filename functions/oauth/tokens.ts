import * as rows from '#db/rows/oauth.ts'
import type { PlatformDb } from '#db/scope.ts'
import { uuidv7 } from '#db/uuid.ts'
import { randomToken, sha256Base64url, sha256Bytea } from '#vendors/auth/hash.ts'
import { type McpTokens, mcpTokenSeconds } from '#vendors/auth/mcp-tokens.ts'
import { isResource } from './metadata.ts'
import { parseScopes, type TokenRequest } from './requests.ts'

/** What an exchange needs. `resource` identifies the MCP server, the only one for which tokens are issued. */
interface TokenContext {
  platform: PlatformDb
  tokens: McpTokens
  resource: string
  ip: string
}

/** An error of the token endpoint: https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
export class OAuthError extends Error {
  readonly code: string
  constructor(code: string, description: string) {
    super(description)
    this.code = code
  }
}

/** Exchange a code or a refresh token. Throw OAuthError. */
export async function issueTokens(ctx: TokenContext, request: TokenRequest) {
  if (!isResource(request.resource, ctx.resource))
    throw new OAuthError('invalid_target', `Tokens are issued for ${ctx.resource} only`)
  const refreshToken =
    request.grant_type === 'refresh_token'
      ? await ctx.tokens.deriveToken(request.refresh_token)
      : randomToken()
  const refreshHash = await sha256Bytea(refreshToken)
  const grant =
    request.grant_type === 'refresh_token'
      ? await refresh(ctx, request, refreshHash)
      : await exchange(ctx, request, refreshHash)
  const scopes = (request.grant_type === 'refresh_token' && readScopes(request)) || grant.scopes
  const caller = { userId: grant.user_id, accountId: grant.account_id, signInId: grant.sign_in_id }
  return {
    access_token: await ctx.tokens.sign({ caller, scopes }),
    token_type: 'Bearer',
    expires_in: mcpTokenSeconds,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  }
}

type CodeRequest = Extract<TokenRequest, { grant_type: 'authorization_code' }>
type RefreshRequest = Extract<TokenRequest, { grant_type: 'refresh_token' }>

async function exchange(
  { platform, ip }: TokenContext,
  request: CodeRequest,
  refreshHash: string,
): Promise<rows.Grant> {
  const codeHash = await sha256Bytea(request.code)
  const codeChallenge = await sha256Base64url(request.code_verifier)
  const { client_id: clientId, redirect_uri: redirectUri } = request
  const exchanged = { codeHash, clientId, redirectUri, codeChallenge, grantId: uuidv7(), refreshHash, ip }
  const grant = await rows.exchangeCode.first(platform, exchanged)
  if (grant) return grant
  await rows.endGrantOfUsedCode.run(platform, codeHash)
  throw new OAuthError(
    'invalid_grant',
    'The code is wrong, was used, has expired or belongs to another request',
  )
}

async function refresh(
  { platform }: TokenContext,
  request: RefreshRequest,
  nextHash: string,
): Promise<rows.Grant> {
  const hash = await sha256Bytea(request.refresh_token)
  const scopes = readScopes(request)
  const grant =
    (await rows.rotateGrant.first(platform, hash, nextHash, request.client_id, scopes)) ??
    (await rows.repeatRotation.first(platform, hash, nextHash, request.client_id, scopes))
  if (grant) return grant
  await rows.endGrantOfReusedToken.run(platform, hash)
  const { is_unused } = await rows.hasUnusedToken.one(platform, hash, request.client_id)
  if (is_unused && request.scope)
    throw new OAuthError('invalid_scope', 'The person has not agreed to this scope')
  throw new OAuthError('invalid_grant', 'The refresh token is wrong, was used, or its grant has ended')
}

/** Return the scopes that a refresh asks for, or null for all that were granted. */
function readScopes({ scope }: RefreshRequest): string[] | null {
  return scope === undefined ? null : parseScopes(scope)
}
