import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { changedMeanwhile, type Invalid, invalid, Problem } from '../../../lib/problem.ts'
import { type ConnectionRow, openSecrets, sealSecrets, unsealed } from '../../../lib/psa/connection.ts'
import { type Provider, PsaError, type PsaPort } from '../../../lib/psa/psa.ts'
import * as queries from './queries.ts'
import type { PsaConnection, PsaConnectionUpdate } from './schemas.ts'

/** What reaching the ticketing system needs of a context. */
export type Connecting = Pick<Reader, 'db' | 'vault' | 'psa'>

/** The account's ticketing system, ready to be asked. */
export interface Connected {
  port: PsaPort
  /** Names the connection as it is: another one, or a change of it, has another key. */
  key: string
  /** The database's time, RFC 3339. */
  now: string
  row: ConnectionRow
}

const fields: Record<Provider, { identity: readonly (keyof PsaConnectionUpdate)[]; secrets: readonly (keyof PsaConnectionUpdate)[] }> = {
  connectwise: { identity: ['company_id', 'client_id'], secrets: ['public_key', 'private_key'] },
  halopsa: { identity: ['client_id', 'tenant'], secrets: ['client_secret'] },
}
const tries = 5

/** The active connection; 409 without one. */
export async function requireActive({ db }: Pick<Connecting, 'db'>): Promise<ConnectionRow> {
  const row = await queries.selectConnection(db)
  if (!row?.is_active) throw notConnected()
  return row
}

/** Throws 409 without an active connection. */
export async function connected(ctx: Connecting): Promise<Connected> {
  const row = await requireActive(ctx)
  const key = `${row.account_id}:${row.id}:${row.updated_at}`
  return { port: ctx.psa(await unsealed(ctx.vault, row)), key, now: row.now, row }
}

export async function get({ db }: Pick<Reader, 'db'>): Promise<PsaConnection> {
  return shown((await queries.selectConnection(db)) ?? missing())
}

export async function put(ctx: Writer, given: PsaConnectionUpdate): Promise<PsaConnection> {
  const refusal = given.base_url ? await ctx.guard.refusal(given.base_url, 'saving') : null
  if (refusal) throw invalid([{ loc: ['body', 'base_url'], msg: refusal, type: 'base_url' }])
  if (Object.keys(given).length === 0) return get(ctx)
  for (let n = 0; n < tries; n++) {
    const before = await queries.selectConnection(ctx.db)
    const saved = await merged(ctx, before, given)
    if (await queries.saveConnection(ctx.db, saved, before?.credentials ?? null)) return get(ctx)
  }
  throw changedMeanwhile('connection')
}

export async function remove({ db }: Writer): Promise<void> {
  if (!(await queries.deleteConnection(db))) missing()
}

/** Tries the credentials, of a connection that is switched off too, and keeps what came of it. */
export async function test(ctx: Writer) {
  const row = (await queries.selectConnection(ctx.db)) ?? missing()
  const port = ctx.psa(await unsealed(ctx.vault, row))
  const error = await port.check().then(
    () => null,
    (failure: unknown) => (failure instanceof PsaError ? failure.message : Promise.reject(failure)),
  )
  await queries.noteCheck(ctx.db, row.id, error)
  return { success: error === null, message: error ?? 'The ticketing system let the credentials in' }
}

export function notConnected(): Problem {
  return new Problem('conflict', 'No ticketing system is connected to this account', { code: 'psa_not_connected' })
}

/** What a provider's failure is to the caller. `missing` is 404 only to who asked for something by its id. */
export function problemOf(error: unknown, missingThing?: string): unknown {
  if (!(error instanceof PsaError)) return error
  const { kind, message, retryAfterSeconds } = error
  if (kind === 'missing' && missingThing) return new Problem('not_found', `${missingThing} not found`, { cause: error })
  const headers = retryAfterSeconds ? { 'retry-after': String(retryAfterSeconds) } : {}
  return new Problem('provider_error', message, { code: codes[kind], headers, cause: error })
}

const codes = {
  auth: 'psa_auth_failed',
  missing: 'psa_error',
  invalid: 'psa_error',
  rate_limit: 'psa_rate_limited',
  down: 'psa_unavailable',
} as const

/** The connection as it would be. What is neither given nor kept is missing; a field of another provider's does not belong. */
async function merged(ctx: Writer, before: ConnectionRow | undefined, given: PsaConnectionUpdate): Promise<queries.Saved> {
  const provider = given.provider ?? before?.provider
  if (!provider) throw invalid([required('provider')])
  const { identity, secrets } = fields[provider]
  const kept = before?.provider === provider ? before : undefined
  const base_url = given.base_url ?? kept?.base_url
  // A secret goes to the site it was given for, and to no other that somebody puts in its place.
  const sameSite = kept && base_url && new URL(base_url).origin === new URL(kept.base_url).origin
  const keptSecrets = kept && sameSite ? await openSecrets(ctx.vault, kept) : {}
  const known = { base_url: kept?.base_url, ...kept?.identity, ...keptSecrets, ...given } as Record<string, string | null | undefined>
  check(provider, given, known)
  const pick = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, known[name] ?? null]))
  const sealed = await sealSecrets(ctx.vault, ctx.caller.accountId, provider, pick(secrets) as Record<string, string>)
  const is_active = given.is_active ?? before?.is_active ?? true
  return { provider, base_url: base_url as string, identity: pick(identity), credentials: sealed, is_active }
}

function check(provider: Provider, given: PsaConnectionUpdate, known: Record<string, unknown>): void {
  const own: readonly string[] = ['provider', 'base_url', 'is_active', ...fields[provider].identity, ...fields[provider].secrets]
  const strange = Object.keys(given).filter((name) => !own.includes(name))
  const missing = own.filter((name) => !['provider', 'is_active', 'tenant'].includes(name) && !known[name])
  const errors: Invalid[] = [
    ...strange.map((name) => ({ loc: ['body', name], msg: `Not a field of ${provider}`, type: 'unknown_key' })),
    ...missing.map(required),
  ]
  if (errors.length > 0) throw invalid(errors)
}

function required(name: string): Invalid {
  return { loc: ['body', name], msg: 'Required for this connection', type: 'missing' }
}

function shown(row: ConnectionRow): PsaConnection {
  const { id, provider, base_url, identity, is_active, last_checked_at, last_check_error, created_at, updated_at } = row
  const { company_id = null, client_id, tenant = null } = identity
  return {
    ...{ id, provider, base_url, company_id, client_id: client_id ?? '', tenant, is_active },
    ...{ last_checked_at, last_check_error, created_at, updated_at },
  }
}

function missing(): never {
  throw notConnected()
}
