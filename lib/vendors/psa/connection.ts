import type { Vault } from '#vendors/auth/vault.ts'
import type { Provider, PsaConnection } from './psa.ts'

/** A connection as stored, with encrypted credentials. */
export interface ConnectionRow {
  id: string
  account_id: string
  provider: Provider
  base_url: string
  identity: Record<string, string | null>
  credentials: string
  is_active: boolean
  time_rounding_minutes: number
  time_minimum_minutes: number
  /** The status of a resolved case, by the id of the board. */
  resolved_statuses: Record<string, string>
  last_checked_at: string | null
  last_check_error: string | null
  created_at: string
  updated_at: string
  /** The database's time of the read. */
  now: string
}

const vaultContext = (accountId: string, provider: string) => `psa:${accountId}:${provider}`

/**
 * Encrypt a connection's secrets for storage. They can be decrypted only for the same account and provider.
 */
export function encryptSecrets(
  vault: Vault,
  accountId: string,
  provider: Provider,
  secrets: Record<string, string>,
): Promise<string> {
  return vault.seal(JSON.stringify(secrets), vaultContext(accountId, provider))
}

export async function decryptSecrets(
  vault: Vault,
  row: Pick<ConnectionRow, 'account_id' | 'provider' | 'credentials'>,
): Promise<Record<string, string>> {
  return JSON.parse(await vault.open(row.credentials, vaultContext(row.account_id, row.provider)))
}

/** Decrypt a connection. Use it for one request only, and never log it. */
export async function decryptConnection(
  vault: Vault,
  row: Pick<ConnectionRow, 'account_id' | 'provider' | 'base_url' | 'identity' | 'credentials'>,
): Promise<PsaConnection> {
  const { provider, base_url: baseUrl, identity } = row
  return {
    provider,
    baseUrl,
    identity,
    secrets: await decryptSecrets(vault, row),
  } as unknown as PsaConnection
}
