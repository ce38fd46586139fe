import { limitConcurrency } from '#async/limit-concurrency.ts'
import { retryWhileUnavailable } from '#db/retry.ts'
import { toDatabaseProblem } from '#db/sqlstate.ts'
import * as messages from '#functions/notifications/messages/service.ts'
import type { JobContext } from '#http/job.ts'
import type { Mail, MailResult } from '#vendors/mail/mail.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { recordAttempt, secondsUntilRetry } from '#work/attempts.ts'
import type { ClaimedDelivery } from '#work/claimed-deliveries.ts'
import { enqueueDelivery, postponeDelivery } from '#work/deliveries.ts'
import { claimMails, completeMails, type MailOutcome, pauseMails, selectWait } from './queries.ts'

export type MailContext = messages.MessageContext &
  Pick<JobContext, 'mail'> & {
    /** Wait for some milliseconds. Tests move their clock instead. */
    wait?: (ms: number) => Promise<void>
  }

// A job waits this long for its turn. Then its message goes back to the queue.
const maxWaitMs = 2000
const jitterMs = 100
const maxParallelWrites = 6

/**
 * Make one attempt at an e-mail, and send other due e-mails in the same call. Return the result of this
 * e-mail, or undefined when there is nothing to do.
 */
export async function send(ctx: MailContext, id: string, attempt: number): Promise<SendResult | undefined> {
  const claimed = await claimInTurn(ctx, id, attempt)
  if (!Array.isArray(claimed)) return claimed
  const { written, refused } = await prepare(ctx, claimed)
  // Before the call, so that a repetition has the same e-mails: the provider would refuse the key for others.
  if (refused.length > 0) await recordResults(ctx, refused)
  const sent = written.length > 0 ? await sendCall(ctx, written, claimed[0]?.batch_key ?? id) : []
  return [...refused, ...sent].find(({ delivery }) => delivery.id === id)?.result
}

/** Send e-mails in one call, and record the result of each delivery. */
async function sendCall(
  ctx: MailContext,
  written: readonly WrittenDelivery[],
  key: string,
): Promise<DeliveryResult[]> {
  const mails = written.flatMap((item) =>
    item.mails.map((mail) => ({ ...mail, deliveryId: item.delivery.id })),
  )
  const results = splitResult(written, await ctx.mail.send(mails, key))
  await recordResults(ctx, results)
  return results
}

/**
 * Wait for the turn of an attempt and claim it. Postpone it and return a failed result if its turn is too
 * late. Return undefined if it is over.
 */
async function claimInTurn(
  ctx: MailContext,
  id: string,
  attempt: number,
): Promise<ClaimedDelivery[] | SendResult | undefined> {
  const { wait = sleep } = ctx
  const paceSeconds = 1 / ctx.config.MAIL_CALLS_PER_SECOND
  for (let waitedMs = 0; ; ) {
    const claimed = await claimMails.all(ctx.platform, id, attempt, paceSeconds)
    if (claimed.length > 0) return claimed
    const turn = await selectWait.first(ctx.platform, id, attempt, paceSeconds)
    if (!turn) return undefined
    // Jitter, so that waiting jobs do not all ask at the same moment.
    const ms = turn.wait_ms + Math.random() * jitterMs
    if (waitedMs + ms > maxWaitMs) {
      postponeDelivery(ctx.platform, id, attempt, (ms + Math.random() * maxWaitMs) / 1000)
      return { ok: false, status: null, error: 'Too many e-mails are being sent; this one follows soon' }
    }
    await wait(ms)
    waitedMs += ms
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

interface WrittenDelivery {
  delivery: ClaimedDelivery
  mails: Mail[]
  note?: string
}

interface DeliveryResult {
  delivery: ClaimedDelivery
  result: MailResult
}

/** Write the e-mails of a call. Return those that are sent, and why the others are not. */
async function prepare(
  ctx: MailContext,
  claimed: readonly ClaimedDelivery[],
): Promise<{ written: WrittenDelivery[]; refused: DeliveryResult[] }> {
  const slots = limitConcurrency({ running: maxParallelWrites })
  // A repeated call with the same key must contain the e-mails in the same order.
  const sorted = [...claimed].sort((a, b) => (a.id < b.id ? -1 : 1))
  const prepared = await Promise.all(
    sorted.map(async (delivery) => ({
      delivery,
      ...(await slots(() => messages.writeMails(ctx, delivery)).catch(toRefusal)),
    })),
  )
  return {
    written: prepared.flatMap((item) => ('mails' in item ? item : [])),
    refused: prepared.flatMap((item) =>
      'refusal' in item ? { delivery: item.delivery, result: item.refusal } : [],
    ),
  }
}

/**
 * An e-mail that cannot be written must not stop the others of its call. Its status makes its next attempt a
 * call of its own with a key of its own, because the key of this call may be its id. Without the database no
 * call is made: a repeated one would lack e-mails.
 */
function toRefusal(error: unknown): { refusal: SendResult } {
  if (toDatabaseProblem(error)?.kind === 'unavailable') throw error
  return {
    refusal: {
      ok: false,
      status: 422,
      error: `The e-mail could not be written: ${error instanceof Error ? error.name : 'unknown'}`,
    },
  }
}

/** Return the result of each delivery of a call. */
function splitResult(written: readonly WrittenDelivery[], result: MailResult): DeliveryResult[] {
  let place = 0
  return written.map(({ delivery, mails, note }) => {
    const failures = mails.flatMap((_, index) => result.failures?.get(place + index) ?? [])
    place += mails.length
    if (!result.ok) return { delivery, result }
    // The next attempt repeats the e-mails that were not refused.
    const failure =
      failures.find(({ isRefused }) => !isRefused) ??
      (failures.length === mails.length ? failures[0] : undefined)
    if (failure) return { delivery, result: failure }
    const notes = [
      ...(note ? [note] : []),
      ...(failures.length > 0
        ? [`the mail provider refused ${failures.length} of ${mails.length} e-mails`]
        : []),
    ]
    return {
      delivery,
      result: { ok: true, status: result.status, note: notes.length > 0 ? notes.join('; ') : undefined },
    }
  })
}

/**
 * Record the results and enqueue the next attempts. If recording fails, the same call is made again once the
 * leases have expired.
 */
async function recordResults(ctx: MailContext, results: readonly DeliveryResult[]): Promise<void> {
  const pauseSeconds = Math.max(
    0,
    ...results.map(({ result }) => (isPostponed(result) && result.retryAfterSeconds) || 0),
  )
  if (pauseSeconds > 0) await retryWhileUnavailable(() => pauseMails.run(ctx.platform, pauseSeconds))
  const outcomes = results.map(toOutcome)
  for (const { state, retry_seconds } of outcomes)
    recordAttempt('email', { ok: state === 'delivered' }, retry_seconds)
  const recorded = await retryWhileUnavailable(() => completeMails.all(ctx.platform, outcomes))
  const recordedIds = new Set(recorded.map(({ id }) => id))
  for (const { id, attempts, retry_seconds, is_postponed } of outcomes) {
    if (retry_seconds === null || !recordedIds.has(id)) continue
    if (is_postponed) postponeDelivery(ctx.platform, id, attempts, retry_seconds)
    else enqueueDelivery(ctx.platform, id, attempts + 1, retry_seconds)
  }
}

const isPostponed = (result: MailResult): result is MailResult & { ok: false } =>
  !result.ok && result.isPostponed === true

function toOutcome({ delivery, result }: DeliveryResult): MailOutcome {
  // After a day, a provider that is always busy counts as a failure.
  const is_postponed = isPostponed(result) && !delivery.is_old
  const retry_seconds = is_postponed
    ? (result.retryAfterSeconds ?? 0) + Math.random()
    : secondsUntilRetry(delivery, result)
  return {
    id: delivery.id,
    attempts: delivery.attempts,
    state: result.ok ? 'delivered' : retry_seconds === null ? 'failed' : 'retrying',
    status: result.status,
    error: result.ok ? (result.note ?? null) : result.error,
    retry_seconds,
    is_postponed,
    // An attempt before a refused one may have been accepted, and its result is unknown when the worker died.
    keeps_key: result.isUncertain === true || (result.isUnread === true && delivery.attempts > 1),
  }
}
