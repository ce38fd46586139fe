import type { ReadDb, WriteDb } from '#db/scope.ts'
import { throwNameTaken } from '#db/sqlstate.ts'
import { Uuid } from '#rules/uuid.ts'
import { invalidValue, ScimError } from './errors.ts'
import { type Attributes, type Change, readAttributes, readText, selects, spendSelection } from './patch.ts'
import * as queries from './queries.ts'
import { applyGroupRoles } from './roles.ts'

export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'

/** A group with 5,000 members is 0.3 MB of JSON, and a change of the roles of all takes about a second. */
const maxMembers = 5000

interface Group {
  displayName: string | null
  externalId: string | null
  members: Set<string>
}

export function renderGroup(row: queries.GroupRow, memberIds: readonly string[] | null, base: string) {
  return {
    schemas: [groupSchema],
    id: row.id,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    displayName: row.display_name,
    ...(memberIds ? { members: memberIds.map((value) => ({ value, type: 'User' })) } : {}),
    meta: {
      resourceType: 'Group',
      created: row.created_at,
      lastModified: row.updated_at,
      location: `${base}/Groups/${row.id}`,
    },
  }
}

/** A group as it is stored, with the ids of its members. */
interface StoredGroup {
  row: queries.GroupRow
  members: ReadonlySet<string>
}

/** Return the members of groups by the group's id. */
export async function listMembers(
  db: ReadDb,
  rows: readonly queries.GroupRow[],
): Promise<Map<string, string[]>> {
  const members = new Map<string, string[]>(rows.map(({ id }) => [id, []]))
  const ids = rows.map(({ id }) => id)
  for (const { group_id, user_id } of await queries.selectGroupMembers(db, ids))
    members.get(group_id)?.push(user_id)
  return members
}

export async function findGroup(db: ReadDb, id: string): Promise<queries.GroupRow> {
  const row = await queries.selectGroup(db, id)
  if (!row) throw new ScimError(404, 'There is no group with this id')
  return row
}

async function findStored(db: ReadDb, id: string): Promise<StoredGroup> {
  const row = await findGroup(db, id)
  return { row, members: new Set((await listMembers(db, [row])).get(id)) }
}

function readMembers(value: unknown): string[] {
  const items = [value ?? []].flat()
  if (items.length > maxMembers) throw invalidValue(`A group has at most ${maxMembers} members`)
  return items.map((item) => {
    const { data } = Uuid.safeParse(typeof item === 'string' ? item : readAttributes(item).get('value'))
    return data ?? throwUnknownMember()
  })
}

function throwUnknownMember(): never {
  throw invalidValue('members must be ids of users of this organisation')
}

/** Set one attribute. `op` says what becomes of the members that the group has; undefined and null remove all. */
function setAttribute(group: Group, name: string, value: unknown, op: Change['op'] = 'replace'): void {
  switch (name) {
    case 'displayname':
      group.displayName = readText('displayName', value, 256)
      break
    case 'externalid':
      group.externalId = readText('externalId', value, 500)
      break
    case 'members': {
      const ids = readMembers(value)
      // Entra removes members with a list of them as the value.
      if (op === 'replace' || (op === 'remove' && ids.length === 0)) group.members.clear()
      for (const id of ids)
        if (op === 'remove') group.members.delete(id)
        else group.members.add(id)
    }
  }
}

function applyChange(group: Group, { op, path, value }: Change): void {
  if (!path) {
    for (const [name, each] of readAttributes(value)) setAttribute(group, name, each, op)
    return
  }
  const { attribute, filter } = path
  if (!filter) setAttribute(group, attribute, op === 'remove' && attribute !== 'members' ? null : value, op)
  else if (attribute === 'members' && op === 'remove') {
    spendSelection(filter, group.members.size)
    for (const id of group.members) if (selects(filter, { 'members.value': id })) group.members.delete(id)
  }
}

/** Read a whole group. What is left out is removed. */
function readGroup(attributes: Attributes): Group {
  const group: Group = { displayName: null, externalId: null, members: new Set() }
  for (const [name, value] of attributes) setAttribute(group, name, value)
  return group
}

export async function createGroup(db: WriteDb, attributes: Attributes): Promise<queries.GroupRow> {
  return store(db, null, readGroup(attributes))
}

export async function replaceGroup(
  db: WriteDb,
  id: string,
  attributes: Attributes,
): Promise<queries.GroupRow> {
  return store(db, await findStored(db, id), readGroup(attributes))
}

export async function changeGroup(
  db: WriteDb,
  id: string,
  changes: readonly Change[],
): Promise<queries.GroupRow> {
  const stored = await findStored(db, id)
  const { display_name: displayName, external_id: externalId } = stored.row
  const group: Group = { displayName, externalId, members: new Set(stored.members) }
  for (const change of changes) applyChange(group, change)
  return store(db, stored, group)
}

export async function deleteGroup(db: WriteDb, id: string): Promise<void> {
  const { members } = await findStored(db, id)
  await queries.deleteGroup(db, id)
  await applyGroupRoles(db, [...members])
}

async function store(
  db: WriteDb,
  before: StoredGroup | null,
  { displayName, externalId, members }: Group,
): Promise<queries.GroupRow> {
  if (!displayName) throw invalidValue('displayName is required')
  if (members.size > maxMembers) throw invalidValue(`A group has at most ${maxMembers} members`)
  const known = before?.members ?? new Set<string>()
  const [added, removed] = [
    [...members].filter((id) => !known.has(id)),
    [...known].filter((id) => !members.has(id)),
  ]
  if (added.length > 0 && (await queries.selectKnownIds(db, added)).length < added.length)
    throwUnknownMember()
  const row = await queries
    .saveGroup(db, before?.row.id ?? null, { display_name: displayName, external_id: externalId })
    .catch(throwNameTaken('A group'))
  if (added.length > 0) await queries.addMembers.run(db, row.id, added)
  if (removed.length > 0) await queries.removeMembers.run(db, row.id, removed)
  const isRenamed =
    before?.row.display_name !== row.display_name || before?.row.external_id !== row.external_id
  await applyGroupRoles(db, isRenamed ? [...members, ...removed] : [...added, ...removed])
  return row
}
