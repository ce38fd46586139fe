import { sql } from 'kysely'
import * as z from 'zod'
import { jsonb } from '#db/expressions.ts'
import { readStatement, writeStatement } from '#db/statement.ts'

const Recipient = z.object({
  address: z.string(),
  address_hash: z.string(),
  is_member: z.boolean(),
  is_unreachable: z.boolean(),
})
export type Recipient = z.output<typeof Recipient>

/**
 * Select the facts about each address that decide its e-mail, in the order of the addresses. Only a verified
 * member is known to own an address. `address_hash` is in hex.
 */
export const selectRecipients = readStatement(
  Recipient,
  (accountId: string, addresses: readonly string[]) => sql`
    select a.address, encode(app.address_hash(a.address), 'hex') as address_hash,
           exists (select from users u where lower(u.email) = lower(a.address) and u.account_id = ${accountId}::uuid
                                         and u.is_active and u.email_verified_at is not null) as is_member,
           exists (select from mail_suppressions s where s.address_hash = app.address_hash(a.address))
           or exists (select from mail_problems m where m.address_hash = app.address_hash(a.address) and m.lifted_at is null) as is_unreachable
      from jsonb_array_elements_text(${jsonb(addresses)}) with ordinality a (address, n) order by a.n`,
)

/**
 * Insert the token of a link, if the recipient is the user's address, or the new one of a change that nobody
 * else has verified. A link of a change ends with it. The user is locked, so that a change of the address at
 * the same time ends the token.
 */
export const insertOneTimeToken = writeStatement(
  null,
  (token: { hash: string; userId: string; recipient: string; purpose: string; lifetime: string }) => sql`
    with u as (
      select id, email from users where id = ${token.userId} for share
    ), c as (
      select id, user_id, expires_at from email_changes
       where user_id = ${token.userId} and ${token.purpose} = 'change_email' and lower(new_email) = lower(${token.recipient})
         and expires_at > app.now()
         and not exists (select from users where lower(email) = lower(${token.recipient}) and is_active and email_verified_at is not null)
    )
    insert into one_time_tokens (hash, user_id, purpose, email_change_id, expires_at)
    select ${token.hash}::bytea, u.id, ${token.purpose}, c.id, least(c.expires_at, app.now() + ${token.lifetime}::interval)
      from u left join c on c.user_id = u.id
     where c.id is not null or (${token.purpose} <> 'change_email' and lower(u.email) = lower(${token.recipient}))`,
)

/**
 * Insert a code for an open invite. Return the names for its e-mail, or undefined when the invite is not
 * open.
 */
export const insertInviteCode = writeStatement(
  z.object({
    account_name: z.string(),
    team_name: z.string().nullable(),
    inviter_name: z.string().nullable(),
  }),
  (inviteId: string, hash: string) => sql`
    with open_invite as (
      select i.id, a.name as account_name, t.name as team_name, u.full_name as inviter_name from invites i join accounts a on a.id = i.account_id
        left join users u on u.id = i.invited_by left join teams t on t.account_id = i.account_id and t.id = i.team_id where i.id = ${inviteId} and app.is_open(i)
    ), inserted_code as (
      insert into invite_codes (hash, invite_id) select ${hash}::bytea, id from open_invite
    )
    select account_name, team_name, inviter_name from open_invite`,
)
