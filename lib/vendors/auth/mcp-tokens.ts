import * as z from 'zod'
import type { Caller } from '#db/scope.ts'
import { createTokenSigner, type TokenSettings } from './jwt.ts'

export const mcpTokenSeconds = 15 * 60

/** Whom a token stands for, and what the person has agreed to. */
export interface McpGrant {
  caller: Caller
  scopes: readonly string[]
}

export interface McpTokens {
  sign(grant: McpGrant): Promise<string>
  /**
   * Return the grant of a token, or null when it is not ours, was changed, has expired or is for another
   * audience.
   */
  verify(token: string): Promise<McpGrant | null>
  /** Derive the refresh token that follows one, so that requests at the same time get the same. */
  deriveToken(token: string): Promise<string>
}

const Claims = z.object({ sub: z.uuid(), acc: z.uuid(), sid: z.uuid(), scp: z.array(z.string()) })

/**
 * Create and verify the access tokens of the OAuth server. Their audience is the MCP server, so the API
 * refuses them.
 */
export function createMcpTokens(settings: TokenSettings): McpTokens {
  const signer = createTokenSigner(settings, '/mcp')
  return {
    sign: ({ caller: { userId, accountId, signInId }, scopes }) =>
      signer.sign(userId, { acc: accountId, sid: signInId, scp: scopes }, mcpTokenSeconds),
    deriveToken: signer.derive,
    async verify(token) {
      const { data: claims } = Claims.safeParse(await signer.verify(token))
      return claims
        ? { caller: { userId: claims.sub, accountId: claims.acc, signInId: claims.sid }, scopes: claims.scp }
        : null
    },
  }
}
