import type { Hono } from 'hono'
import type { C, Env, Services } from '#http/app.ts'
import { respondJson } from '#http/respond.ts'
import { buildResourceMetadata, buildServerMetadata, oauthPaths } from './metadata.ts'
import type { OAuthHandlers } from './oauth-server.ts'

/**
 * Add the OAuth 2.1 server for MCP clients: metadata, registration, authorization codes with PKCE, tokens and
 * revocation. A person agrees on a page of the frontend, which calls `identity.consents.create`. All but the
 * metadata is loaded by the first call, because few requests need it.
 */
export function mountOAuth(app: Hono<Env>, services: Services): void {
  const { PUBLIC_BASE_URL: base } = services.ports.config
  const metadataPaths = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']
  app.on('GET', metadataPaths, (c) => respondJson(c, JSON.stringify(buildResourceMetadata(base)), 200))
  // Some clients take the address of the MCP server for that of its authorization server.
  const serverPaths = [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/mcp',
  ]
  app.on('GET', serverPaths, (c) => respondJson(c, JSON.stringify(buildServerMetadata(base)), 200))

  let handlers: OAuthHandlers | undefined
  for (const name of ['register', 'authorize', 'token', 'revoke'] as const) {
    app.on(name === 'authorize' ? 'GET' : 'POST', oauthPaths[name], async (context) => {
      const c = context as C
      c.set('operation', `oauth.${name}`)
      const { createOAuthHandlers } = await import('./oauth-server.ts')
      handlers ??= createOAuthHandlers(services)
      return handlers[name](c)
    })
  }
}
