import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import { inTransaction, type PlatformDb } from '#db/scope.ts'
import type { Context, ReadContext } from '#http/operation.ts'
import { notFound, Problem } from '#problem.ts'
import { type ParsedAlert, type ParsedAlerts, parseAlerts } from '#rules/alerts/parse-alerts.ts'
import { fold } from '#rules/text/fold.ts'
import { sha256Base64url, sha256Bytea } from '#vendors/auth/hash.ts'
import type { RawBody } from '#vendors/net/raw-body.ts'
import { enqueueNext } from '#work/attempts.ts'
import * as queries from './queries.ts'
import type { AlertQuery, Receipt } from './schemas.ts'

const maxCallsPerMinute = 600

export async function list({ db }: ReadContext, query: AlertQuery & PageQuery) {
  return toPage(await queries.selectAlerts.all(db, query), query, newestFirst)
}

/**
 * Record the alerts of a call. Throw 404 for an unknown address, 429, and 400 for a body without alerts, which
 * the source shows as its last error.
 */
export async function receive(
  { platform }: Pick<Context<'post', 'signed', 'reason'>, 'platform'>,
  token: string,
  { bytes }: RawBody,
): Promise<Receipt> {
  const source = await queries.selectAddress(platform, await sha256Bytea(token))
  if (!source) throw notFound('Alert address')
  if (!(await queries.countCall.first(platform, source, maxCallsPerMinute)))
    throw new Problem('rate_limited', undefined, { headers: { 'retry-after': '60' } })
  const parsed = parseAlerts(new TextDecoder().decode(bytes), source.format, source.mapping)
  if (typeof parsed === 'string') {
    await queries.recordError(platform, source, parsed)
    throw new Problem('bad_request', parsed)
  }
  return recordAlerts({ platform }, source, parsed)
}

/** Record alerts of a source, and queue the cases of those that fire for the first time. */
export async function recordAlerts(
  { platform }: { platform: PlatformDb },
  source: queries.SourceAddress,
  { alerts, untitled, dropped }: ParsedAlerts,
): Promise<Receipt> {
  const [firing, resolved] = await divide(source, alerts)
  const error = [
    ...(untitled > 0 ? [`${untitled} alerts of the last call have no title`] : []),
    ...(dropped > 0 ? [`The last call had ${dropped} alerts too many; they were not read`] : []),
  ].join('. ')
  return inTransaction(platform, async (db) => {
    await queries.recordError(db, source, error || null)
    await queries.endClosedAlerts.run(
      db,
      source,
      firing.map(({ fingerprint }) => fingerprint),
    )
    const recorded = await queries.recordFiring.all(db, source, firing)
    for (const row of recorded) if (row.is_waiting) enqueueNext(db, 'alert', row)
    await queries.recordResolved.run(db, source, resolved)
    const refused = untitled + dropped + firing.length - recorded.length
    return { firing: recorded.length, resolved: resolved.length, refused }
  })
}

/** Divide alerts into those that fire and those that are over. Of one fingerprint, the last report counts. */
async function divide(source: queries.SourceAddress, alerts: readonly ParsedAlert[]) {
  const reports = await Promise.all(
    alerts.map(async (alert) => [alert, await toNewAlert(source, alert)] as const),
  )
  const last = [...new Map(reports.map((report) => [report[1].fingerprint, report])).values()]
  return [false, true].map((isResolved) =>
    last.filter(([alert]) => alert.isResolved === isResolved).map(([, row]) => row),
  ) as [queries.NewAlert[], queries.NewAlert[]]
}

async function toNewAlert(
  { severities }: queries.SourceAddress,
  { fingerprint, occurrence, isResolved, ...alert }: ParsedAlert,
): Promise<queries.NewAlert> {
  const { title, body, severity, client_name, asset_name } = alert
  const isWanted =
    severities.length === 0 || severities.some((wanted) => fold(wanted) === fold(severity ?? ''))
  return {
    ...alert,
    fingerprint:
      fingerprint !== null && fingerprint.length <= 100
        ? fingerprint
        : await sha256Base64url(JSON.stringify(fingerprint ?? [title, client_name, asset_name])),
    digest: await sha256Base64url(JSON.stringify([isResolved, occurrence ?? [title, body, severity]])),
    verdict: isWanted ? null : 'ignored',
    reason: isWanted ? null : 'Its severity is none of those of the source',
  }
}
