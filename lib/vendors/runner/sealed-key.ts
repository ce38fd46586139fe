import type { Vault } from '#vendors/auth/vault.ts'
import type { RunnerProvider } from './runner.ts'

const toContext = (accountId: string, provider: RunnerProvider) => `runner:${accountId}:${provider}`

/** Encrypt the key of a runner for storage. It can be decrypted only for the same account and provider. */
export function sealRunnerKey(vault: Vault, accountId: string, provider: RunnerProvider, apiKey: string): Promise<string> {
  return vault.seal(apiKey, toContext(accountId, provider))
}

/** Decrypt the key of a runner. Use it for one request only, and never log it. */
export function openRunnerKey(vault: Vault, accountId: string, provider: RunnerProvider, sealed: string): Promise<string> {
  return vault.open(sealed, toContext(accountId, provider))
}
