import { sharePlaces } from '#async/share-places.ts'
import type { OutboxEntry } from '#db/outbox-entry.ts'
import { openProviderScope, type ReadDb, type Scope, type WriteDb } from '#db/scope.ts'
import { type C, type Services, toProblem } from '#http/app.ts'
import { countUnauthenticated, readBearer } from '#http/authenticate.ts'
import { getMediaType, readBytes } from '#http/body.ts'
import type { KeyMemory } from '#http/key-memory.ts'
import { publishStored } from '#http/publish-stored.ts'
import { createRateLimitProblem } from '#http/rate-limit.ts'
import { respond, setHeader } from '#http/respond.ts'
import { Problem } from '#problem.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { decodeUtf8 } from '#rules/text/bytes.ts'
import { findUnstorableText, isTooDeep, readJson } from '#rules/text/json.ts'
import { Uuid } from '#rules/uuid.ts'
import { parseApiKey, provisioningPrefix } from '#vendors/auth/api-keys.ts'
import { sha256Bytea } from '#vendors/auth/hash.ts'
import type { ParsedRate } from '#vendors/cache/limiter.ts'
import { buildProviderConfig, listResourceTypes, listSchemas, maxResults } from './discovery.ts'
import { invalidSyntax, invalidValue, ScimError, toScimError } from './errors.ts'
import { parseFilter } from './filter.ts'
import * as groups from './groups.ts'
import { readAttributes, readChanges } from './patch.ts'
import * as queries from './queries.ts'
import { keepWayPastProvider } from './roles.ts'
import { selectAttributes } from './selection.ts'
import * as users from './users.ts'

const maxBodyBytes = 1024 * 1024
/**
 * 25 calls a second, as many as Entra asks for:
 * https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups
 */
const rate: ParsedRate = { max: 1500, windowMs: 60_000, unit: 'minute', perAddress: false }
/** Writes of an account wait for one another anyway, so no more of them than these take a connection. */
const takePlace = sharePlaces({ running: 2, maxWaitMs: 20_000, maxHoldMs: 2000 })
/** Groups of a page with their members, of which each has up to 5,000. */
const maxGroupsWithMembers = 10

/** What a request asks of a resource. */
interface Request {
  c: C
  /** The name of the resource in the address. */
  name: string
  id: string | undefined
  query: URLSearchParams
  base: string
  /** What was sent, read before a place is taken: who sends slowly keeps nobody waiting. */
  sent: unknown
}

interface Answer {
  status: number
  body?: object
  location?: string
}

interface Resource {
  list(db: ReadDb, request: Request): Promise<object>
  get(db: ReadDb, id: string, request: Request): Promise<object>
  create(db: WriteDb, body: unknown, request: Request): Promise<{ id: string; body: object }>
  replace(db: WriteDb, id: string, body: unknown, request: Request): Promise<object>
  /** Null for 204: the members of a large group are not sent with each change. */
  change(db: WriteDb, id: string, body: unknown, request: Request): Promise<object | null>
  remove(db: WriteDb, id: string): Promise<void>
}

const userResource: Resource = {
  async list(db, { query, base }) {
    const slice = readSlice(query, maxResults)
    const { total, rows } = await queries.selectUsers(db, slice)
    return toList(
      slice,
      total,
      rows.map((row) => users.renderUser(row, base)),
    )
  },
  get: async (db, id, { base }) => users.renderUser(await users.findUser(db, id), base),
  async create(db, body, { base }) {
    const row = await users.createUser(db, readAttributes(body))
    return { id: row.id, body: users.renderUser(row, base) }
  },
  replace: async (db, id, body, { base }) =>
    users.renderUser(await users.replaceUser(db, id, readAttributes(body)), base),
  change: async (db, id, body, { base }) =>
    users.renderUser(await users.changeUser(db, id, readChanges(body)), base),
  remove: users.deleteUser,
}

const groupResource: Resource = {
  async list(db, request) {
    const slice = readSlice(request.query, wantsMembers(request) ? maxGroupsWithMembers : maxResults)
    const { total, rows } = await queries.selectGroups(db, slice)
    return toList(slice, total, await renderGroups(db, rows, request))
  },
  get: async (db, id, request) => renderGroupWith(db, await groups.findGroup(db, id), request),
  async create(db, body, request) {
    const row = await groups.createGroup(db, readAttributes(body))
    return { id: row.id, body: await renderGroupWith(db, row, request) }
  },
  replace: async (db, id, body, request) =>
    renderGroupWith(db, await groups.replaceGroup(db, id, readAttributes(body)), request),
  async change(db, id, body) {
    await groups.changeGroup(db, id, readChanges(body))
    return null
  },
  remove: groups.deleteGroup,
}

async function renderGroups(
  db: ReadDb,
  rows: readonly queries.GroupRow[],
  request: Request,
): Promise<object[]> {
  const members = wantsMembers(request) ? await groups.listMembers(db, rows) : null
  return rows.map((row) =>
    groups.renderGroup(row, members ? (members.get(row.id) ?? []) : null, request.base),
  )
}

const renderGroupWith = async (db: ReadDb, row: queries.GroupRow, request: Request) =>
  (await renderGroups(db, [row], request))[0] ?? {}

const wantsMembers = ({ query }: Request) => 'members' in selectAttributes({ members: [] }, query)

function readSlice(query: URLSearchParams, mostRows: number): queries.Slice {
  const [filter, start, count] = [
    query.get('filter'),
    readInteger(query, 'startIndex', 1),
    readInteger(query, 'count', mostRows),
  ]
  return {
    filter: filter === null ? null : parseFilter(filter),
    offset: Math.max(1, start) - 1,
    limit: Math.min(Math.max(0, count), mostRows),
  }
}

function readInteger(query: URLSearchParams, name: string, byDefault: number): number {
  const text = query.get(name)
  if (text === null) return byDefault
  if (!/^-?\d{1,9}$/.test(text)) throw invalidValue(`${name} must be a whole number`)
  return Number(text)
}

function toList({ offset }: { offset: number }, totalResults: number, resources: readonly object[]): object {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults,
    startIndex: offset + 1,
    itemsPerPage: resources.length,
    Resources: resources,
  }
}

const resources: Readonly<Record<string, Resource>> = { Users: userResource, Groups: groupResource }

/** Answer a request of the provider of an organisation. */
export async function answerScim(c: C, services: Services, keys: KeyMemory): Promise<Response> {
  c.set('operation', 'scim')
  try {
    const budget = createBudget()
    c.set('budget', budget)
    return await runWithin(budget, () => answer(c, services, keys))
  } catch (error) {
    const problem = error instanceof ScimError ? undefined : toProblem(error)
    Object.assign(c.get('headers'), problem?.headers)
    c.set('failure', error)
    const scimError = problem ? toScimError(problem) : (error as ScimError)
    return respondScim(c, scimError.status, scimError.toJson())
  }
}

function respondScim(c: C, status: number, text: string): Response {
  setHeader(c, 'content-type', 'application/scim+json; charset=utf-8')
  return respond(c, text, status)
}

async function answer(c: C, services: Services, keys: KeyMemory): Promise<Response> {
  const url = new URL(c.req.url)
  const [name = '', id, ...rest] = url.pathname.split('/').slice(3)
  const base = `${services.ports.config.PUBLIC_BASE_URL}/scim/v2`
  const entries: OutboxEntry[] = []
  const { accountId, scope } = await openScope(c, services, keys, entries)
  if (rest.length > 0) throwUnknownPath()
  const resource = Object.hasOwn(resources, name) ? resources[name] : undefined
  const hasBody = resource && /^(?:POST|PUT|PATCH)$/.test(c.req.method)
  const request = {
    c,
    name,
    id: id === undefined ? undefined : decodeSegment(id),
    query: url.searchParams,
    base,
    sent: hasBody ? await readBody(c.req.raw) : undefined,
  }
  if (!resource) return respondScim(c, 200, JSON.stringify(discover(name, request)))
  c.set('operation', `scim.${name.toLowerCase()}.${c.req.method.toLowerCase()}`)
  const leave = await takePlace(accountId)
  const { status, body, location } = await perform(resource, scope, request).finally(leave)
  // A failure is nothing: the sweep finds the stored work.
  if (entries.length > 0) c.executionCtx.waitUntil(publishStored(services, entries).catch(() => {}))
  if (location) setHeader(c, 'location', location)
  return body ? respondScim(c, status, JSON.stringify(body)) : respond(c, null, status)
}

/** Open the account that a token names, once the database knows it. Throw 401, 403 and 429. */
async function openScope(c: C, services: Services, keys: KeyMemory, entries: OutboxEntry[]) {
  const token = readBearer(c.req.header('authorization') ?? '')
  const ids = parseApiKey(token, provisioningPrefix)
  const hash = ids && (await sha256Bytea(token))
  // Anybody can write a token with a right checksum.
  if (!hash || !keys.isKnown(hash)) await countUnauthenticated(c, services)
  if (!hash) throw new Problem('unauthenticated')
  const { accountId, keyId: connectionId } = ids
  const readOnly = c.req.method === 'GET' || c.req.method === 'HEAD'
  const scope = openProviderScope(
    services.runtime,
    { accountId, connectionId, hash, ip: c.get('ip') },
    { readOnly, outbox: (entry) => entries.push(entry) },
  )
  await scope.checkAccess().catch((error: unknown) => {
    keys.forget(hash)
    throw error
  })
  keys.admit(hash)
  c.set('caller', { userId: connectionId, accountId, signInId: connectionId })
  const limit = await services.limiter.count(`scim:${accountId}`, rate, false)
  if (!limit.allowed) throw createRateLimitProblem(rate, limit)
  return { accountId, scope }
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}

function throwUnknownPath(): never {
  throw new ScimError(404, 'There is nothing at this address')
}

async function perform(resource: Resource, scope: Scope, request: Request): Promise<Answer> {
  const { c, name, id, query, base, sent } = request
  const select = (body: object) => selectAttributes(body, query)
  const write = <T>(work: (db: WriteDb) => Promise<T>) =>
    scope.transaction(async (db) => {
      await queries.lockAccount(db)
      return keepWayPastProvider(db, () => work(db))
    })
  // Any other text is the id of nothing, which says the same of each resource.
  const uuid =
    id === undefined ? undefined : (Uuid.safeParse(id).data ?? '00000000-0000-0000-0000-000000000000')
  switch (`${c.req.method}${uuid === undefined ? '' : ' id'}`) {
    case 'GET':
    case 'HEAD': {
      const list = (await resource.list(scope.db, request)) as { Resources: object[] }
      return { status: 200, body: { ...list, Resources: list.Resources.map(select) } }
    }
    case 'POST': {
      const { id: createdId, body } = await write((db) => resource.create(db, sent, request))
      return { status: 201, body: select(body), location: `${base}/${name}/${createdId}` }
    }
    case 'GET id':
    case 'HEAD id':
      return { status: 200, body: select(await resource.get(scope.db, String(uuid), request)) }
    case 'PUT id':
      return {
        status: 200,
        body: select(await write((db) => resource.replace(db, String(uuid), sent, request))),
      }
    case 'PATCH id': {
      const body = await write((db) => resource.change(db, String(uuid), sent, request))
      return body ? { status: 200, body: select(body) } : { status: 204 }
    }
    case 'DELETE id':
      await write((db) => resource.remove(db, String(uuid)))
      return { status: 204 }
    default:
      throw new Problem('method_not_allowed')
  }
}

/** Answer what a client asks before it provisions. */
function discover(name: string, { c, id, base }: Request): object {
  if (name === 'Bulk' || name === 'Me') throw new ScimError(501, `${name} is not supported`)
  const lists: Record<string, { id: string }[]> = {
    Schemas: listSchemas(base),
    ResourceTypes: listResourceTypes(base),
  }
  const list = Object.hasOwn(lists, name) ? lists[name] : undefined
  if (!list && (name !== 'ServiceProviderConfig' || id !== undefined)) throwUnknownPath()
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') throw new Problem('method_not_allowed')
  if (!list) return buildProviderConfig(base)
  if (id === undefined) return toList({ offset: 0 }, list.length, list)
  return list.find((item) => item.id === id) ?? throwUnknownPath()
}

/** Read a body of at most 1 MiB. Throw 400 for what is no JSON, 413 and 415. */
async function readBody(request: globalThis.Request): Promise<unknown> {
  const type = getMediaType(request)
  if (type !== 'application/scim+json' && type !== 'application/json') throw new Problem('unsupported_media')
  const text = decodeUtf8(await readBytes(request, maxBodyBytes))
  if (text === undefined || isTooDeep(text))
    throw invalidSyntax('The body must be UTF-8, of at most 32 levels')
  let body: unknown
  try {
    body = readJson(text)
  } catch (error) {
    throw error instanceof SyntaxError ? invalidSyntax('The body must be valid JSON') : error
  }
  const [unstorable] = findUnstorableText(body, ['body'])
  if (unstorable) throw invalidValue(`${unstorable.loc.slice(1).join('.')} ${unstorable.msg}`)
  return body
}
