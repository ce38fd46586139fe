import { type PageQuery, toPage } from '#db/page.ts'
import type { ReadDb } from '#db/scope.ts'
import type { JobContext } from '#http/job.ts'
import { Content, type ReadContext, type WriteContext } from '#http/operation.ts'
import { Problem, throwNotFound } from '#problem.ts'
import type { Branding } from '#rules/exports/pdf-frame.ts'
import type { WeeklyReport } from '#rules/reports/weekly.ts'
import { createSlug } from '#rules/text/words.ts'
import type { SubscriptionKey } from '#vendors/auth/unsubscribe-tokens.ts'
import type { EmailContent } from '#vendors/mail/layout.ts'
import { enqueueDeliveries } from '#work/deliveries.ts'
import type { SweepOptions } from '#work/sweep.ts'
import * as queries from './queries.ts'
import type { WeeklyReportQuery } from './schemas.ts'

// Loaded on first use: few requests need them.
const loadReports = () => import('#rules/reports/build-weekly.ts')
const loadMail = () => import('#vendors/mail/weekly-report.ts')

/** Return the report of a week, or a document with it. Throw 404 for a team of another account. */
export async function getWeekly(
  ctx: ReadContext,
  { team_id, week, format }: WeeklyReportQuery,
): Promise<WeeklyReport | Content> {
  const report = await countWeek(ctx.db, team_id, week ?? null)
  const name = createSlug(`${report.team.name} ${report.week}`, 'report')
  switch (format) {
    case 'json':
      return report
    case 'html':
      return new Content(
        (await import('#rules/reports/html.ts')).renderReportHtml(report),
        'text/html; charset=utf-8',
        `${name}.html`,
      )
    case 'csv':
      return new Content(
        (await import('#rules/reports/csv.ts')).renderReportCsv(report),
        'text/csv; charset=utf-8',
        `${name}.csv`,
      )
    case 'pdf':
      return new Content(await createPdf(ctx, report), 'application/pdf', `${name}.pdf`)
  }
}

async function countWeek(db: ReadDb, teamId: string, week: string | null): Promise<WeeklyReport> {
  const weeks = await db.batch([
    queries.selectTeamWeek.query(teamId, week, 0),
    queries.selectTeamWeek.query(teamId, week, 1),
  ])
  const [[teamWeek], [before]] = weeks
  if (!teamWeek || !before) throw throwNotFound('Team')
  const [{ buildWeeklyReport }, counts] = await Promise.all([
    loadReports(),
    queries.selectWeekCounts(db, teamWeek, before),
  ])
  return buildWeeklyReport(counts)
}

async function createPdf(ctx: ReadContext, report: WeeklyReport) {
  const { renderReportPdf } = await import('#rules/reports/pdf.ts')
  return renderReportPdf(report, { branding: await loadBranding(ctx, report.team.id), assets: ctx.assets })
}

/**
 * Return the branding with the bytes of the logo. Omit a logo that is missing in the bucket, so that the
 * report still succeeds.
 */
async function loadBranding({ db, uploads }: ReadContext, teamId: string): Promise<Branding> {
  const { logo, ...branding } = await queries.selectBranding.one(db, teamId)
  const throwProviderError = (cause: unknown): never => {
    throw new Problem('provider_error', undefined, { cause })
  }
  const jpeg = logo && (await uploads.get(logo.key).catch(throwProviderError))
  return { ...branding, logo: logo && jpeg ? { jpeg, width: logo.width, height: logo.height } : null }
}

export async function listSubscriptions({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectSubscriptions.all(db, page), page, queries.subscriptionOrder)
}

/** Subscribe the caller. Idempotent. */
export async function subscribe({ db }: WriteContext, teamId: string) {
  await queries.insertSubscription.run(db, teamId)
  return (await queries.selectSubscription.first(db, teamId)) ?? throwNotFound('Team')
}

/** End the caller's subscription. Idempotent. Throw 404 for a team of another account. */
export async function unsubscribe({ db }: WriteContext, teamId: string): Promise<void> {
  const ended = await queries.deleteSubscription(db, teamId)
  if (!ended && !(await queries.selectTeam(db, teamId))) throwNotFound('Team')
}

type LinkContext = Pick<JobContext, 'platform'>

/** End the subscription that the link of an e-mail names. Idempotent. */
export async function unsubscribeByLink(
  { platform }: LinkContext,
  subscription: SubscriptionKey,
): Promise<void> {
  await queries.deleteSubscriptionByLink(platform, subscription)
}

/** Restore the subscription that the link of an e-mail names. Idempotent. */
export async function resubscribeByLink(
  { platform }: LinkContext,
  subscription: SubscriptionKey,
): Promise<void> {
  await queries.restoreSubscription.run(platform, subscription)
}

export type SweepContext = Pick<JobContext, 'platform' | 'openAccountScope'>

const reportsAtOnce = 500

/**
 * Send up to 500 reports that are due, until the time is over. Of concurrent calls only one stores the report
 * of a team and week, with its e-mails. A failed report is retried by the next call, before the later reports
 * of its team. Throw the first failure at the end.
 */
export async function sendDue(
  ctx: SweepContext,
  { budgetMs, now }: Pick<SweepOptions, 'budgetMs' | 'now'>,
): Promise<void> {
  const end = now() + budgetMs
  const failures = new Map<string, unknown>()
  for (const due of await queries.selectDueReports.all(ctx.platform, reportsAtOnce)) {
    if (now() >= end) break
    if (!failures.has(due.team_id))
      await sendReport(ctx, due).catch((error: unknown) => failures.set(due.team_id, error))
  }
  for (const error of failures.values()) throw error
}

async function sendReport(
  { platform, openAccountScope }: SweepContext,
  due: Parameters<typeof queries.sendReport.all>[1],
): Promise<void> {
  const report = await countWeek(openAccountScope(due.account_id).db, due.team_id, due.week)
  const mails = await queries.sendReport.all(platform, due, report)
  enqueueDeliveries(
    platform,
    mails.map(({ id }) => id),
  )
}

/**
 * Return the content of an e-mail with a report, and the name of the team; undefined when the report was
 * deleted.
 */
export async function writeContent(
  { platform, config }: Pick<JobContext, 'platform' | 'config'>,
  { account_id, report_id }: { account_id: string; report_id: string | null },
): Promise<{ team: WeeklyReport['team']; content: EmailContent } | undefined> {
  const [stored, { writeReportContent }] = await Promise.all([
    queries.selectSentReport(platform, account_id, report_id ?? ''),
    loadMail(),
  ])
  return (
    stored && { team: stored.content.team, content: writeReportContent(stored.content, config.FRONTEND_URL) }
  )
}
