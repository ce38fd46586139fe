import type { Vault } from '#vendors/auth/vault.ts'

const toContext = (accountId: string, serverId: string) => `mcp:${accountId}:${serverId}`

/** Encrypt the token of an MCP server for storage. It can be decrypted only for the same server. */
export function sealMcpToken(
  vault: Vault,
  accountId: string,
  serverId: string,
  token: string,
): Promise<string> {
  return vault.seal(token, toContext(accountId, serverId))
}

/** Decrypt the token of an MCP server. Use it for one call only, and never log it. */
export function openMcpToken(
  vault: Vault,
  accountId: string,
  serverId: string,
  sealed: string,
): Promise<string> {
  return vault.open(sealed, toContext(accountId, serverId))
}
