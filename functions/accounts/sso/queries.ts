import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, bytea, jsonb, now, textArray } from '#db/expressions.ts'
import type { PlatformDb, ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement } from '#db/statement.ts'
import type { SsoConnectionUpdate } from './schemas.ts'

const columns = [
  'c.id',
  'c.account_id',
  'c.issuer',
  'c.client_id',
  'c.client_secret',
  'c.scopes',
  'c.mode',
  'c.default_role',
  'c.groups_claim',
  'c.group_roles',
  'c.groups_omitted_at',
  'c.last_checked_at',
  'c.last_check_error',
  'c.scim_created_at',
  'c.created_at',
  'c.updated_at',
] as const

export function selectConnection(db: ReadDb) {
  return db
    .selectFrom('sso_connections as c')
    .select(columns)
    .where('c.account_id', '=', accountId)
    .executeTakeFirst()
}
export type ConnectionRow = NonNullable<Awaited<ReturnType<typeof selectConnection>>>

/** Connections of accounts that are not being erased, for who is not signed in. */
const selectOpenConnections = (platform: PlatformDb) =>
  platform
    .selectFrom('sso_connections as c')
    .innerJoin('accounts as a', 'a.id', 'c.account_id')
    .select(columns)
    .where('a.erasing_at', 'is', null)

/** Select the connection of the account that has proved a domain. */
export function selectByDomain(platform: PlatformDb, domain: string) {
  return selectOpenConnections(platform)
    .innerJoin('sso_domains as d', 'd.account_id', 'c.account_id')
    .where('d.domain', '=', domain)
    .where('d.verified_at', 'is not', null)
    .executeTakeFirst()
}

export function selectById(platform: PlatformDb, id: string) {
  return selectOpenConnections(platform).where('c.id', '=', id).executeTakeFirst()
}

/** Whether an account has proved a domain. */
export async function isProved(platform: PlatformDb, account: string, domain: string): Promise<boolean> {
  const row = await platform
    .selectFrom('sso_domains')
    .select('id')
    .where('account_id', '=', account)
    .where('domain', '=', domain)
    .where('verified_at', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

export async function recordOmittedGroups(platform: PlatformDb, id: string): Promise<void> {
  await platform.updateTable('sso_connections').set({ groups_omitted_at: now }).where('id', '=', id).execute()
}

/** Insert or replace the account's connection. A change of the issuer forgets what its tokens lacked. */
export async function saveConnection(
  db: WriteDb,
  { issuer, client_id, scopes, mode, default_role, groups_claim, group_roles }: SsoConnectionUpdate,
  clientSecret: string,
): Promise<void> {
  const values = {
    issuer,
    client_id,
    client_secret: clientSecret,
    scopes: textArray(scopes),
    mode,
    default_role,
    groups_claim,
    group_roles: jsonb(group_roles),
    groups_omitted_at: null,
    last_checked_at: null,
    last_check_error: null,
  }
  await db
    .insertInto('sso_connections')
    .values(values)
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet({
        ...values,
        // Security: a token is of the provider that it was created for.
        scim_hash: sql<null>`case when sso_connections.issuer = excluded.issuer then sso_connections.scim_hash end`,
        scim_created_at: sql<null>`case when sso_connections.issuer = excluded.issuer then sso_connections.scim_created_at end`,
        updated_at: sql<string>`greatest(app.now(), sso_connections.updated_at + interval '1 ms')`,
      }),
    )
    .execute()
}

/** Store the result of a test; `error` is null after a success. */
export async function recordCheck(db: WriteDb, id: string, error: string | null): Promise<void> {
  await db
    .updateTable('sso_connections')
    .set({ last_checked_at: now, last_check_error: error })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Replace the hash of the token that provisions members, or delete it. Return when, and undefined without a connection. */
export async function saveScimHash(db: WriteDb, hash: string | null): Promise<string | null | undefined> {
  const row = await db
    .updateTable('sso_connections')
    .set({ scim_hash: hash === null ? null : bytea(hash), scim_created_at: hash === null ? null : now })
    .where('account_id', '=', accountId)
    .returning('scim_created_at')
    .executeTakeFirst()
  return row?.scim_created_at
}

export async function deleteConnection(db: WriteDb): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sso_connections')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/**
 * Whether the account has a proved domain, and an admin who can still sign in while the provider is away. The
 * platform role reads who has a password.
 */
export const selectReadiness = readStatement(
  z.object({ has_domain: z.boolean(), has_way_in: z.boolean() }),
  (account: string) => sql`
    select exists (select from sso_domains d where d.account_id = ${account} and d.verified_at is not null) as has_domain,
           exists (select from users u join passwords p on p.user_id = u.id
                    where u.account_id = ${account} and u.role = 'admin' and u.is_active and u.has_second_factor) as has_way_in`,
)

export async function selectTeamIds(db: ReadDb): Promise<Set<string>> {
  const rows = await db.selectFrom('teams').select('id').where('account_id', '=', accountId).execute()
  return new Set(rows.map(({ id }) => id))
}

const domainColumns = ['id', 'domain', 'token', 'verified_at', 'created_at'] as const

export function selectDomains(db: ReadDb) {
  return db
    .selectFrom('sso_domains')
    .select(domainColumns)
    .where('account_id', '=', accountId)
    .orderBy('domain')
    .execute()
}
export type DomainRow = Awaited<ReturnType<typeof selectDomains>>[number]

export function selectDomain(db: ReadDb, key: { id: string } | { domain: string }) {
  return db
    .selectFrom('sso_domains')
    .select(domainColumns)
    .where('account_id', '=', accountId)
    .where((eb) => ('id' in key ? eb('id', '=', key.id) : eb('domain', '=', key.domain)))
    .executeTakeFirst()
}

/** Insert a domain. Return undefined if the account has it. */
export function insertDomain(db: WriteDb, domain: string, token: string) {
  return db
    .insertInto('sso_domains')
    .values({ domain, token })
    .onConflict((conflict) => conflict.columns(['account_id', 'domain']).doNothing())
    .returning(domainColumns)
    .executeTakeFirst()
}

/** Mark a domain as proved. Violates `sso_domains_verified` if another account has proved it. */
export function verifyDomain(db: WriteDb, id: string) {
  return db
    .updateTable('sso_domains')
    .set({ verified_at: sql<string>`coalesce(verified_at, app.now())` })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning(domainColumns)
    .executeTakeFirst()
}

export async function deleteDomain(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sso_domains')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Forget who a member is at the provider. */
export async function deleteIdentity(db: WriteDb, userId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sso_identities')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
