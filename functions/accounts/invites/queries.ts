import { sql } from 'kysely'
import type { PlatformDb, ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { Invite, InviteCreate, InviteLookup } from './schemas.ts'

const inviteColumns = sql`
  i.id, i.email, i.role, i.team_id, i.invited_by, u.full_name as inviter_name, i.expires_at, i.accepted_at, i.created_at,
  case when i.accepted_at is not null then 'accepted' when i.revoked_at is not null then 'revoked'
       when app.is_open(i) then 'open' else 'expired' end as status`
const joinInviter = sql`left join users u on u.account_id = i.account_id and u.id = i.invited_by`

export async function selectInvites(db: ReadDb, skip: number, limit: number): Promise<Invite[]> {
  const { rows } = await sql<Invite>`
    select ${inviteColumns} from invites i ${joinInviter} where i.account_id = app.account_id()
     order by i.created_at desc, i.id desc offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

/** Insert an invite and the delivery of its e-mail in one statement. Return undefined if a user of the account has the address. */
export async function insertInvite(
  db: WriteDb,
  { email, role, team_id }: InviteCreate,
): Promise<(Invite & { delivery_id: string }) | undefined> {
  const { rows } = await sql<Invite & { delivery_id: string }>`
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
      from i ${joinInviter}, inserted_delivery d`.execute(db)
  return rows[0]
}

/** Revoke an invite that was neither accepted nor revoked. Return whether the invite exists, and whether this call revoked it. */
export async function revokeInvite(db: WriteDb, id: string): Promise<{ does_exist: boolean; is_revoked: boolean }> {
  const { rows } = await sql<{ does_exist: boolean; is_revoked: boolean }>`
    with revoked_invite as (
      update invites i set revoked_at = app.now() where i.id = ${id} and i.accepted_at is null and i.revoked_at is null returning id
    )
    select exists (select from invites where id = ${id}) as does_exist, exists (select from revoked_invite) as is_revoked`.execute(db)
  return rows[0] ?? { does_exist: false, is_revoked: false }
}

/**
 * Extend an invite to 7 days from now, invalidate the codes sent so far and insert the delivery of a new e-mail. Return undefined for an
 * accepted, revoked or unknown invite.
 */
export async function renewInvite(db: WriteDb, id: string): Promise<{ delivery_id: string } | undefined> {
  const { rows } = await sql<{ delivery_id: string }>`
    with i as (
      update invites set codes_since = app.now(), expires_at = app.now() + interval '7 days'
       where id = ${id} and accepted_at is null and revoked_at is null returning id, email
    )
    insert into deliveries (channel, recipient, purpose, invite_id) select 'email', email, 'invite', id from i returning id as delivery_id`.execute(
    db,
  )
  return rows[0]
}

export async function hasInvite(db: ReadDb, id: string): Promise<boolean> {
  return (await db.selectFrom('invites').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

export async function selectInviteByCode(db: PlatformDb, hash: string): Promise<InviteLookup | undefined> {
  const { rows } = await sql<InviteLookup>`
    select a.name as account_name, u.full_name as inviter_name, i.email as invited_email, i.role
      from invite_codes c join invites i on i.id = c.invite_id and c.created_at >= i.codes_since
      join accounts a on a.id = i.account_id ${joinInviter}
     where c.hash = ${hash}::bytea and app.is_open(i)`.execute(db)
  return rows[0]
}

interface ClaimedInvite {
  id: string
  account_id: string
  team_id: string | null
  role: string
  invited_by: string | null
}

/** Accept an open invite for the address that it was sent to. Return undefined for an invalid code and for another address. */
export async function claimInvite(db: PlatformDb, codeHash: string, email: string): Promise<ClaimedInvite | undefined> {
  const { rows } = await sql<ClaimedInvite>`
    update invites i set accepted_at = app.now() from invite_codes c
     where c.hash = ${codeHash}::bytea and i.id = c.invite_id and c.created_at >= i.codes_since and app.is_open(i) and lower(i.email) = lower(${email})
    returning i.id, i.account_id, i.role, i.invited_by,
              coalesce(i.team_id, (select t.id from teams t where t.account_id = i.account_id order by t.created_at, t.id limit 1)) as team_id`.execute(
    db,
  )
  return rows[0]
}
