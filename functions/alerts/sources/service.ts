import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import { insertAuditEntry } from '#db/rows/audit.ts'
import { inTransaction } from '#db/scope.ts'
import { throwUnknownId } from '#db/sqlstate.ts'
import * as alerts from '#functions/alerts/alerts/service.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import type { Context, ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, throwNotFound } from '#problem.ts'
import { randomToken, sha256Bytea } from '#vendors/auth/hash.ts'
import * as queries from './queries.ts'
import type { Source, SourceCreate, SourceUpdate, SourceWithAddress } from './schemas.ts'

export async function list({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectSources(db, page), page, newestFirst)
}

/** Create a source. Only a hash of the secret in its address is stored. */
export async function create(
  { db, config, caller }: WriteContext,
  { user_id = caller.userId, ...input }: SourceCreate,
): Promise<SourceWithAddress> {
  const source = { ...input, user_id }
  if ((source.format === 'json') !== (source.mapping !== null)) throw mappingProblem(source.format)
  await sessions.requireFlowAndOwner(db, source)
  const token = randomToken()
  const inserted = await queries.insertSource
    .one(db, source, await sha256Bytea(token))
    .catch(throwUnknownSchedule)
  return { ...inserted, url: toUrl(config, token) }
}

export async function update({ db }: WriteContext, id: string, changes: SourceUpdate): Promise<Source> {
  const { format } = (await queries.selectSource(db, id)) ?? throwNotFound('Alert source')
  if (changes.mapping && format !== 'json') throw mappingProblem(format)
  await sessions.requireFlowAndOwner(db, changes)
  if (Object.keys(changes).length > 0) await queries.updateSource(db, id, changes).catch(throwUnknownSchedule)
  return (await queries.selectSource(db, id)) ?? throwNotFound('Alert source')
}

const throwUnknownSchedule = throwUnknownId('schedule_id', 'on-call schedule', 'schedule_id')

export async function remove({ db }: WriteContext, id: string): Promise<void> {
  if (!(await queries.deleteSource(db, id))) throwNotFound('Alert source')
}

/** Replace the address of a source. */
export async function rotate({ db, config }: WriteContext, id: string): Promise<SourceWithAddress> {
  const token = randomToken()
  return inTransaction(db, async (tx) => {
    if (!(await queries.setToken(tx, id, await sha256Bytea(token)))) throwNotFound('Alert source')
    const source = (await queries.selectSource(tx, id)) ?? throwNotFound('Alert source')
    return { ...source, url: toUrl(config, token) }
  })
}

/** Record an alert as if the source had sent it. */
export async function test(
  { db, platform, caller, ip }: Context<'post', 'account_admin', 'reason'>,
  id: string,
) {
  const source = (await queries.selectSource(db, id)) ?? throwNotFound('Alert source')
  // What calls change in a source is not audited.
  const entry = { action: 'alert_source.tested', resource_type: 'alert_source', resource_id: id }
  await insertAuditEntry(platform, { ...caller, ip }, entry)
  const [severity = null] = source.severities
  const alert = { ...testAlert, title: `Test alert of ${source.name}`, severity }
  return alerts.recordAlerts(
    { platform },
    { ...source, account_id: caller.accountId },
    { alerts: [alert], untitled: 0, dropped: 0 },
  )
}

const testAlert = {
  fingerprint: 'test',
  body: 'An admin has sent this test. Close the case.',
  client_name: null,
  asset_name: null,
  occurrence: null,
  isResolved: false,
}

const toUrl = ({ PUBLIC_BASE_URL }: WriteContext['config'], token: string) =>
  `${PUBLIC_BASE_URL}/api/v1/alerts/${token}`

const mappingProblem = (format: string) =>
  invalidField(
    ['body', 'mapping'],
    format === 'json' ? 'is required for the format json' : `must be left out for the format ${format}`,
  )
