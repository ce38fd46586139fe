import { limitConcurrency } from '#async/limit-concurrency.ts'
import { settleInTurn } from '#async/settle-all.ts'
import type { JobContext } from '#http/job.ts'
import { type CheckedLink, listLinks } from '#rules/flows/health/links.ts'
import { createLinkChecker, type LinkResult } from '#vendors/net/link-checker.ts'
import * as queries from './queries.ts'

const flowsPerRun = 5
/**
 * Workers allow six connections that wait for an answer.
 * https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections
 */
const parallelCalls = 4
const budgetMs = 20_000
const daysUntilNextCheck = 7
const daysAfterFailure = 1

export interface LinkCheckContext extends Pick<JobContext, 'platform' | 'guard'> {
  now?: () => number
}

/**
 * Check the links of up to five due flows. The cron trigger calls this each minute. After a failure, a crash
 * or the end of the time, the remaining flows are due again in ten minutes. Throw the first failure at the
 * end.
 */
export async function checkDueLinks(ctx: LinkCheckContext): Promise<void> {
  const { platform, guard, now = Date.now } = ctx
  const end = now() + budgetMs
  const check = createLinkChecker(guard)
  await settleInTurn(await queries.claimDueChecks.all(platform, flowsPerRun), async (claimed) => {
    if (now() < end) await checkFlow(platform, claimed, async (url) => (now() < end ? check(url) : null))
  })
}

/** Check the links of a flow and store the results. `check` returns null when the time is over. */
async function checkFlow(
  platform: LinkCheckContext['platform'],
  claimed: queries.ClaimedCheck,
  check: (url: string) => Promise<LinkResult | null>,
): Promise<void> {
  if (!claimed.tree_structure) return void (await queries.deleteCheck(platform, claimed))
  const earlier = new Map(claimed.links.map((link) => [link.url, link]))
  const limit = limitConcurrency({ running: parallelCalls })
  const results = await Promise.all(
    listLinks(claimed.tree_structure).map(({ url }) =>
      limit(async () => ({ url, result: await check(url) })),
    ),
  )
  const links = results.map(({ url, result }) => toCheckedLink(url, result, earlier.get(url)))
  const isRepeatedSoon =
    links.some(({ state }) => state === 'broken') || results.some(({ result }) => result === null)
  await queries.storeCheck.run(
    platform,
    claimed,
    links,
    isRepeatedSoon ? daysAfterFailure : daysUntilNextCheck,
  )
}

/**
 * Combine a result with the earlier check. Without a result, because the time was over, the link stays as it
 * was.
 */
function toCheckedLink(
  url: string,
  result: LinkResult | null,
  earlier: CheckedLink | undefined,
): CheckedLink {
  if (!result) return earlier ?? { url, state: 'not_checked', status: null, failures: 0 }
  return { url, ...result, failures: result.state === 'broken' ? (earlier?.failures ?? 0) + 1 : 0 }
}
