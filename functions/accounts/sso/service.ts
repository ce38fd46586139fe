import type { PlatformDb } from '#db/scope.ts'
import { getViolatedConstraint } from '#db/sqlstate.ts'
import { requireAllowedAddress } from '#http/allowed-address.ts'
import { type Context, Existing, type ReadContext, type WriteContext } from '#http/operation.ts'
import { invalidField, Problem, throwNotFound } from '#problem.ts'
import { createApiKey, provisioningPrefix } from '#vendors/auth/api-keys.ts'
import { randomToken, sha256Bytea } from '#vendors/auth/hash.ts'
import { openClientSecret, sealClientSecret } from '#vendors/auth/sealed-client-secret.ts'
import type { SsoProvider } from '#vendors/auth/sso.ts'
import * as queries from './queries.ts'
import type { SsoConnection, SsoConnectionUpdate, SsoDomain } from './schemas.ts'

export type Connection = queries.ConnectionRow
type PlatformContext = Context<'put', 'account_admin', string>

export async function get({ db, sso }: Pick<ReadContext, 'db' | 'sso'>): Promise<SsoConnection> {
  const { client_secret: _, account_id: __, ...row } = await requireConnection({ db })
  const domains = (await queries.selectDomains(db)).map(toDomain)
  return { ...row, redirect_uri: sso.redirectUri(row.id), domains }
}

async function requireConnection({ db }: Pick<ReadContext, 'db'>): Promise<Connection> {
  const row = await queries.selectConnection(db)
  if (!row) throw new Problem('sso_not_connected')
  return row
}

export async function put(ctx: PlatformContext, update: SsoConnectionUpdate): Promise<SsoConnection> {
  const { db, vault, caller } = ctx
  await requireAllowedAddress(ctx, 'issuer', update.issuer)
  await requireTeams(ctx, update)
  if (update.mode === 'enforced') await requireReadiness(ctx)
  const before = await queries.selectConnection(db)
  // Security: a stored secret is sent only to the issuer that it was entered for.
  const storedSecret = before?.issuer === update.issuer ? before.client_secret : undefined
  const secret = update.client_secret
    ? await sealClientSecret(vault, caller.accountId, update.client_secret)
    : storedSecret
  if (!secret) throw invalidField(['body', 'client_secret'], 'is required for this issuer', 'missing')
  await queries.saveConnection(db, update, secret)
  return get(ctx)
}

/** Throw 422 for a team that the account does not have. */
async function requireTeams({ db }: WriteContext, { group_roles }: SsoConnectionUpdate): Promise<void> {
  if (group_roles.every(({ team_id }) => team_id === null)) return
  const teams = await queries.selectTeamIds(db)
  const index = group_roles.findIndex(({ team_id }) => team_id !== null && !teams.has(team_id))
  if (index >= 0)
    throw invalidField(['body', 'group_roles', index, 'team_id'], 'must be a team of the account', 'unknown')
}

/** Refuse what would lock the account out. */
async function requireReadiness({ platform, caller }: PlatformContext): Promise<void> {
  const { has_domain, has_way_in } = await queries.selectReadiness.one(platform, caller.accountId)
  if (!has_domain) throw new Problem('wrong_state', 'Prove a domain first; without one nobody could sign in')
  if (!has_way_in)
    throw new Problem(
      'wrong_state',
      'An admin needs a password and a second factor first, to sign in while the provider is away',
    )
}

export async function remove({ db }: WriteContext): Promise<void> {
  if (!(await queries.deleteConnection(db))) throw new Problem('sso_not_connected')
}

/** Create the token that provisions members. Only its hash is stored, so it cannot be shown again. */
export async function createScimToken({ db, caller, config }: WriteContext) {
  const { id } = await requireConnection({ db })
  const token = createApiKey({ accountId: caller.accountId, keyId: id }, provisioningPrefix)
  const created_at = await queries.saveScimHash(db, await sha256Bytea(token))
  if (!created_at) throw new Problem('sso_not_connected')
  return { token, base_url: `${config.PUBLIC_BASE_URL}/scim/v2`, created_at }
}

export async function revokeScimToken({ db }: WriteContext): Promise<void> {
  if ((await queries.saveScimHash(db, null)) === undefined) throw new Problem('sso_not_connected')
}

/** Ask the provider for what a sign-in needs. */
export async function test(ctx: WriteContext) {
  const row = await requireConnection(ctx)
  const { problems, warnings } = await (await open(ctx, row)).check()
  await queries.recordCheck(ctx.db, row.id, problems[0] ?? null)
  const domains = await queries.selectDomains(ctx.db)
  if (!domains.some(({ verified_at }) => verified_at !== null))
    warnings.push('No domain is proved yet, so that nobody can sign in')
  if (row.groups_omitted_at)
    warnings.push(
      `A token of ${row.groups_omitted_at.slice(0, 10)} left the groups out, because they were too many, or its userinfo could not be read; roles stayed. Let the provider send only the groups of this application`,
    )
  return { success: problems.length === 0, problems, warnings }
}

/** Return the provider of a connection, ready for calls. */
export async function open(
  { sso, vault }: Pick<ReadContext, 'sso' | 'vault'>,
  row: Connection,
): Promise<SsoProvider> {
  return sso.open({
    id: row.id,
    version: row.updated_at,
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecret: await openClientSecret(vault, row.account_id, row.client_secret),
    scopes: row.scopes,
    groupsClaim: row.groups_claim,
  })
}

/** Return the connection of the account that has proved the domain of an address. */
export async function findByAddress(platform: PlatformDb, email: string): Promise<Connection | undefined> {
  return queries.selectByDomain(platform, readDomain(email))
}

export async function findById(platform: PlatformDb, id: string): Promise<Connection | undefined> {
  return queries.selectById(platform, id)
}

/** Whether the account of a connection has proved the domain of an address. */
export async function ownsAddress(platform: PlatformDb, row: Connection, email: string): Promise<boolean> {
  return queries.isProved(platform, row.account_id, readDomain(email))
}

export async function recordOmittedGroups(platform: PlatformDb, row: Connection): Promise<void> {
  await queries.recordOmittedGroups(platform, row.id)
}

const readDomain = (email: string) => email.slice(email.lastIndexOf('@') + 1).toLowerCase()

export async function addDomain({ db }: WriteContext, domain: string) {
  const inserted = await queries.insertDomain(db, domain, randomToken())
  if (inserted) return toDomain(inserted)
  const existing = await queries.selectDomain(db, { domain })
  return existing ? new Existing(toDomain(existing)) : throwNotFound('Domain')
}

/** Look for the TXT record of a domain, and mark it as proved. */
export async function verifyDomain({ db, dns }: WriteContext, id: string): Promise<SsoDomain> {
  const row = (await queries.selectDomain(db, { id })) ?? throwNotFound('Domain')
  if (row.verified_at) return toDomain(row)
  const { record_name, record_value } = toDomain(row)
  const records = await dns.listRecords(record_name, 'TXT')
  if (records === null) throw new Problem('unavailable', 'The name servers do not answer; try again')
  if (!records.includes(record_value)) throw new Problem('domain_not_proved')
  const verified = await queries.verifyDomain(db, id).catch(throwTaken)
  return verified ? toDomain(verified) : throwNotFound('Domain')
}

function throwTaken(error: unknown): never {
  throw getViolatedConstraint(error) === 'sso_domains_verified' ? new Problem('domain_taken') : error
}

export async function removeDomain({ db }: WriteContext, id: string): Promise<void> {
  if (!(await queries.deleteDomain(db, id))) throwNotFound('Domain')
}

/** Let another identity of the provider be linked to a member, such as of a user who was created again there. */
export async function unlinkMember({ db }: WriteContext, userId: string): Promise<void> {
  if (!(await queries.deleteIdentity(db, userId))) throwNotFound('Identity at the provider')
}

function toDomain({ token, ...row }: queries.DomainRow): SsoDomain {
  return {
    ...row,
    record_name: `_support-flow.${row.domain}`,
    record_value: `support-flow-verification=${token}`,
  }
}
