import { sql } from 'kysely'
import type { PlatformDb, ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { Feature } from '../../../lib/features.ts'
import type { ProfileUpdate, User } from './schemas.ts'

/** The columns of a UserResponse, from `users u` joined with `accounts a`. */
const userColumns = sql`
  u.id, u.email, u.full_name, u.account_id, a.name as account_name, u.role, u.team_id, u.team_role, u.is_super_admin,
  u.email_verified_at is not null as email_verified, u.must_change_password, u.timezone, u.created_at, u.last_login_at`

export type SignedIn = User & { sign_in_id: string }

interface Device {
  refreshHash: string
  userAgent: string
  ip: string
}

/** How somebody will prove who they are. */
export interface Proof {
  passwordHash: string | null
  identity: { provider: string; subject: string } | null
  /** Whether somebody trusted says that the address is theirs. */
  emailVerified: boolean
}

interface NewUser extends Proof, Device {
  email: string
  fullName: string
}

/** `with` clauses that give the rows of `u` what they prove themselves by, and a sign-in. */
const proofAndSignIn = ({ passwordHash, identity, refreshHash, userAgent, ip }: NewUser) => sql`
  p as (
    insert into passwords (user_id, hash) select id, ${passwordHash} from u where ${passwordHash}::text is not null
  ), k as (
    insert into identities (provider, subject, user_id)
    select ${identity?.provider ?? null}, ${identity?.subject ?? null}, id from u where ${identity?.subject ?? null}::text is not null
  ), s as (
    insert into sign_ins (account_id, user_id, user_agent, ip, expires_at)
    select account_id, id, ${userAgent}, ${ip}, app.now() + interval '30 days' from u returning id
  ), r as (
    insert into refresh_tokens (hash, sign_in_id) select ${refreshHash}::bytea, id from s
  )`

/** One more use of a platform code, if it works: decided by the row, so never one too many. */
const redeem = (hash: string | null) => sql`
  update platform_invite_codes set used_count = used_count + 1
   where hash = ${hash}::bytea and used_count < max_uses and (expires_at is null or expires_at > app.now()) returning id`

/**
 * Account, team, admin, proof, sign-in, the mail that an unverified address is owed and the use of a code, in one statement. Undefined for a
 * code that does not work; violates users_email for an address already taken, and identities_pkey for an identity.
 */
export async function insertAccount(db: PlatformDb, input: NewUser & { accountName: string }, codeHash: string | null) {
  const { rows } = await sql<SignedIn & { delivery_id: string | null }>`
    with code as (${redeem(codeHash)}), a as (
      insert into accounts (name, plan, subscription_status, trial_ends_at)
      select ${input.accountName}, 'pro', 'trialing', app.now() + interval '14 days'
       where ${codeHash}::bytea is null or exists (select from code) returning id, name
    ), t as (
      insert into teams (account_id, name) select id, name from a returning id, account_id
    ), u as (
      insert into users (account_id, email, full_name, role, team_id, team_role, email_verified_at, last_login_at)
      select account_id, ${input.email}, ${input.fullName}, 'admin', id, 'admin', case when ${input.emailVerified} then app.now() end, app.now()
        from t returning *
    ), ${proofAndSignIn(input)}, d as (
      insert into deliveries (account_id, channel, recipient, purpose, user_id)
      select account_id, 'email', email, 'verify_email', id from u where email_verified_at is null returning id
    )
    select ${userColumns}, s.id as sign_in_id, (select id from d) as delivery_id from u join a on a.id = u.account_id, s`.execute(db)
  return rows[0]
}

export async function redeemCode(db: PlatformDb, hash: string): Promise<boolean> {
  return (await redeem(hash).execute(db)).rows.length > 0
}

/** What signing in needs to know of an address; undefined for one that nobody has. `locked_for` is in seconds. */
export async function selectCredentials(db: PlatformDb, email: string) {
  const { rows } = await sql<{ user_id: string | null; hash: string | null; locked_for: number | null }>`
    select u.id as user_id, p.hash, ceil(extract(epoch from f.locked_until - app.now()))::integer as locked_for
      from (select lower(${email}) as email) given
      left join users u on lower(u.email) = given.email and u.is_active
      left join passwords p on p.user_id = u.id
      left join login_failures f on f.email = given.email and f.locked_until > app.now()`.execute(db)
  return rows[0]
}

/** Counts a failed sign-in; the tenth within 15 minutes locks the address for 15 and leaves an audit row where somebody owns it. */
export async function recordLoginFailure(db: PlatformDb, email: string, ip: string): Promise<void> {
  await sql`
    with f as (
      insert into login_failures as f (email, failed_at) values (lower(${email}), array[app.now()])
      on conflict (email) do update set
        failed_at = (select array_agg(t) from unnest(f.failed_at || app.now()) t where t > app.now() - interval '15 minutes'),
        locked_until = case when (select count(*) from unnest(f.failed_at) t where t > app.now() - interval '15 minutes') >= 9
                            then app.now() + interval '15 minutes' end
      returning email, locked_until
    )
    insert into audit_logs (account_id, actor_id, action, resource_type, resource_id, ip)
    select u.account_id, u.id, 'sign_in.locked', 'user', u.id, ${ip} from f join users u on lower(u.email) = f.email where f.locked_until is not null`.execute(
    db,
  )
}

/** Opens a sign-in; a right password also forgets the wrong ones. Undefined for who is not active, or where passwords were locked meanwhile. */
export async function insertSignIn(
  db: PlatformDb,
  userId: string,
  by: 'password' | 'identity',
  device: Device,
): Promise<SignedIn | undefined> {
  const { rows } = await sql<SignedIn>`
    with u as (
      update users u set last_login_at = app.now() where id = ${userId} and is_active
         and (${by} <> 'password' or not exists (select from login_failures f where f.email = lower(u.email) and f.locked_until > app.now())) returning *
    ), s as (
      insert into sign_ins (account_id, user_id, user_agent, ip, expires_at)
      select account_id, id, ${device.userAgent}, ${device.ip}, app.now() + interval '30 days' from u returning id
    ), r as (
      insert into refresh_tokens (hash, sign_in_id) select ${device.refreshHash}::bytea, id from s
    ), forgotten as (
      delete from login_failures f using u where f.email = lower(u.email) and ${by} = 'password'
    )
    select ${userColumns}, s.id as sign_in_id from u join accounts a on a.id = u.account_id, s`.execute(db)
  return rows[0]
}

/** Uses a refresh token, once, and puts the next one in its place. Undefined when it was used, ended or never was. */
export async function rotateRefreshToken(db: PlatformDb, hash: string, nextHash: string): Promise<SignedIn | undefined> {
  const { rows } = await sql<SignedIn>`
    with used as (
      update refresh_tokens set used_at = app.now() where hash = ${hash}::bytea and used_at is null returning sign_in_id
    ), s as (
      update sign_ins s set last_used_at = app.now(), expires_at = app.now() + interval '30 days'
        from used, users u
       where s.id = used.sign_in_id and s.ended_at is null and s.expires_at > app.now() and u.id = s.user_id and u.is_active
      returning s.id, s.user_id
    ), r as (
      insert into refresh_tokens (hash, sign_in_id) select ${nextHash}::bytea, id from s
    )
    select ${userColumns}, s.id as sign_in_id from s join users u on u.id = s.user_id join accounts a on a.id = u.account_id`.execute(db)
  return rows[0]
}

export async function selectMe(db: ReadDb | WriteDb, userId: string) {
  const { rows } = await sql<User & { unverified: boolean; lapsed: boolean }>`
    select ${userColumns}, u.email_verified_at is null and u.created_at + interval '72 hours' <= app.now() as unverified, app.lapsed(a) as lapsed
      from users u join accounts a on a.id = u.account_id where u.id = ${userId}`.execute(db as WriteDb)
  return rows[0] as User & { unverified: boolean; lapsed: boolean }
}

export async function selectFeatures(db: ReadDb): Promise<{ key: Feature; enabled: boolean }[]> {
  const { rows } = await sql<{ key: Feature; enabled: boolean }>`
    select key, app.feature_on(app.account_id(), key) as enabled from features order by key`.execute(db as WriteDb)
  return rows
}

export async function updateProfile(db: WriteDb, userId: string, change: ProfileUpdate): Promise<void> {
  await db
    .updateTable('users')
    .set(change as { full_name?: string })
    .where('id', '=', userId)
    .execute()
}

/** The account, team and role that an invite gives. */
interface Place {
  id: string
  account_id: string
  team_id: string | null
  role: string
}

/** The newcomer of a claimed invite, signed in; the mail that brought the code proved the address. */
export async function insertMember(db: PlatformDb, invite: Place, input: NewUser): Promise<SignedIn> {
  const { rows } = await sql<SignedIn>`
    with u as (
      insert into users (account_id, email, full_name, role, team_id, team_role, email_verified_at, last_login_at)
      values (${invite.account_id}, ${input.email}, ${input.fullName}, ${invite.role}, ${invite.team_id}::uuid,
              case when ${invite.team_id}::uuid is not null then 'member' end, app.now(), app.now()) returning *
    ), i as (
      update invites set accepted_by = u.id from u where invites.id = ${invite.id}
    ), ${proofAndSignIn(input)}
    select ${userColumns}, s.id as sign_in_id from u join accounts a on a.id = u.account_id, s`.execute(db)
  return rows[0] as SignedIn
}

export async function enterAccount(db: PlatformDb, accountId: string, actorId: string): Promise<void> {
  await sql`select app.enter_account(${accountId}, ${actorId})`.execute(db)
}
