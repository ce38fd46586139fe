import { parseConfig } from '#config.ts'
import { withConnection } from '#db/migrate/connection.ts'
import { generateTotpCode } from '#vendors/auth/totp.ts'
import { createVault } from '#vendors/auth/vault.ts'

export interface CurrentCode {
  email: string
  code: string
}

/**
 * List the current codes of the users with an authenticator app, so that nobody needs a phone to try the
 * service. At most 50, by address.
 */
export async function listTotpCodes(
  ownerUrl: string,
  settings: Record<string, string>,
): Promise<CurrentCode[]> {
  const rows = await withConnection({ connectionString: ownerUrl }, async (client) => {
    const { rows } = await client.query<{ user_id: string; email: string; secret: string; seconds: number }>(
      `select f.user_id, u.email, f.secret, extract(epoch from app.now())::float8 as seconds
         from totp_factors f join users u on u.id = f.user_id where f.confirmed_at is not null order by u.email limit 50`,
    )
    return rows
  })
  const vault = createVault(parseConfig(settings).CREDENTIALS_KEY)
  const codes = rows.map(async ({ user_id, email, secret, seconds }) => ({
    email,
    code: generateTotpCode(await vault.open(secret, `totp:${user_id}`), seconds),
  }))
  return Promise.all(codes)
}
