import type { ReadDb, WriteDb } from '#db/scope.ts'
import { getViolatedConstraint } from '#db/sqlstate.ts'
import * as accounts from '#functions/accounts/accounts/service.ts'
import { Email, Name } from '#http/fields.ts'
import { grantByGroups } from '#rules/group-roles.ts'
import { enqueueDelivery } from '#work/deliveries.ts'
import { invalidValue, ScimError } from './errors.ts'
import { type Attributes, type Change, readAttributes, readFlag, readText, selects } from './patch.ts'
import * as queries from './queries.ts'
import { applyGroupRoles } from './roles.ts'

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'

/** A person as the provider describes them. Null is what it leaves to others: the address, for example, to `userName`. */
interface Person {
  userName: string | null
  email: string | null
  externalId: string | null
  isActive: boolean
  displayName: string | null
  givenName: string | null
  familyName: string | null
  formattedName: string | null
}

const unknownPerson: Omit<Person, 'isActive'> = {
  userName: null,
  email: null,
  externalId: null,
  displayName: null,
  givenName: null,
  familyName: null,
  formattedName: null,
}

function deriveName({ displayName, formattedName, givenName, familyName }: Person): string {
  return displayName ?? formattedName ?? [givenName, familyName].filter(Boolean).join(' ')
}

function toPerson(row: queries.UserRow): Person {
  const person: Person = {
    userName: row.user_name,
    email: row.email.toLowerCase() === row.user_name.toLowerCase() ? null : row.email,
    externalId: row.external_id,
    isActive: row.is_active,
    displayName: null,
    givenName: row.given_name,
    familyName: row.family_name,
    formattedName: row.formatted_name,
  }
  return deriveName(person) === row.full_name ? person : { ...person, displayName: row.full_name }
}

export function renderUser(row: queries.UserRow, base: string) {
  const [first = '', ...others] = row.full_name.split(' ')
  return {
    schemas: [userSchema],
    id: row.id,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    userName: row.user_name,
    name: {
      formatted: row.formatted_name ?? row.full_name,
      givenName: row.given_name ?? first,
      familyName: row.family_name ?? (others.join(' ') || first),
    },
    displayName: row.full_name,
    active: row.is_active,
    emails: [{ value: row.email, type: 'work', primary: true }],
    meta: {
      resourceType: 'User',
      created: row.created_at,
      lastModified: row.updated_at,
      location: `${base}/Users/${row.id}`,
    },
  }
}

const workEmail = { 'emails.type': 'work', 'emails.primary': true }

/** Set one attribute; undefined and null remove it. Attributes that a member does not have are ignored. */
function setAttribute(person: Person, name: string, value: unknown): void {
  switch (name) {
    case 'username':
      person.userName = readText('userName', value, 320)
      break
    case 'externalid':
      person.externalId = readText('externalId', value, 500)
      break
    case 'active':
      person.isActive = readFlag('active', value)
      break
    case 'displayname':
      person.displayName = readText('displayName', value, 200)
      break
    case 'name':
      for (const [part, text] of value ? readAttributes(value) : nameParts)
        setAttribute(person, `name.${part}`, text)
      break
    case 'name.givenname':
      person.givenName = readText('name.givenName', value, 200)
      break
    case 'name.familyname':
      person.familyName = readText('name.familyName', value, 200)
      break
    case 'name.formatted':
      person.formattedName = readText('name.formatted', value, 400)
      break
    case 'emails':
      person.email = readEmails(value)
      break
    case 'emails.value':
      person.email = readText('emails.value', value, 320)
      break
  }
}
const nameParts: Attributes = new Map([
  ['givenname', null],
  ['familyname', null],
  ['formatted', null],
])

/** Return the address that counts: the primary one, else that of work, else the first. */
function readEmails(value: unknown): string | null {
  const emails = [value ?? []]
    .flat()
    .map((item) => (typeof item === 'string' ? new Map([['value', item]]) : readAttributes(item)))
  const chosen =
    emails.find((email) => String(email.get('primary')).toLowerCase() === 'true') ??
    emails.find((email) => String(email.get('type')).toLowerCase() === 'work') ??
    emails[0]
  return readText('emails.value', chosen?.get('value'), 320)
}

function applyChange(person: Person, { op, path, value }: Change): void {
  if (!path) {
    for (const [name, each] of readAttributes(value)) setAttribute(person, name, each)
    return
  }
  const { attribute, filter } = path
  const item = { ...workEmail, 'emails.value': person.email ?? person.userName ?? '' }
  // An address of another type is not one of work.
  if (filter && !selects(filter, item)) return
  setAttribute(
    person,
    filter && attribute === 'emails' ? 'emails.value' : attribute,
    readChanged(op, filter !== null, value),
  )
}

/** `emails[type eq "work"]` may have the item as its value, or a list of it. */
function readChanged(op: Change['op'], isItem: boolean, value: unknown): unknown {
  if (op === 'remove') return null
  const [first] = isItem ? [value].flat() : [value]
  return isItem && typeof first === 'object' && first !== null ? readAttributes(first).get('value') : first
}

export async function findUser(db: ReadDb, id: string): Promise<queries.UserRow> {
  const row = await queries.selectUser(db, id)
  if (!row) throw new ScimError(404, 'There is no user with this id')
  return row
}

/** Read a whole person. What is left out is removed. */
function readPerson(attributes: Attributes, isActive: boolean): Person {
  const person = { ...unknownPerson, isActive }
  for (const [name, value] of attributes) setAttribute(person, name, value)
  return person
}

/**
 * Add a person, or add one again whom the provider had deleted. Another person with their address is a new member:
 * the one before had a password and a role.
 */
export async function createUser(db: WriteDb, attributes: Attributes): Promise<queries.UserRow> {
  const person = readPerson(attributes, true)
  const names = await requireNames(db, person, null)
  const deleted = await queries.selectDeletedUser(db, names, person.externalId)
  if (deleted && !isSomebodyElse(deleted, person)) return store(db, deleted, person)
  const { group_roles, default_role } = await queries.selectConnection(db)
  const grant = grantByGroups(group_roles, default_role, [])
  const { id } = await queries.provisionMember
    .one(db, {
      email: names.email,
      fullName: toFullName(person, names.email),
      isActive: person.isActive,
      role: grant?.role ?? null,
      teamId: grant?.teamId ?? null,
      defaultRole: default_role,
    })
    .catch(throwTaken)
  await saveFields(db, id, person, names)
  return findUser(db, id)
}

/** The provider gives an address to another person some day, whom `externalId` tells from the one before. */
function isSomebodyElse({ external_id }: queries.UserRow, { externalId }: Person): boolean {
  return external_id !== null && externalId !== null && external_id !== externalId
}

export async function replaceUser(db: WriteDb, id: string, attributes: Attributes): Promise<queries.UserRow> {
  const row = await findUser(db, id)
  // Nobody is activated by what is left out.
  return store(db, row, readPerson(attributes, row.is_active))
}

export async function changeUser(
  db: WriteDb,
  id: string,
  changes: readonly Change[],
): Promise<queries.UserRow> {
  const row = await findUser(db, id)
  const person = toPerson(row)
  for (const change of changes) applyChange(person, change)
  return store(db, row, person)
}

/** Deactivate a person as an admin does. The provider knows them no longer. */
export async function deleteUser(db: WriteDb, id: string): Promise<void> {
  const row = await findUser(db, id)
  await accounts.changeMember({ db, caller: { userId: null } }, id, { is_active: false })
  await queries.forgetUser.run(db, id, row.user_name)
}

async function store(db: WriteDb, row: queries.UserRow, person: Person): Promise<queries.UserRow> {
  const { id } = row
  const names = await requireNames(db, person, row)
  await saveFields(db, id, person, names)
  if (names.email.toLowerCase() !== row.email.toLowerCase()) {
    const { delivery_id } = await queries.changeAddress.one(db, id, names.email).catch(throwTaken)
    enqueueDelivery(db, delivery_id)
  }
  if (person.isActive !== row.is_active)
    await accounts.changeMember({ db, caller: { userId: null } }, id, { is_active: person.isActive })
  // Groups give nothing to who is not active.
  if (person.isActive && !row.is_active) await applyGroupRoles(db, [id])
  return findUser(db, id)
}

interface Names {
  userName: string
  email: string
}

/** Return the name and the address of a person: the account has proved the domain, and nobody else has them. */
async function requireNames(db: WriteDb, person: Person, row: queries.UserRow | null): Promise<Names> {
  const { userName } = person
  if (!userName) throw invalidValue('userName is required')
  const { data: email } = Email.safeParse(person.email ?? userName)
  if (!email) throw invalidValue('emails must have an address, or userName must be one')
  const isNew = email.toLowerCase() !== row?.email.toLowerCase()
  if (isNew && !(await queries.isDomainProved.one(db, email)).is_proved)
    throw new ScimError(
      403,
      'The account has not proved the domain of this address; add it in the settings of its single sign-on',
    )
  if (await queries.selectNamesake(db, { userName, email }, row?.id ?? null))
    throw new ScimError(409, 'Another user has this userName or address', 'uniqueness')
  return { userName, email }
}

function toFullName(person: Person, email: string): string {
  const { data } = Name.safeParse(deriveName(person).slice(0, 200).toWellFormed())
  return data ?? email.slice(0, 200)
}

async function saveFields(
  db: WriteDb,
  id: string,
  person: Person,
  { userName, email }: Names,
): Promise<void> {
  await queries.saveUser(db, id, toFullName(person, email), {
    user_name: userName,
    external_id: person.externalId,
    given_name: person.givenName,
    family_name: person.familyName,
    formatted_name: person.formattedName,
  })
}

function throwTaken(error: unknown): never {
  if (getViolatedConstraint(error) !== 'users_email') throw error
  throw new ScimError(
    409,
    'This address belongs to a user of another account; they leave it first',
    'uniqueness',
  )
}
