import * as z from 'zod'
import { readingScopes } from '#functions/mcp/tools.ts'
import { keyScopes } from '#http/key-scopes.ts'
import { removeInvisible } from '#rules/text/plain-name.ts'
import { randomToken } from '#vendors/auth/hash.ts'
import { isRedirectUri } from './redirect-uri.ts'

const Scope = z.enum(keyScopes as [string, ...string[]])

/** The id of a program. */
export const ClientId = z.string().regex(/^[\w-]{22}$/)

/** Create the id of a program: 130 random bits, so that it cannot be guessed. */
export function createClientId(): string {
  return randomToken().slice(0, 22)
}

const maxRedirectUris = 10

/**
 * A registration: https://www.rfc-editor.org/rfc/rfc7591#section-2. Other metadata is ignored. Programs register
 * the addresses of all their editions at once, so those that are not allowed are left out, as the answer shows.
 */
export const Registration = z.object({
  redirect_uris: z
    .array(z.unknown())
    .transform((uris) => [...new Set(uris)].filter(isRedirectUri).slice(0, maxRedirectUris))
    .refine((uris) => uris.length > 0),
  client_name: z.string().overwrite(removeInvisible).trim().min(1).max(100).catch('MCP client'),
})

const CodeChallenge = z.string().regex(/^[\w-]{43}$/)

/** The scopes of a request, separated by spaces. Unknown ones are left out; none means what the tools read. */
export function parseScopes(text: string | undefined): string[] {
  const known = [...new Set((text ?? '').split(' '))].filter((scope) => Scope.safeParse(scope).success)
  return known.length > 0 ? known : [...readingScopes]
}

/** The MCP server, which some clients write with a slash at its end. */
const Resource = z
  .string()
  .max(500)
  .transform((url) => url.replace(/\/$/, ''))
  .optional()

/** An authorization request with PKCE, apart from `client_id` and `redirect_uri`, which are checked first. */
export const AuthorizationRequest = z.object({
  response_type: z.literal('code'),
  code_challenge: CodeChallenge,
  code_challenge_method: z.literal('S256'),
  scope: z.string().max(2000).optional(),
  state: z.string().max(2000).optional(),
  resource: Resource,
})

const verifier = z.string().regex(/^[\w.~-]{43,128}$/)

export const TokenRequest = z.discriminatedUnion('grant_type', [
  z.object({
    grant_type: z.literal('authorization_code'),
    code: z.string().min(1).max(200),
    redirect_uri: z.string().max(500),
    client_id: ClientId,
    code_verifier: verifier,
    resource: Resource,
  }),
  z.object({
    grant_type: z.literal('refresh_token'),
    refresh_token: z.string().min(1).max(200),
    client_id: ClientId,
    scope: z.string().max(2000).optional(),
    resource: Resource,
  }),
])
export type TokenRequest = z.output<typeof TokenRequest>
