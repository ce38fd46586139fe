import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { accountId, jsonb, now, selectIds } from '#db/expressions.ts'
import { selectGroupNames } from '#db/rows/provisioned-groups.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { MemberRole } from '#rules/group-roles.ts'
import { ScimError } from './errors.ts'
import type { Filter } from './filter.ts'

/** What a filter compares an attribute with. */
type Column =
  | { kind: 'text'; value: RawBuilder<string | null>; isExact?: true }
  | { kind: 'flag'; value: RawBuilder<boolean> }
  | { kind: 'member' }
type Columns = Readonly<Record<string, Column>>
type Condition = RawBuilder<boolean>

const text = (name: string): Column => ({ kind: 'text', value: sql.ref(name) })
const email = text('u.email')
const externalId = (name: string): Column => ({ kind: 'text', value: sql.ref(name), isExact: true })
const userColumns: Columns = {
  id: { kind: 'text', value: sql<string>`u.id::text` },
  username: { kind: 'text', value: sql<string>`coalesce(s.user_name, u.email)` },
  externalid: externalId('s.external_id'),
  active: { kind: 'flag', value: sql.ref('u.is_active') },
  displayname: text('u.full_name'),
  'name.givenname': text('s.given_name'),
  'name.familyname': text('s.family_name'),
  'name.formatted': text('s.formatted_name'),
  emails: email,
  'emails.value': email,
  'emails.type': { kind: 'text', value: sql<string>`'work'` },
  'emails.primary': { kind: 'flag', value: sql<boolean>`true` },
}
const groupColumns: Columns = {
  id: { kind: 'text', value: sql<string>`g.id::text` },
  displayname: text('g.display_name'),
  externalid: externalId('g.external_id'),
  members: { kind: 'member' },
  'members.value': { kind: 'member' },
}

/** Turn a filter into a condition on the rows. Throw 400 for what cannot be compared. */
function toCondition(filter: Filter | null, columns: Columns): Condition {
  switch (filter?.kind) {
    case undefined:
      return sql`true`
    case 'and':
    case 'or': {
      const parts = filter.parts.map((part) => toCondition(part, columns))
      return sql`(${sql.join(parts, filter.kind === 'and' ? sql` and ` : sql` or `)})`
    }
    case 'not':
      return sql`not coalesce(${toCondition(filter.part, columns)}, false)`
    case 'compare': {
      const column = Object.hasOwn(columns, filter.attribute) ? columns[filter.attribute] : undefined
      return (column && compare(column, filter)) ?? throwUnsupported(filter)
    }
  }
}

function throwUnsupported({ attribute, operator }: Filter & { kind: 'compare' }): never {
  throw new ScimError(400, `The filter cannot compare ${attribute} by ${operator}`, 'invalidFilter')
}

function compare(column: Column, { operator, value }: Filter & { kind: 'compare' }): Condition | undefined {
  if (column.kind === 'member')
    return operator === 'eq' && typeof value === 'string'
      ? sql`exists (select from scim_group_members m where m.account_id = g.account_id and m.group_id = g.id and m.user_id::text = lower(${value}))`
      : undefined
  if (operator === 'pr') return sql`${column.value} is not null`
  if (column.kind === 'flag') {
    const flag = String(value).toLowerCase()
    if ((operator !== 'eq' && operator !== 'ne') || (flag !== 'true' && flag !== 'false')) return undefined
    return sql`${column.value} = ${(flag === 'true') === (operator === 'eq')}`
  }
  if (value === null && (operator === 'eq' || operator === 'ne'))
    return operator === 'eq' ? sql`${column.value} is null` : sql`${column.value} is not null`
  if (typeof value !== 'string') return undefined
  const [found, wanted] = column.isExact
    ? [column.value, sql`${value}::text`]
    : [sql`lower(${column.value})`, sql`lower(${value}::text)`]
  switch (operator) {
    case 'eq':
      return sql`${found} = ${wanted}`
    case 'ne':
      return sql`${found} is distinct from ${wanted}`
    case 'co':
      return sql`position(${wanted} in ${found}) > 0`
    case 'sw':
      return sql`starts_with(${found}, ${wanted})`
    case 'ew':
      return sql`right(${found}, length(${wanted})) = ${wanted}`
  }
}

/**
 * Members whom the provider sees: those it has provisioned and not deleted, and those with an address of a proved
 * domain. Of several users who had an address, the active or else the latest one. Both lists are read once for all
 * members: one by one would read every user for each, as the policies of `users` allow no search by `lower(email)`.
 */
const isVisible = sql<boolean>`
  u.account_id = app.account_id() and not u.is_service and u.erased_at is null and s.deleted_at is null
  and (s.id is not null
       or (substring(lower(u.email) from '@([^@]+)$') in (
             select d.domain from sso_domains d where d.account_id = app.account_id() and d.verified_at is not null)
           and u.id in (
             select distinct on (lower(o.email)) o.id
               from users o where o.account_id = app.account_id() and not o.is_service
              order by lower(o.email), o.is_active desc,
                       o.id in (select os.user_id from scim_users os where os.account_id = app.account_id()) desc, o.id desc)))`

function selectUserRows(db: ReadDb) {
  return db
    .selectFrom('users as u')
    .leftJoin('scim_users as s', (join) =>
      join.onRef('s.account_id', '=', 'u.account_id').onRef('s.user_id', '=', 'u.id'),
    )
    .where('u.account_id', '=', accountId)
}

function selectUserColumns(db: ReadDb) {
  return selectUserRows(db)
    .select(['u.id', 'u.email', 'u.full_name', 'u.is_active', 'u.created_at', 's.external_id'])
    .select(['s.given_name', 's.family_name', 's.formatted_name'])
    .select([
      sql<string>`coalesce(s.user_name, u.email)`.as('user_name'),
      sql<string>`coalesce(s.updated_at, u.created_at)`.as('updated_at'),
    ])
}

const count = sql<number>`count(*)::integer`.as('count')

export interface Slice {
  filter: Filter | null
  offset: number
  limit: number
}

/** Select a slice of the users that a filter selects, and how many it selects in all. */
export async function selectUsers(db: ReadDb, { filter, offset, limit }: Slice) {
  const condition = toCondition(filter, userColumns)
  const [totals, rows] = await db.batch([
    selectUserRows(db).where(isVisible).where(condition).select(count),
    selectUserColumns(db).where(isVisible).where(condition).orderBy('u.id').offset(offset).limit(limit),
  ])
  return { total: totals[0]?.count ?? 0, rows }
}

export function selectUser(db: ReadDb, id: string) {
  return selectUserColumns(db).where(isVisible).where('u.id', '=', id).executeTakeFirst()
}
export type UserRow = NonNullable<Awaited<ReturnType<typeof selectUser>>>

const hasName = ({ userName, email: address }: { userName: string; email: string }) =>
  sql<boolean>`(lower(coalesce(s.user_name, u.email)) = lower(${userName}) or lower(u.email) = lower(${address}))`

/** Select another member whom the provider sees by this name or address. */
export function selectNamesake(db: ReadDb, names: { userName: string; email: string }, id: string | null) {
  return selectUserRows(db)
    .select('u.id')
    .where(isVisible)
    .where(hasName(names))
    .where('u.id', 'is distinct from', id)
    .executeTakeFirst()
}

/** Select the member whom the provider has deleted, and adds again: that with the same `externalId`, else the last. */
export function selectDeletedUser(
  db: ReadDb,
  names: { userName: string; email: string },
  externalId: string | null,
) {
  return selectUserColumns(db)
    .where('u.is_service', '=', false)
    .where('u.erased_at', 'is', null)
    .where('s.deleted_at', 'is not', null)
    .where(hasName(names))
    .orderBy(sql`s.external_id is not distinct from ${externalId}`, 'desc')
    .orderBy('s.deleted_at', 'desc')
    .executeTakeFirst()
}

export const isDomainProved = readStatement(
  z.object({ is_proved: z.boolean() }),
  (address: string) => sql`select ${callFunction('app.is_domain_proved', { p_email: address })} as is_proved`,
)

/** The changes of an account come one after another, so that the later of two sees what the earlier has stored. */
export async function lockAccount(db: WriteDb): Promise<void> {
  await db.selectFrom('accounts').select('id').where('id', '=', accountId).forNoKeyUpdate().execute()
}

export const hasWayPastProvider = readStatement(
  z.object({ has_way: z.boolean() }),
  () => sql`select ${callFunction('app.has_way_past_provider', {})} as has_way`,
)

export function selectConnection(db: ReadDb) {
  return db
    .selectFrom('sso_connections')
    .select(['default_role', 'group_roles'])
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
}

interface NewMember {
  email: string
  fullName: string
  isActive: boolean
  role: MemberRole | null
  teamId: string | null
  defaultRole: MemberRole
}

/** Add a member. Violates `users_email` if somebody has the address. */
export const provisionMember = writeStatement(
  z.object({ id: z.string() }),
  ({ email: address, fullName, isActive, role, teamId, defaultRole }: NewMember) => sql`
    select ${callFunction('app.provision_member', {
      p_email: address,
      p_full_name: fullName,
      p_is_active: isActive,
      p_role: role,
      p_team: teamId,
      p_default_role: defaultRole,
    })} as id`,
)

/** Change the address of a member. Return the delivery of the e-mail to the old one. */
export const changeAddress = writeStatement(
  z.object({ delivery_id: z.string() }),
  (id: string, address: string) => sql`
    select ${callFunction('app.change_provisioned_address', { p_user: id, p_email: address })} as delivery_id`,
)

interface ProviderFields {
  user_name: string
  external_id: string | null
  given_name: string | null
  family_name: string | null
  formatted_name: string | null
}

/** Store what the provider says of a member. One whom it had deleted is known to it again. */
export async function saveUser(
  db: WriteDb,
  id: string,
  fullName: string,
  fields: ProviderFields,
): Promise<void> {
  await db
    .updateTable('users')
    .set({ full_name: fullName })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('full_name', '<>', fullName)
    .execute()
  await db
    .insertInto('scim_users')
    .values({ user_id: id, ...fields })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'user_id'])
        .doUpdateSet({ ...fields, deleted_at: null, updated_at: now }),
    )
    .execute()
}

/** Forget a member at the provider: the row, the groups and the identity, so that a new one can be linked. */
export const forgetUser = writeStatement(
  null,
  (id: string, userName: string) => sql`
    with left_groups as (
      delete from scim_group_members where account_id = app.account_id() and user_id = ${id}
    ), unlinked as (
      delete from sso_identities where account_id = app.account_id() and user_id = ${id}
    )
    insert into scim_users (user_id, user_name, deleted_at) values (${id}, ${userName}, app.now())
    on conflict (account_id, user_id) do update set deleted_at = excluded.deleted_at`,
)

/** The roles and teams of active members, and their groups by name and by id at the provider. */
export const selectGrants = readStatement(
  z.object({
    id: z.string(),
    role: z.enum(['viewer', 'engineer', 'admin']),
    team_id: z.string().nullable(),
    groups: z.array(z.string()),
  }),
  (ids: readonly string[]) => sql`
    select u.id, u.role, u.team_id, array(${selectGroupNames(sql`u.account_id`, sql`u.id`)}) as groups
      from users u where u.account_id = app.account_id() and u.is_active and u.id in (${selectIds(ids)})`,
)

/** A team that does not exist any more changes nothing. */
export const saveGrants = writeStatement(
  null,
  (grants: readonly { id: string; role: MemberRole; team_id: string | null }[]) => sql`
    update users u set role = c.role, team_id = coalesce(t.id, u.team_id),
           team_role = case when coalesce(t.id, u.team_id) is distinct from u.team_id then 'member' else u.team_role end
      from jsonb_to_recordset(${jsonb(grants)}) as c (id uuid, role text, team_id uuid)
      left join teams t on t.account_id = app.account_id() and t.id = c.team_id
     where u.account_id = app.account_id() and u.id = c.id`,
)

const selectGroupRows = (db: ReadDb) =>
  db.selectFrom('scim_groups as g').where('g.account_id', '=', accountId)
const groupFields = ['g.id', 'g.display_name', 'g.external_id', 'g.created_at', 'g.updated_at'] as const

export async function selectGroups(db: ReadDb, { filter, offset, limit }: Slice) {
  const condition = toCondition(filter, groupColumns)
  const [totals, rows] = await db.batch([
    selectGroupRows(db).where(condition).select(count),
    selectGroupRows(db).where(condition).select(groupFields).orderBy('g.id').offset(offset).limit(limit),
  ])
  return { total: totals[0]?.count ?? 0, rows }
}

export function selectGroup(db: ReadDb, id: string) {
  return selectGroupRows(db).select(groupFields).where('g.id', '=', id).executeTakeFirst()
}
export type GroupRow = NonNullable<Awaited<ReturnType<typeof selectGroup>>>

export async function selectGroupMembers(db: ReadDb, groupIds: readonly string[]) {
  if (groupIds.length === 0) return []
  return db
    .selectFrom('scim_group_members')
    .select(['group_id', 'user_id'])
    .where('account_id', '=', accountId)
    .where('group_id', 'in', groupIds)
    .orderBy('user_id')
    .execute()
}

/** Select those of the ids that are members whom the provider sees. */
export async function selectKnownIds(db: ReadDb, ids: readonly string[]): Promise<string[]> {
  const isNamed = sql<boolean>`u.id in (${selectIds(ids)})`
  const rows = await selectUserRows(db).select('u.id').where(isVisible).where(isNamed).execute()
  return rows.map(({ id }) => id)
}

/** Insert a group, or change it. Violates `scim_groups_name`. */
export async function saveGroup(
  db: WriteDb,
  id: string | null,
  fields: { display_name: string; external_id: string | null },
): Promise<GroupRow> {
  const columns = ['id', 'display_name', 'external_id', 'created_at', 'updated_at'] as const
  if (!id) return db.insertInto('scim_groups').values(fields).returning(columns).executeTakeFirstOrThrow()
  return db
    .updateTable('scim_groups')
    .set({ ...fields, updated_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()
}

export async function deleteGroup(db: WriteDb, id: string): Promise<void> {
  await db.deleteFrom('scim_groups').where('account_id', '=', accountId).where('id', '=', id).execute()
}

export const addMembers = writeStatement(
  null,
  (groupId: string, ids: readonly string[]) => sql`
    insert into scim_group_members (group_id, user_id) select ${groupId}::uuid, i.id from (${selectIds(ids)}) i (id)`,
)

export const removeMembers = writeStatement(
  null,
  (groupId: string, ids: readonly string[]) => sql`
    delete from scim_group_members
     where account_id = app.account_id() and group_id = ${groupId} and user_id in (${selectIds(ids)})`,
)
