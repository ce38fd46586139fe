import { parseArgs } from 'node:util'
import type pg from 'pg'
import { parseOwnerUrl, parseSettings, settings } from '#config.ts'
import { withConnection } from '#db/migrate/connection.ts'
import { fingerprintCredentials } from '#rules/settings/fingerprint.ts'
import { createRecoveryCodes, hashRecoveryCode } from '#vendors/auth/recovery-codes.ts'
import { buildTotpUrl, createTotpSecret } from '#vendors/auth/totp.ts'
import { createVault, type VaultKey } from '#vendors/auth/vault.ts'
import { describeCommandFailure } from './describe-failure.ts'
import { requireKnownKeys } from './known-keys.ts'

/** A new second factor, which cannot be read again. */
export interface NewFactor {
  otpauthUrl: string
  recoveryCodes: string[]
}

/**
 * Make a registered user a super admin whose address counts as verified. Return the second factor that the
 * user gets, or null for one who has a second factor already. Throw for an address without an active user.
 * All of it is one transaction.
 */
export async function makeSuperAdmin(
  ownerUrl: string,
  keys: readonly VaultKey[],
  email: string,
): Promise<NewFactor | null> {
  return withConnection({ connectionString: ownerUrl }, async (client) => {
    await client.query('begin')
    const { rows } = await client.query<{ id: string; email: string; has_second_factor: boolean }>(
      `update users set is_super_admin = true, email_verified_at = coalesce(email_verified_at, app.now())
        where lower(email) = lower($1) and is_active returning id, email, has_second_factor`,
      [email],
    )
    const [user] = rows
    if (!user)
      throw new Error(`No active user has the address ${email}. Register it first, then repeat this.`)
    const factor = user.has_second_factor ? null : await insertFactor(client, keys, user)
    await client.query('commit')
    return factor
  })
}

async function insertFactor(
  client: pg.Client,
  keys: readonly VaultKey[],
  user: { id: string; email: string },
): Promise<NewFactor> {
  await requireKnownKeys(client, await fingerprintCredentials(keys))
  const secret = createTotpSecret()
  const sealedSecret = await createVault(keys).seal(secret, `totp:${user.id}`)
  await client.query(
    `insert into totp_factors (user_id, secret, confirmed_at) values ($1, $2, app.now())
       on conflict (user_id) do update set secret = excluded.secret, confirmed_at = excluded.confirmed_at`,
    [user.id, sealedSecret],
  )
  const recoveryCodes = createRecoveryCodes()
  await client.query('delete from recovery_codes where user_id = $1', [user.id])
  await client.query(
    'insert into recovery_codes (user_id, hash) select $1, hash::bytea from unnest($2::text[]) hash',
    [user.id, await Promise.all(recoveryCodes.map(hashRecoveryCode))],
  )
  await client.query(`select app.record_factor_change($1, null, 'totp.enabled', null, null)`, [user.id])
  return { otpauthUrl: buildTotpUrl(secret, user.email), recoveryCodes }
}

async function main(): Promise<void> {
  const [email, ...others] = parseArgs({ allowPositionals: true }).positionals
  if (!email || others.length > 0) throw new Error('Name one address: npm run admin -- <address>')
  const ownerUrl = parseOwnerUrl(process.env)
  const { CREDENTIALS_KEY } = parseSettings({ CREDENTIALS_KEY: settings.CREDENTIALS_KEY }, process.env)
  const factor = await makeSuperAdmin(ownerUrl, CREDENTIALS_KEY, email)
  console.log(`${email} is a super admin.`)
  if (!factor) return console.log('The second factor stays as it is.')
  console.log(
    `Add this to an authenticator app, for example as a QR code. It is shown only now:\n  ${factor.otpauthUrl}`,
  )
  console.log(`Recovery codes, each for one sign-in without the app:\n  ${factor.recoveryCodes.join('\n  ')}`)
}

if (import.meta.main)
  main().catch((error: unknown) => {
    console.error(describeCommandFailure(error))
    process.exitCode = 1
  })
