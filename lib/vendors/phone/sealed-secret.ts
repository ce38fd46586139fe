import type { Vault } from '#vendors/auth/vault.ts'
import type { PhoneProvider } from './phone.ts'

const toContext = (accountId: string, provider: PhoneProvider) => `phone:${accountId}:${provider}`

/** Encrypt the secret of a gateway for storage. It can be decrypted only for the same account and provider. */
export function sealPhoneSecret(
  vault: Vault,
  accountId: string,
  provider: PhoneProvider,
  secret: string,
): Promise<string> {
  return vault.seal(secret, toContext(accountId, provider))
}

/** Decrypt the secret of a gateway. Use it for one attempt only, and never log it. */
export function openPhoneSecret(
  vault: Vault,
  accountId: string,
  provider: PhoneProvider,
  sealed: string,
): Promise<string> {
  return vault.open(sealed, toContext(accountId, provider))
}
