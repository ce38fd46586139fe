import type { Vault } from '../auth/vault.ts'
import type { Provider, PsaConnection } from './psa.ts'

/** A connection as it is stored. */
export interface ConnectionRow {
  id: string
  account_id: string
  provider: Provider
  base_url: string
  identity: Record<string, string | null>
  credentials: string
  is_active: boolean
  last_checked_at: string | null
  last_check_error: string | null
  created_at: string
  updated_at: string
  /** The database's time as this was read. */
  now: string
}

const contextOf = (accountId: string, provider: string) => `psa:${accountId}:${provider}`

/** A connection's secrets as they are stored: only for this account and provider. */
export function sealSecrets(vault: Vault, accountId: string, provider: Provider, secrets: Record<string, string>): Promise<string> {
  return vault.seal(JSON.stringify(secrets), contextOf(accountId, provider))
}

export async function openSecrets(
  vault: Vault,
  row: Pick<ConnectionRow, 'account_id' | 'provider' | 'credentials'>,
): Promise<Record<string, string>> {
  return JSON.parse(await vault.open(row.credentials, contextOf(row.account_id, row.provider)))
}

/** What a port is opened with. Keep it for one request, and out of every log. */
export async function unsealed(vault: Vault, row: ConnectionRow): Promise<PsaConnection> {
  const { provider, base_url: baseUrl, identity } = row
  return { provider, baseUrl, identity, secrets: await openSecrets(vault, row) } as unknown as PsaConnection
}
