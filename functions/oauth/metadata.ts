import { readingScopes } from '#functions/mcp/tools.ts'
import { keyScopes } from '#http/key-scopes.ts'

export const oauthPaths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const

/** Return the identifier of the MCP server, for which tokens are issued (RFC 8707). */
export function getResource(baseUrl: string): string {
  return `${baseUrl}/mcp`
}

/** Return whether a client means the MCP server. Some name its origin alone. */
export function isResource(asked: string | undefined, resource: string): boolean {
  return asked === undefined || asked === resource || asked === resource.replace(/\/mcp$/, '')
}

/** What a client reads first: https://www.rfc-editor.org/rfc/rfc9728#section-2 */
export function buildResourceMetadata(baseUrl: string) {
  return {
    resource: getResource(baseUrl),
    resource_name: 'Support Flow',
    authorization_servers: [baseUrl],
    // Programs ask for all of these, so they are the fewest with which the tools read.
    scopes_supported: readingScopes,
    bearer_methods_supported: ['header'],
  }
}

/** https://www.rfc-editor.org/rfc/rfc8414#section-2, and `iss` of RFC 9207 */
export function buildServerMetadata(baseUrl: string) {
  return {
    issuer: baseUrl,
    authorization_endpoint: baseUrl + oauthPaths.authorize,
    token_endpoint: baseUrl + oauthPaths.token,
    registration_endpoint: baseUrl + oauthPaths.register,
    revocation_endpoint: baseUrl + oauthPaths.revoke,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    // Many clients use a refresh token only of a server that names this scope.
    scopes_supported: [...keyScopes.filter((scope) => !scope.startsWith('*')), 'offline_access'],
    authorization_response_iss_parameter_supported: true,
  }
}
