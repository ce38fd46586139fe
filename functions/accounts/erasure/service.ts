import { settleInTurn } from '#async/settle-all.ts'
import { accountBatches } from '#db/erasure.ts'
import { type JobContext, logFailure } from '#http/job.ts'
import * as queries from './queries.ts'

export type ErasureContext = Pick<
  JobContext,
  'platform' | 'billing' | 'mail' | 'realtime' | 'uploads' | 'log'
>

interface ErasureOptions {
  /** Time for all accounts together, in milliseconds. */
  budgetMs: number
  now: () => number
}
const defaultOptions: ErasureOptions = { budgetMs: 20_000, now: Date.now }
const maxStarted = 10

/**
 * Erase the accounts whose grace period is over. The cron trigger calls this each minute. Each step can be
 * repeated: what a crash or the end of the time leaves is erased in the next minute. An account that fails is
 * logged and does not stop the others. Throw the first failure at the end.
 */
export async function eraseDueAccounts(
  ctx: ErasureContext,
  options: Partial<ErasureOptions> = {},
): Promise<void> {
  const { budgetMs, now } = { ...defaultOptions, ...options }
  const end = now() + budgetMs
  await queries.startErasures.run(ctx.platform, maxStarted, ctx.mail.isConfigured)
  await settleInTurn(await queries.selectOpenErasures(ctx.platform), ({ id }) =>
    logFailure(
      ctx,
      { erasure_failed: id },
      eraseAccount(ctx, id, () => now() >= end),
    ),
  )
}

type IsOver = () => boolean

async function eraseAccount(ctx: ErasureContext, id: string, isOver: IsOver): Promise<void> {
  const account = await queries.selectBillingCustomers.first(ctx.platform, id)
  if (account) {
    for (const customerId of account.customer_ids) await deleteBillingCustomer(ctx, id, customerId)
    await ctx.realtime.forget(id)
    if (!(await eraseRows(ctx, id, isOver))) return
    if (!(await queries.eraseAccount.one(ctx.platform, id)).is_erased) return
  }
  // After the row of the account, so that no request can add an object.
  if (!(await eraseObjects(ctx, id, isOver))) return
  await ctx.realtime.forget(id, { isErased: true })
  await queries.forgetObjects.run(ctx.platform, id)
  // The log outlives the database, from which a restore of an older state removes the record.
  if ((await queries.finishErasure.one(ctx.platform, id)).is_finished) ctx.log({ account_erased: id })
}

/**
 * Delete the customer at the billing provider. Throw when the provider fails. Without a provider, only record
 * that the customer is left.
 */
async function deleteBillingCustomer(
  { platform, billing }: ErasureContext,
  id: string,
  customerId: string,
): Promise<void> {
  const result = await billing.deleteCustomer(customerId)
  if (!result.ok && result.reason === 'failed')
    throw new Error('The billing provider did not delete the customer')
  await queries.clearBillingCustomer.run(platform, id, customerId, result.ok ? 'deleted' : result.reason)
}

/** Delete the rows of an account in batches. Return false when the time is over. */
async function eraseRows({ platform }: ErasureContext, id: string, isOver: IsOver): Promise<boolean> {
  for (const { table, limit } of accountBatches) {
    do if (isOver()) return false
    while ((await queries.eraseRows.one(platform, id, table, limit)).deleted === limit)
  }
  return true
}

/** Delete the objects of an account, also those without a row. Return false when the time is over. */
async function eraseObjects(
  { platform, uploads }: ErasureContext,
  id: string,
  isOver: IsOver,
): Promise<boolean> {
  for (;;) {
    if (isOver()) return false
    const removed = await uploads.removeFolder(`accounts/${id}`)
    if (removed === 0) return true
    await queries.countObjects.run(platform, id, removed)
  }
}
