import { retryOnConflict } from '#db/retry.ts'
import { requireAllowedAddress } from '#http/allowed-address.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { type FieldError, invalidField, invalidRequest, Problem } from '#problem.ts'
import { clip } from '#rules/text/clip.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { listLosses } from '#vendors/net/wire.ts'
import {
  type ConnectionRow,
  decryptConnection,
  decryptSecrets,
  encryptSecrets,
} from '#vendors/psa/connection.ts'
import { toHaloSite } from '#vendors/psa/halopsa-address.ts'
import { type Provider, PsaError, type PsaPort } from '#vendors/psa/psa.ts'
import type { RoundingRule } from '#vendors/psa/time-entry.ts'
import * as queries from './queries.ts'
import type { PsaConnection, PsaConnectionUpdate } from './schemas.ts'

/** The parts of a context that are needed to call the ticketing system. */
export type ConnectionContext = Pick<ReadContext, 'db' | 'vault' | 'psa'>

/** The account's connection, ready for calls. */
export interface OpenConnection {
  port: PsaPort
  /** Identifies this version of the connection. It changes with every change of the connection. */
  key: string
  /** The database's time, RFC 3339. */
  now: string
  row: ConnectionRow
}

type FieldNames = readonly (keyof PsaConnectionUpdate)[]
/** `settings` are optional, and stored with the identity when they are not null. */
const fields: Record<Provider, { identity: FieldNames; settings: FieldNames; secrets: FieldNames }> = {
  connectwise: {
    identity: ['company_id', 'client_id'],
    settings: [],
    secrets: ['public_key', 'private_key'],
  },
  halopsa: {
    identity: ['client_id', 'tenant'],
    settings: ['auth_url', 'private_note_outcome', 'public_note_outcome'],
    secrets: ['client_secret'],
  },
}

/** Return the active connection. Throw 409 without one. */
export async function requireActive({ db }: Pick<ConnectionContext, 'db'>): Promise<ConnectionRow> {
  const row = await queries.selectConnection(db)
  if (!row?.is_active) throw notConnected()
  return row
}

/** Decrypt the active connection for calls. Throw 409 without one. */
export async function open(ctx: ConnectionContext): Promise<OpenConnection> {
  const row = await requireActive(ctx)
  const key = `${row.account_id}:${row.id}:${row.updated_at}`
  return { port: ctx.psa(await decryptConnection(ctx.vault, row)), key, now: row.now, row }
}

export async function get({ db }: Pick<ReadContext, 'db'>): Promise<PsaConnection> {
  return toResponse((await queries.selectConnection(db)) ?? throwNotConnected())
}

export async function put(ctx: WriteContext, update: PsaConnectionUpdate): Promise<PsaConnection> {
  for (const name of ['base_url', 'auth_url'] as const) await requireAllowedAddress(ctx, name, update[name])
  return retryOnConflict('connection', async () => {
    const before = await queries.selectConnection(ctx.db)
    if (before && Object.keys(update).length === 0) return toResponse(before)
    const change = await mergeConnection(ctx, before, update)
    if (update.resolved_statuses?.length) await requireStatuses(ctx, change, update.resolved_statuses)
    return (await queries.saveConnection.run(ctx.db, change, before?.credentials ?? null)) > 0
      ? get(ctx)
      : undefined
  })
}

export async function remove({ db }: WriteContext): Promise<void> {
  if (!(await queries.deleteConnection(db))) throw notConnected()
}

/** Check the credentials, also of an inactive connection, and store the result. */
export async function test(ctx: WriteContext) {
  const row = (await queries.selectConnection(ctx.db)) ?? throwNotConnected()
  const port = ctx.psa(await decryptConnection(ctx.vault, row))
  const { value, losses } = await listLosses(() =>
    port
      .checkCredentials()
      .then(async () => ({ error: null, ...(await listBoardsWithStatuses(port)) }))
      .catch((failure: unknown) =>
        failure instanceof PsaError
          ? { error: failure.message, boards: [], warnings: [] }
          : Promise.reject(failure),
      ),
  )
  const { error, boards, warnings } = value
  await queries.recordCheck(ctx.db, row.id, error)
  return {
    success: error === null,
    message: [error ?? 'The ticketing system accepted the credentials', ...warnings, ...losses].join('; '),
    boards,
  }
}

const maxListedBoards = 50
const maxWarnings = 5
const maxWarning = 500

/** List boards with their statuses. A board whose statuses cannot be read has none, and a warning. */
async function listBoardsWithStatuses(port: PsaPort) {
  const all = await port.listBoards()
  const warnings =
    all.length > maxListedBoards
      ? [`Only the first ${maxListedBoards} of ${all.length} boards are listed`]
      : []
  const boards = await Promise.all(
    all.slice(0, maxListedBoards).map(async (board) => {
      const statuses = await port.listStatuses(board.id).catch((error: unknown) => {
        if (!(error instanceof PsaError)) throw error
        warnings.push(clip(`The statuses of ${board.name} could not be read: ${error.message}`, maxWarning))
        return []
      })
      return { ...board, statuses }
    }),
  )
  return { boards, warnings: warnings.slice(0, maxWarnings) }
}

/** Return how the connection rounds time, or how none does. */
export async function getRounding({ db }: Pick<ReadContext, 'db'>): Promise<RoundingRule> {
  return mergeRounding(await queries.selectConnection(db), {})
}

export function notConnected(): Problem {
  return new Problem('psa_not_connected', 'No ticketing system is connected to this account')
}

/**
 * Convert a provider's error to a Problem. If the provider has no such record, the problem is a 404 when
 * `resource` names it, and `psa_error` otherwise.
 */
export function toProblem(error: unknown, resource?: string): unknown {
  if (!(error instanceof PsaError)) return error
  const { kind, message, retryAfterSeconds } = error
  if (kind === 'missing' && resource)
    return new Problem('not_found', `${resource} not found`, { cause: error })
  const headers = retryAfterSeconds ? { 'retry-after': String(retryAfterSeconds) } : undefined
  return new Problem(errorCodes[kind], message, { headers, cause: error })
}

/**
 * Convert an error of the ticketing system to a result. A missing ticket, an invalid request and a missing or
 * inactive connection are final; other errors of the ticketing system may be retried. Rethrow any other
 * error.
 */
export function toSendResult(error: unknown): Extract<SendResult, { ok: false }> {
  if (error instanceof Problem && error.kind === 'psa_not_connected')
    return { ok: false, status: null, error: error.message, gone: true }
  if (!(error instanceof PsaError)) throw error
  const { kind, message, status, retryAfterSeconds } = error
  const isFinal = kind === 'missing' || kind === 'invalid' || kind === 'forbidden'
  return {
    ok: false,
    status,
    error: message,
    gone: isFinal,
    retryAfterSeconds: retryAfterSeconds || undefined,
  }
}

const errorCodes = {
  auth: 'psa_auth_failed',
  forbidden: 'psa_error',
  missing: 'psa_error',
  invalid: 'psa_error',
  rate_limit: 'psa_rate_limited',
  down: 'psa_unavailable',
} as const

/** Throw 422 for a status that its board at the ticketing system does not have. */
async function requireStatuses(
  ctx: WriteContext,
  change: queries.ConnectionChange,
  statuses: PsaConnection['resolved_statuses'],
): Promise<void> {
  const port = ctx.psa(await decryptConnection(ctx.vault, { ...change, account_id: ctx.caller.accountId }))
  const read = <T>(answer: Promise<T>) => answer.catch((error: unknown) => Promise.reject(toProblem(error)))
  const boards = await read(port.listBoards())
  const refuse = (index: number, name: 'board_id' | 'status_id') =>
    invalidField(
      ['body', 'resolved_statuses', index, name],
      'must be an id of the ticketing system',
      'unknown',
    )
  await Promise.all(
    statuses.map(async ({ board_id, status_id }, index) => {
      if (!boards.some(({ id }) => id === board_id)) throw refuse(index, 'board_id')
      if (!(await read(port.listStatuses(board_id))).some(({ id }) => id === status_id))
        throw refuse(index, 'status_id')
    }),
  )
}

/**
 * Merge an update into the stored connection and encrypt its secrets. Throw 422 for a required field that is
 * in neither, and for a field of another provider.
 */
async function mergeConnection(
  ctx: WriteContext,
  before: ConnectionRow | undefined,
  update: PsaConnectionUpdate,
): Promise<queries.ConnectionChange> {
  const provider = update.provider ?? before?.provider
  if (!provider) throw invalidRequest([requiredField('provider')])
  const { identity, settings, secrets } = fields[provider]
  const storedConnection = before?.provider === provider ? before : undefined
  const base_url = update.base_url ? toStoredAddress(provider, update.base_url) : storedConnection?.base_url
  const auth_url = update.auth_url === undefined ? storedConnection?.identity.auth_url : update.auth_url
  // Security: a stored secret is sent only to the origins that it was entered for, not to a new base URL or
  // authorisation server.
  const isSameOrigin =
    storedConnection &&
    base_url &&
    listOrigins(base_url, auth_url).join() ===
      listOrigins(storedConnection.base_url, storedConnection.identity.auth_url).join()
  const storedSecrets =
    storedConnection && isSameOrigin ? await decryptSecrets(ctx.vault, storedConnection) : {}
  const mergedSettings = {
    base_url: storedConnection?.base_url,
    ...storedConnection?.identity,
    ...storedSecrets,
    ...update,
  } as unknown as Partial<Record<string, string | null>>
  requireFields(provider, update, mergedSettings)
  const pick = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, mergedSettings[name] ?? null]))
  const credentials = await encryptSecrets(
    ctx.vault,
    ctx.caller.accountId,
    provider,
    pick(secrets) as Record<string, string>,
  )
  const chosenSettings = Object.entries(pick(settings)).filter(([, value]) => value !== null)
  const mergedIdentity = { ...pick(identity), ...Object.fromEntries(chosenSettings) }
  const isSameSystem =
    storedConnection?.base_url === base_url &&
    identity.every((name) => (storedConnection?.identity[name] ?? null) === (pick(identity)[name] ?? null))
  const is_active = update.is_active ?? before?.is_active ?? true
  return {
    provider,
    base_url: base_url as string,
    identity: mergedIdentity,
    credentials,
    is_active,
    ...mergeRounding(before, update),
    resolved_statuses: update.resolved_statuses
      ? Object.fromEntries(update.resolved_statuses.map(({ board_id, status_id }) => [board_id, status_id]))
      : (isSameSystem && storedConnection?.resolved_statuses) || {},
    changesAccess: ['provider', 'base_url', 'auth_url', ...identity, ...secrets].some(
      (name) => name in update && update[name as keyof typeof update] !== undefined,
    ),
  }
}

function toStoredAddress(provider: Provider, baseUrl: string): string {
  return provider === 'halopsa' ? toHaloSite(baseUrl) : baseUrl
}

/** Return the origin of the API and the one that secrets are sent to. */
function listOrigins(baseUrl: string, authUrl: string | null | undefined): string[] {
  return [new URL(baseUrl).origin, new URL(authUrl ?? baseUrl).origin]
}

function mergeRounding(before: ConnectionRow | undefined, update: PsaConnectionUpdate): RoundingRule {
  return {
    time_rounding_minutes: update.time_rounding_minutes ?? before?.time_rounding_minutes ?? 1,
    time_minimum_minutes: update.time_minimum_minutes ?? before?.time_minimum_minutes ?? 0,
  }
}

// Of every provider.
const otherFields: readonly string[] = [
  'time_rounding_minutes',
  'time_minimum_minutes',
  'resolved_statuses',
] satisfies FieldNames

function requireFields(
  provider: Provider,
  update: PsaConnectionUpdate,
  merged: Record<string, unknown>,
): void {
  const providerFields: readonly string[] = [
    'provider',
    'base_url',
    'is_active',
    ...fields[provider].identity,
    ...fields[provider].secrets,
  ]
  const optionalFields: readonly string[] = [...fields[provider].settings, ...otherFields]
  const unknownNames = Object.keys(update).filter(
    (name) => !providerFields.includes(name) && !optionalFields.includes(name),
  )
  const missingNames = providerFields.filter(
    (name) => !['provider', 'is_active', 'tenant'].includes(name) && !merged[name],
  )
  const errors: FieldError[] = [
    ...unknownNames.map((name) => ({
      loc: ['body', name],
      msg: `is not a field of ${provider}`,
      type: 'unknown_key',
    })),
    ...missingNames.map(requiredField),
  ]
  if (errors.length > 0) throw invalidRequest(errors)
}

function requiredField(name: string): FieldError {
  return { loc: ['body', name], msg: 'is required for this connection', type: 'missing' }
}

function toResponse(row: ConnectionRow): PsaConnection {
  const { company_id = null, client_id, tenant = null, auth_url = null } = row.identity
  return {
    id: row.id,
    provider: row.provider,
    base_url: row.base_url,
    company_id,
    client_id: client_id ?? '',
    tenant,
    auth_url,
    private_note_outcome: row.identity.private_note_outcome ?? null,
    public_note_outcome: row.identity.public_note_outcome ?? null,
    is_active: row.is_active,
    time_rounding_minutes: row.time_rounding_minutes,
    time_minimum_minutes: row.time_minimum_minutes,
    resolved_statuses: Object.entries(row.resolved_statuses).map(([board_id, status_id]) => ({
      board_id,
      status_id,
    })),
    last_checked_at: row.last_checked_at,
    last_check_error: row.last_check_error,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

function throwNotConnected(): never {
  throw notConnected()
}
