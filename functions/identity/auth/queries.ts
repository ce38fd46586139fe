import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { releaseIdentity } from '#db/rows/identities.ts'
import { userColumns } from '#db/rows/signed-in-user.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'
import { type NewSignIn, SignedInUser } from '#functions/identity/sign-ins/schemas.ts'
import type { Device } from '#vendors/auth/device-tokens.ts'
import { type ProfileUpdate, User } from './schemas.ts'

/** How a new user will sign in: with a password, or with an identity at a provider. */
export interface Credentials {
  passwordHash: string | null
  identity: { provider: string; subject: string } | null
  /** Whether an identity provider that is trusted for this has verified the address. */
  emailVerified: boolean
}

export interface NewUser extends Credentials, NewSignIn {
  email: string
  fullName: string
}

/** Build the `with` clauses that insert the credentials and a sign-in for the users of the clause `u`. */
const buildCredentialClauses = ({ passwordHash, identity, refreshHash, userAgent, ip }: NewUser) => sql`
  inserted_password as (
    insert into passwords (user_id, hash) select id, ${passwordHash} from u where ${passwordHash}::text is not null
  ), released as (${releaseIdentity(identity?.provider ?? null, identity?.subject ?? null)}), inserted_identity as (
    insert into identities (provider, subject, user_id)
    select ${identity?.provider ?? null}, ${identity?.subject ?? null}, id from u, (select count(*) from released) r
     where ${identity?.subject ?? null}::text is not null
  ), s as (
    insert into sign_ins (account_id, user_id, user_agent, ip, expires_at, method)
    select account_id, id, ${userAgent}, ${ip}, app.now() + interval '30 days', ${passwordHash ? 'password' : 'identity'} from u returning id
  ), inserted_token as (
    insert into refresh_tokens (hash, sign_in_id) select ${refreshHash}::bytea, id from s
  )`

/**
 * Count one use of a valid platform invite code. The update checks the limit itself, so concurrent requests
 * cannot exceed it.
 */
const incrementCodeUse = (hash: string | null) => sql`
  update platform_invite_codes set used_count = used_count + 1
   where hash = ${hash}::bytea and used_count < max_uses and (expires_at is null or expires_at > app.now()) returning id`

/**
 * Insert an account on trial with a team, an admin, the admin's credentials and a sign-in, and count the use
 * of the platform invite code. For an unverified address, also insert the delivery of a verification e-mail.
 * Return undefined for an invalid code. Violates `users_email` if the address is taken, and `identities_pkey`
 * if the identity is.
 */
export const insertAccount = writeStatement(
  SignedInUser.extend({ delivery_id: z.string().nullable() }),
  (input: NewUser & { accountName: string }, codeHash: string | null) => sql`
    with used_code as (${incrementCodeUse(codeHash)}), a as (
      insert into accounts (name, plan, subscription_status, trial_ends_at)
      select ${input.accountName}, 'pro', 'trialing', app.now() + interval '14 days'
       where ${codeHash}::bytea is null or exists (select from used_code) returning id, name
    ), inserted_team as (
      insert into teams (account_id, name) select id, name from a returning id, account_id
    ), u as (
      insert into users (account_id, email, full_name, role, team_id, team_role, email_verified_at, last_login_at)
      select account_id, ${input.email}, ${input.fullName}, 'admin', id, 'admin', case when ${input.emailVerified} then app.now() end, app.now()
        from inserted_team returning *
    ), ${buildCredentialClauses(input)}, inserted_delivery as (
      insert into deliveries (account_id, channel, recipient, purpose, user_id)
      select account_id, 'email', email, 'verify_email', id from u where email_verified_at is null returning id
    )
    select ${userColumns}, s.id as sign_in_id, (select id from inserted_delivery) as delivery_id
      from u join a on a.id = u.account_id, s`,
)

/** Use a platform invite code once. Return no row for an invalid code. */
export const redeemCode = writeStatement(z.object({ id: z.string() }), incrementCodeUse)

/**
 * Count an attempt for an address and return its active user and password hash. With the valid token of a
 * `device` of the user, count it for the device instead. `lock_seconds` is not null if the attempt is
 * refused; `is_last` if it locked the address or device.
 */
export const countAttempt = writeStatement(
  z.object({
    user_id: z.string().nullable(),
    hash: z.string().nullable(),
    is_known_device: z.boolean(),
    /** Whether the user has signed in with the device, or from the address of the network, before. */
    is_known: z.boolean(),
    lock_seconds: z.int().nullable(),
    is_last: z.boolean(),
  }),
  (email: string, device: Device | null, ip: string) => sql`
    with credentials as (
      select u.account_id, u.id as user_id, p.hash,
             coalesce(u.id = ${device?.userId ?? null}::uuid and p.device_generation = ${device?.generation ?? null}::integer, false) as is_known_device
        from (select lower(${email}) as email) input
        left join users u on lower(u.email) = input.email and u.is_active
        left join passwords p on p.user_id = u.id
    )
    select c.user_id, c.hash, c.is_known_device,
           c.is_known_device or exists (select from sign_ins s where s.account_id = c.account_id and s.user_id = c.user_id and s.ip = ${ip}) as is_known,
           a.lock_seconds, a.is_last
      from credentials c,
           app.count_attempt(case when c.is_known_device then app.attempt_key('device', ${device?.id ?? ''}) else app.attempt_key('address', ${email}) end,
                             case when c.is_known_device then 5 else 10 end) a`,
)

/** Insert the audit entry of a locked address or device, if a user has the address. */
export const insertLockAudit = writeStatement(
  null,
  (email: string, ip: string) => sql`
    insert into audit_logs (account_id, actor_id, action, resource_type, resource_id, ip)
    select account_id, id, 'sign_in.locked', 'user', id, ${ip} from users where lower(email) = lower(${email}) and is_active`,
)

/** Store another hash of the same password, unless the password was replaced meanwhile. */
export const rehashPassword = writeStatement(
  null,
  (userId: string, oldHash: string, newHash: string) =>
    sql`select from ${callFunction('app.rehash_password', { p_user: userId, p_old: oldHash, p_new: newHash })}`,
)

/**
 * Use a refresh token and insert the next one. A sign-in ends 90 days after it began. Return undefined for a
 * token that is not valid and for a deactivated user.
 */
export const rotateRefreshToken = writeStatement(
  SignedInUser,
  (hash: string, nextHash: string) => sql`
    with used_token as (
      update refresh_tokens set used_at = app.now() where hash = ${hash}::bytea and used_at is null returning sign_in_id
    ), s as (
      update sign_ins s set last_used_at = app.now(), expires_at = least(app.now() + interval '30 days', s.created_at + interval '90 days')
        from used_token, users u
       where s.id = used_token.sign_in_id and s.ended_at is null and s.expires_at > app.now() and s.created_at + interval '90 days' > app.now()
         and u.id = s.user_id and u.is_active
      returning s.id, s.user_id
    ), inserted_token as (
      insert into refresh_tokens (hash, sign_in_id) select ${nextHash}::bytea, id from s
    )
    select ${userColumns}, s.id as sign_in_id from s join users u on u.id = s.user_id join accounts a on a.id = u.account_id`,
)

const Me = User.extend({
  is_verification_overdue: z.boolean(),
  is_lapsed: z.boolean(),
  is_mfa_missing: z.boolean(),
})

/**
 * Return a user, whether the address is still unverified 72 hours after registration, whether the
 * subscription has lapsed, and whether the account requires a second factor that the user lacks.
 */
export const selectMe = readStatement(
  Me,
  (userId: string) => sql`
    select ${userColumns}, app.is_verification_overdue(u) as is_verification_overdue,
           app.lapsed(a) as is_lapsed, a.require_mfa and not u.has_second_factor as is_mfa_missing
      from users u join accounts a on a.id = u.account_id where u.id = ${userId}`,
)

export function selectFeatures(db: ReadDb): Promise<{ key: string; enabled: boolean }[]> {
  const isOn = sql<boolean>`app.feature_on(app.account_id(), key)`
  return db
    .selectFrom('features')
    .select(['key', isOn.as('enabled')])
    .orderBy('key')
    .execute()
}

export async function updateProfile(db: WriteDb, userId: string, changes: ProfileUpdate): Promise<void> {
  await db.updateTable('users').set(changes).where('id', '=', userId).execute()
}

/**
 * Anonymise a user. Throw SF4LA for the last active admin of an account, and SF4LS for the last super admin.
 */
export const eraseUser = writeStatement(
  z.object({ is_erased: notNull<boolean>() }),
  (userId: string) => sql`select ${callFunction('app.erase_user', { p_user: userId })} as is_erased`,
)

/** The account, team and role that an invite grants. */
interface InviteGrant {
  id: string
  account_id: string
  team_id: string | null
  role: string
}

/**
 * Insert the user of a claimed invite, with a sign-in. Mark the address as verified, because the code was
 * sent to it by e-mail.
 */
export const insertMember = writeStatement(
  SignedInUser,
  (invite: InviteGrant, input: NewUser) => sql`
    with u as (
      insert into users (account_id, email, full_name, role, team_id, team_role, email_verified_at, last_login_at)
      values (${invite.account_id}, ${input.email}, ${input.fullName}, ${invite.role}, ${invite.team_id}::uuid,
              case when ${invite.team_id}::uuid is not null then 'member' end, app.now(), app.now()) returning *
    ), updated_invite as (
      update invites set accepted_by = u.id from u where invites.id = ${invite.id}
    ), ${buildCredentialClauses(input)}
    select ${userColumns}, s.id as sign_in_id from u join accounts a on a.id = u.account_id, s`,
)
