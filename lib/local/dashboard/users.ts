import { withConnection } from '#db/migrate/connection.ts'

export interface LocalUser {
  id: string
  account_id: string
  team_id: string | null
  full_name: string
}

/** Select a user by e-mail address, of one account if `accountId` is given. Throw if there is none. */
export async function selectUserByEmail(
  ownerUrl: string,
  email: string,
  accountId?: string,
): Promise<LocalUser> {
  return withConnection({ connectionString: ownerUrl }, async (client) => {
    const { rows } = await client.query<LocalUser>(
      'select id, account_id, team_id, full_name from users where lower(email) = lower($1) and ($2::uuid is null or account_id = $2)',
      [email, accountId ?? null],
    )
    if (!rows[0]) throw new Error(`No user has the e-mail address ${email}.`)
    return rows[0]
  })
}
