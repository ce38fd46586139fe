import { sql } from 'kysely'
import * as z from 'zod'
import { jsonb } from '#db/expressions.ts'
import { readStatement, writeStatement } from '#db/statement.ts'

const Recipient = z.object({ address: z.string(), address_hash: z.string(), is_member: z.boolean(), is_unsubscribed: z.boolean() })
export type Recipient = z.output<typeof Recipient>

/**
 * Select the facts about each address that decide its e-mail, in the order of the addresses. Only a verified member is known to own an address.
 * `address_hash` is in hex.
 */
export const selectRecipients = readStatement(
  Recipient,
  (accountId: string, addresses: readonly string[]) => sql`
    select a.address, encode(app.address_hash(a.address), 'hex') as address_hash,
           exists (select from users u where lower(u.email) = lower(a.address) and u.account_id = ${accountId}::uuid
                                         and u.is_active and u.email_verified_at is not null) as is_member,
           exists (select from mail_suppressions s where s.address_hash = app.address_hash(a.address)) as is_unsubscribed
      from jsonb_array_elements_text(${jsonb(addresses)}) with ordinality a (address, n) order by a.n`,
)

export const insertOneTimeToken = writeStatement(
  null,
  (token: { hash: string; userId: string; purpose: string; lifetime: string }) => sql`
    insert into one_time_tokens (hash, user_id, purpose, expires_at)
    values (${token.hash}::bytea, ${token.userId}, ${token.purpose}, app.now() + ${token.lifetime}::interval)`,
)

/** Insert a code for an open invite. Return the names for its e-mail, or undefined when the invite is not open. */
export const insertInviteCode = writeStatement(
  z.object({ account_name: z.string(), inviter_name: z.string().nullable() }),
  (inviteId: string, hash: string) => sql`
    with open_invite as (
      select i.id, a.name as account_name, u.full_name as inviter_name from invites i join accounts a on a.id = i.account_id
        left join users u on u.id = i.invited_by where i.id = ${inviteId} and app.is_open(i)
    ), inserted_code as (
      insert into invite_codes (hash, invite_id) select ${hash}::bytea, id from open_invite
    )
    select account_name, inviter_name from open_invite`,
)
