import type { Vault } from './vault.ts'

/** Encrypt the client secret of an organisation's provider. It is bound to the account. */
export function sealClientSecret(vault: Vault, accountId: string, secret: string): Promise<string> {
  return vault.seal(secret, sealContext(accountId))
}

export function openClientSecret(vault: Vault, accountId: string, sealed: string): Promise<string> {
  return vault.open(sealed, sealContext(accountId))
}

const sealContext = (accountId: string) => `sso:${accountId}`
