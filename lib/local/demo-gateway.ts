import { parseConfig } from '#config.ts'
import { withConnection } from '#db/migrate/connection.ts'
import { createVault } from '#vendors/auth/vault.ts'
import { sealPhoneSecret } from '#vendors/phone/sealed-secret.ts'
import type { Stack } from './stack.ts'
import { phoneCredentials } from './vendors/phone/credentials.ts'

/** Give the account of a user the local gateway to phones, at its present address, unless it has another one. */
export async function seedDemoGateway(
  { ownerUrl, settings, localServer }: Pick<Stack, 'ownerUrl' | 'settings' | 'localServer'>,
  email: string,
): Promise<void> {
  const vault = createVault(parseConfig(settings).CREDENTIALS_KEY)
  const { accountSid, apiKeySid, secret } = phoneCredentials
  await withConnection({ connectionString: ownerUrl }, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      'select account_id as id from users where email = $1',
      [email],
    )
    for (const { id } of rows)
      await client.query(
        `insert into phone_gateways as g (account_id, provider, base_url, account_sid, api_key_sid, secret, sender, allowed_prefixes)
         values ($1, 'twilio', $2, $3, $4, $5, '+15005550006', '{+1,+44,+49}')
         on conflict (account_id) do update set base_url = excluded.base_url, secret = excluded.secret where g.account_sid = excluded.account_sid`,
        [
          id,
          `${localServer.origin}/twilio`,
          accountSid,
          apiKeySid,
          await sealPhoneSecret(vault, id, 'twilio', secret),
        ],
      )
  })
}
