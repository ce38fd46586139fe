import type { Vault } from '#vendors/auth/vault.ts'

/** Identifies the owner of a secret. */
interface SecretOwner {
  accountId: string
  webhookId: string
}

const vaultContext = ({ accountId, webhookId }: SecretOwner) => `webhook:${accountId}:${webhookId}`

/** Encrypt a signing secret for storage. It can be decrypted only for the same webhook. */
export function sealWebhookSecret(vault: Vault, owner: SecretOwner, secret: string): Promise<string> {
  return vault.seal(secret, vaultContext(owner))
}

/** Decrypt signing secrets. Use them for one attempt only, and never log them. */
export function openWebhookSecrets(
  vault: Vault,
  owner: SecretOwner,
  sealed: readonly string[],
): Promise<string[]> {
  return Promise.all(sealed.map((text) => vault.open(text, vaultContext(owner))))
}
