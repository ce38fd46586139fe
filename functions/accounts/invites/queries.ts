import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, bytea, now } from '#db/expressions.ts'
import { newestFirst, type PageQuery, selectPage } from '#db/page.ts'
import type { PlatformDb, ReadDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import { Invite, type InviteCreate, type InviteLookup } from './schemas.ts'

const isOpen = sql<boolean>`app.is_open(i)`
const status = sql<Invite['status']>`
  case when i.accepted_at is not null then 'accepted' when i.revoked_at is not null then 'revoked' when ${isOpen} then 'open' else 'expired' end`

export function selectInvites(db: ReadDb, page: PageQuery): Promise<Invite[]> {
  return db
    .selectFrom('invites as i')
    .leftJoin('users as u', (join) =>
      join.onRef('u.account_id', '=', 'i.account_id').onRef('u.id', '=', 'i.invited_by'),
    )
    .select(['i.id', 'i.email', 'i.role', 'i.team_id', 'i.invited_by', 'u.full_name as inviter_name'])
    .select(['i.expires_at', 'i.accepted_at', 'i.created_at', status.as('status')])
    .where('i.account_id', '=', accountId)
    .$call(selectPage(newestFirst, page, 'i'))
    .execute()
}

/**
 * Insert an invite and the delivery of its e-mail in one statement. Return undefined if a user of the account
 * has the address.
 */
export const insertInvite = writeStatement(
  Invite.extend({ delivery_id: z.string() }),
  ({ email, role, team_id }: InviteCreate) => sql`
    with i as (
      insert into invites (email, role, team_id)
      select ${email}, ${role}, ${team_id ?? null}::uuid
       where not exists (select from users m where m.account_id = app.account_id() and lower(m.email) = lower(${email}))
      returning *
    ), inserted_delivery as (
      insert into deliveries (channel, recipient, purpose, invite_id) select 'email', email, 'invite', id from i returning id
    )
    select i.id, i.email, i.role, i.team_id, i.invited_by, u.full_name as inviter_name, i.expires_at, i.accepted_at, i.created_at,
           'open' as status, d.id as delivery_id
      from i left join users u on u.account_id = i.account_id and u.id = i.invited_by, inserted_delivery d`,
)

/** Select the member of the account who has an address. */
export function selectMember(db: ReadDb, email: string) {
  return db
    .selectFrom('users')
    .select(['id', 'is_active'])
    .where('account_id', '=', accountId)
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst()
}

/**
 * Revoke an invite that was neither accepted nor revoked. The row says whether the invite exists, and whether
 * this call revoked it.
 */
export const revokeInvite = writeStatement(
  z.object({ is_known: z.boolean(), is_revoked: z.boolean() }),
  (id: string) => sql`
    with revoked_invite as (
      update invites i set revoked_at = app.now() where i.id = ${id} and i.accepted_at is null and i.revoked_at is null returning id
    )
    select exists (select from invites where id = ${id}) as is_known, exists (select from revoked_invite) as is_revoked`,
)

/**
 * Extend an invite to 7 days from now, invalidate the codes sent so far and insert the delivery of a new
 * e-mail. Return undefined for an accepted, revoked or unknown invite.
 */
export const renewInvite = writeStatement(
  z.object({ delivery_id: z.string() }),
  (id: string) => sql`
    with i as (
      update invites set codes_since = app.now(), expires_at = app.now() + interval '7 days'
       where id = ${id} and accepted_at is null and revoked_at is null returning id, email
    )
    insert into deliveries (channel, recipient, purpose, invite_id) select 'email', email, 'invite', id from i returning id as delivery_id`,
)

export async function hasInvite(db: ReadDb, id: string): Promise<boolean> {
  return (await db.selectFrom('invites').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

export function selectInviteByCode(db: PlatformDb, hash: string): Promise<InviteLookup | undefined> {
  return db
    .selectFrom('invite_codes as c')
    .innerJoin('invites as i', (join) =>
      join.onRef('i.id', '=', 'c.invite_id').onRef('c.created_at', '>=', 'i.codes_since'),
    )
    .innerJoin('accounts as a', 'a.id', 'i.account_id')
    .leftJoin('users as u', (join) =>
      join.onRef('u.account_id', '=', 'i.account_id').onRef('u.id', '=', 'i.invited_by'),
    )
    .select(['a.name as account_name', 'u.full_name as inviter_name', 'i.email as invited_email', 'i.role'])
    .where('c.hash', '=', bytea(hash))
    .where(isOpen)
    .executeTakeFirst()
}

/** Accept the open invite of an account for an address, if there is one. */
export function claimInviteOf(db: PlatformDb, account: string, email: string) {
  return db
    .updateTable('invites as i')
    .set({ accepted_at: now })
    .where('i.account_id', '=', account)
    .where(isOpen)
    .where(sql<boolean>`lower(i.email) = lower(${email})`)
    .returning(['i.id', 'i.role', 'i.team_id'])
    .executeTakeFirst()
}

/**
 * Accept an open invite for the address that it was sent to. Return undefined for an invalid code and for
 * another address.
 */
export function claimInvite(db: PlatformDb, codeHash: string, email: string) {
  const firstTeam = sql<string>`(select t.id from teams t where t.account_id = i.account_id order by t.created_at, t.id limit 1)`
  return db
    .updateTable('invites as i')
    .from('invite_codes as c')
    .set({ accepted_at: now })
    .where('c.hash', '=', bytea(codeHash))
    .whereRef('i.id', '=', 'c.invite_id')
    .whereRef('c.created_at', '>=', 'i.codes_since')
    .where(isOpen)
    .where(sql<boolean>`lower(i.email) = lower(${email})`)
    .returning([
      'i.id',
      'i.account_id',
      'i.role',
      'i.invited_by',
      sql<string | null>`coalesce(i.team_id, ${firstTeam})`.as('team_id'),
    ])
    .executeTakeFirst()
}
