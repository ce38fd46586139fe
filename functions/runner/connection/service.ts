import { retryOnConflict } from '#db/retry.ts'
import { requireAllowedAddress } from '#http/allowed-address.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidRequest, Problem } from '#problem.ts'
import { listLosses } from '#vendors/net/wire.ts'
import { RunnerError, type RunnerPort } from '#vendors/runner/runner.ts'
import { openRunnerKey, sealRunnerKey } from '#vendors/runner/sealed-key.ts'
import * as queries from './queries.ts'
import type { RunnerConnection, RunnerConnectionPut } from './schemas.ts'

/** The parts of a context that are needed to call the runner. */
export type ConnectionContext = Pick<ReadContext, 'db' | 'vault' | 'runner'>

export async function get({ db }: Pick<ReadContext, 'db'>): Promise<RunnerConnection> {
  return toResponse(await requireConnection(db))
}

/** Open the connection for calls. Throw 409 without one. */
export async function open(ctx: ConnectionContext): Promise<RunnerPort> {
  return openRow(ctx, await requireConnection(ctx.db))
}

export async function put(
  ctx: WriteContext,
  { provider, base_url, api_key }: RunnerConnectionPut,
): Promise<RunnerConnection> {
  await requireAllowedAddress(ctx, 'base_url', base_url)
  return retryOnConflict('connection', async () => {
    const before = await queries.selectConnection(ctx.db)
    const key = api_key ?? (await readStoredKey(ctx, before, { provider, base_url }))
    if (key === undefined)
      throw invalidRequest([
        { loc: ['body', 'api_key'], msg: 'is required for this connection', type: 'missing' },
      ])
    const credentials = await sealRunnerKey(ctx.vault, ctx.caller.accountId, provider, key)
    const isSaved = await queries.saveConnection.run(
      ctx.db,
      { provider, base_url, credentials },
      before?.credentials ?? null,
    )
    return isSaved > 0 ? get(ctx) : undefined
  })
}

export async function remove({ db }: WriteContext): Promise<void> {
  if (!(await queries.deleteConnection(db))) throw notConnected()
}

/** Check the key, and store the result. */
export async function test(ctx: WriteContext) {
  const row = await requireConnection(ctx.db)
  const port = await openRow(ctx, row)
  const { value: error, losses } = await listLosses(() =>
    port.checkCredentials().then(
      () => null,
      (failure: unknown) => (failure instanceof RunnerError ? failure.message : Promise.reject(failure)),
    ),
  )
  await queries.recordCheck(ctx.db, row.credentials, error)
  return { success: error === null, message: [error ?? 'The runner accepted the key', ...losses].join('; ') }
}

/** Convert an error of the runner to a Problem. */
export function toProblem(error: unknown): unknown {
  if (!(error instanceof RunnerError)) return error
  return new Problem(error.kind === 'auth' ? 'runner_auth_failed' : 'runner_error', error.message, {
    cause: error,
  })
}

/** Return the stored key, which is sent only to the origin that it was entered for. */
async function readStoredKey(
  ctx: WriteContext,
  before: queries.ConnectionRow | undefined,
  { provider, base_url }: Pick<RunnerConnectionPut, 'provider' | 'base_url'>,
): Promise<string | undefined> {
  if (before?.provider !== provider || new URL(before.base_url).origin !== new URL(base_url).origin)
    return undefined
  return openRunnerKey(ctx.vault, before.account_id, provider, before.credentials)
}

async function openRow(
  { vault, runner }: ConnectionContext,
  row: queries.ConnectionRow,
): Promise<RunnerPort> {
  const { account_id, provider, base_url, credentials } = row
  return runner({
    provider,
    baseUrl: base_url,
    apiKey: await openRunnerKey(vault, account_id, provider, credentials),
  })
}

async function requireConnection(db: ReadContext['db']): Promise<queries.ConnectionRow> {
  const row = await queries.selectConnection(db)
  if (!row) throw notConnected()
  return row
}

const notConnected = () => new Problem('runner_not_connected')

function toResponse({ account_id: _, credentials: __, ...row }: queries.ConnectionRow): RunnerConnection {
  return row
}
