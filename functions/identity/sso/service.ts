import { inAccount } from '#db/enter-account.ts'
import { inTransaction } from '#db/scope.ts'
import { getSqlState, getViolatedConstraint } from '#db/sqlstate.ts'
import * as invites from '#functions/accounts/invites/service.ts'
import * as connections from '#functions/accounts/sso/service.ts'
import * as oauth from '#functions/identity/oauth/service.ts'
import * as signIns from '#functions/identity/sign-ins/service.ts'
import { announceLeaver } from '#functions/oncall/shift-notices/service.ts'
import { Email } from '#http/fields.ts'
import type { Context } from '#http/operation.ts'
import { Problem, throwNotFound } from '#problem.ts'
import { grantByGroups, type MemberRole } from '#rules/group-roles.ts'
import type { SsoIdentity } from '#vendors/auth/sso.ts'
import * as queries from './queries.ts'
import type { SsoCallback } from './schemas.ts'

type PublicContext = Context<'post', 'public', string>
type Connection = connections.Connection

export async function lookUp({ platform }: PublicContext, email: string) {
  const connection = await connections.findByAddress(platform, email)
  return { sso: connection?.mode ?? ('none' as const) }
}

export async function authorize(ctx: PublicContext, email: string) {
  const connection = await connections.findByAddress(ctx.platform, email)
  if (!connection) throw new Problem('sso_not_connected')
  const provider = await connections.open(ctx, connection)
  return oauth.beginFlow(ctx, toTarget(connection.id), (flow) => provider.authorizationUrl(flow, email))
}

const toTarget = (connectionId: string) => ({ provider: 'sso' as const, connectionId, signInId: null })

export async function completeSignIn(ctx: PublicContext, connectionId: string, callback: SsoCallback) {
  const connection = await connections.findById(ctx.platform, connectionId)
  if (!connection) throwNotFound('Connection')
  const provider = await connections.open(ctx, connection)
  const identity = await oauth.endFlow(ctx, toTarget(connectionId), callback, (flow) => provider.redeem(flow))
  if (identity.groups === null) await connections.recordOmittedGroups(ctx.platform, connection)
  const userId = await findMember(ctx, connection, identity)
  const result = await signIns.open(ctx, userId, { kind: 'sso' })
  if (!result) throw new Problem('user_deactivated')
  return result
}

/** Return the member of an identity, with the role that their groups give. Link or add one for a new identity. */
async function findMember(
  ctx: PublicContext,
  connection: Connection,
  identity: SsoIdentity,
): Promise<string> {
  const key = {
    accountId: connection.account_id,
    connectionId: connection.id,
    issuer: connection.issuer,
    subject: identity.subject,
  }
  const linked = await queries.selectLinked(ctx.platform, key)
  if (linked) return applyGroups(ctx, connection, identity, linked)
  const email = await requireAddress(ctx, connection, identity)
  const member = await queries.selectByAddress(ctx.platform, connection.account_id, email)
  try {
    if (!member) return await addMember(ctx, connection, identity, key, email)
    if (!member.is_active) throw new Problem('user_deactivated')
    await queries.linkMember.run(ctx.platform, key, member.id)
  } catch (error) {
    // A concurrent request of the same person may have come first.
    const concurrent = await queries.selectLinked(ctx.platform, key)
    if (concurrent) return applyGroups(ctx, connection, identity, concurrent)
    return throwTaken(error)
  }
  return applyGroups(ctx, connection, identity, member)
}

function throwTaken(error: unknown): never {
  const constraint = getViolatedConstraint(error)
  if (constraint === 'users_email')
    throw new Problem('email_taken', 'This address belongs to a user of another account; they leave it first')
  if (constraint === 'sso_identities_account_id_user_id_issuer_key')
    throw new Problem(
      'provider_linked',
      'Your provider knew you as another user before; ask an admin of your account to unlink that one',
    )
  throw error
}

/** Return the address of a new identity: the provider vouches for it, and the account has proved its domain. */
async function requireAddress(
  { platform }: PublicContext,
  connection: Connection,
  identity: SsoIdentity,
): Promise<string> {
  if (identity.hasUnverifiedEmail)
    throw new Problem(
      'oauth_email_unverified',
      'Your provider does not say that your address is verified; ask its admin to send the claim `email_verified`, or `xms_edov` with Entra',
    )
  const { data: email } = Email.safeParse(identity.email)
  if (!email) throw new Problem('oauth_email_missing')
  if (!(await connections.ownsAddress(platform, connection, email)))
    throw new Problem(
      'oauth_email_unverified',
      'The domain of your address at the provider is none that your account has proved',
    )
  return email
}

/** Add a member within the seats, by the open invite for the address if there is one. */
async function addMember(
  { platform }: PublicContext,
  connection: Connection,
  { groups, name }: SsoIdentity,
  key: queries.IdentityKey,
  email: string,
): Promise<string> {
  return inTransaction(platform, async (tx) => {
    const invite = await invites.claimByAddress(tx, connection.account_id, email)
    const grant = grantByGroups(connection.group_roles, connection.default_role, groups)
    const { id } = await queries.insertMember.one(tx, key, {
      email,
      fullName: oauth.buildFullName({ name }, email),
      role: grant?.role ?? invite?.role ?? connection.default_role,
      teamId: grant?.teamId ?? invite?.team_id ?? null,
      inviteId: invite?.id ?? null,
    })
    return id
  })
}

/** Change the role and the team of a member to what their groups give. The last admin stays one. */
async function applyGroups(
  { platform }: PublicContext,
  { account_id, group_roles, default_role }: Connection,
  { groups }: SsoIdentity,
  member: queries.LinkedMember,
): Promise<string> {
  if (group_roles.length === 0 || groups === null || !member.is_active) return member.id
  // A token without groups demotes nobody whose groups are provisioned.
  const provisioned = await queries.selectGroups.all(platform, account_id, member.id)
  const grant = grantByGroups(group_roles, default_role, [...groups, ...provisioned.map(({ name }) => name)])
  if (!grant) return member.id
  const isSameTeam = grant.teamId === null || grant.teamId === member.team_id
  if (grant.role === member.role && isSameTeam) return member.id
  const update = (role: MemberRole) =>
    inAccount(platform, { accountId: account_id, userId: null }, (db) =>
      announceLeaver(db, null, (inner) =>
        queries.updateByGroups.run(inner, account_id, member.id, role, grant.teamId),
      ),
    )
  await update(grant.role).catch(async (error: unknown) => {
    if (getSqlState(error) !== 'SF4LA') throw error
    if (!isSameTeam) await update('admin')
  })
  return member.id
}
