import type { Vault } from '#vendors/auth/vault.ts'

const toContext = (accountId: string, batchId: string) => `kb-batch:${accountId}:${batchId}`

/** Encrypt a vendor's key for storage. It can be decrypted only for the same batch. */
export function sealArticlesKey(
  vault: Vault,
  accountId: string,
  batchId: string,
  apiKey: string,
): Promise<string> {
  return vault.seal(apiKey, toContext(accountId, batchId))
}

/** Decrypt the key of a batch. Use it for one slice only, and never log it. */
export function openArticlesKey(
  vault: Vault,
  accountId: string,
  batchId: string,
  sealed: string,
): Promise<string> {
  return vault.open(sealed, toContext(accountId, batchId))
}
