import { retryWhileUnavailable } from '#db/retry.ts'
import type { JobContext } from '#http/job.ts'
import { type Released, releaseParts } from '#rules/audience.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { openWebhookSecrets } from '#vendors/webhooks/sealed-secrets.ts'
import type { WebhookResult } from '#vendors/webhooks/webhooks.ts'
import { recordAttempt, secondsUntilRetry } from '#work/attempts.ts'
import type { Work } from '#work/define-work.ts'
import { enqueueDeliveries } from '#work/deliveries.ts'
import { enqueueWaitingWebhook, enqueueWebhook } from '#work/webhooks.ts'
import * as queries from './queries.ts'

/** The parts of a context that an attempt needs. */
export type AttemptContext = Pick<JobContext, 'platform' | 'vault' | 'guard' | 'webhooks'>

// The schedule of the specification: together 75 hours.
const delays = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
const maxJitter = 0.1
// A webhook's log. Older deliveries are deleted, and all after 30 days.
const keptDeliveries = 10_000

export const work: Work<AttemptContext> = {
  kind: 'webhook',
  // A receiver may take 15 seconds. The other kinds of the sweep share the slots.
  parallel: 2,
  attempt: async (ctx, id, attempt) => void (await attemptDelivery(ctx, id, attempt)),
  claimDue: ({ platform }, limit) => queries.claimDueWebhooks.all(platform, limit),
  failAbandoned: async ({ platform }) => void (await queries.failAbandonedWebhooks.run(platform)),
}

/**
 * Make the first attempt in this request instead of through the queue, and return its result. Return
 * undefined if another worker makes it.
 */
export function deliverNow(ctx: AttemptContext, deliveryId: string): Promise<WebhookResult | undefined> {
  return attemptDelivery(ctx, deliveryId, 1)
}

async function attemptDelivery(
  ctx: AttemptContext,
  id: string,
  attempt: number,
): Promise<WebhookResult | undefined> {
  const row = await queries.claimAttempt.first(ctx.platform, id, attempt)
  if (!row) return undefined
  const claimed = { ...row, payload: await releasePayload(row) }
  const result = await send(ctx, claimed)
  await recordResult(ctx, claimed, result)
  return result
}

// Most requests send no webhook, so the patterns are loaded on first use.
const loadRelease = () => import('#rules/release.ts')

/** Statements write some messages themselves, so a message is released at its attempts. */
async function releasePayload({ payload, is_masked }: queries.ClaimedWebhook): Promise<Released<string>> {
  if (!is_masked) return releaseParts(payload)
  const { release } = await loadRelease()
  return releaseParts(JSON.stringify(release(JSON.parse(payload), true)))
}

type ReleasedWebhook = queries.ClaimedWebhook & { payload: Released<string> }

async function send(
  { guard, vault, webhooks }: AttemptContext,
  claimed: ReleasedWebhook,
): Promise<WebhookResult> {
  const { account_id, webhook_id, url, message_id, payload, secret, previous_secret } = claimed
  const refusal = await guard.findRefusal(url, 'sending')
  if (refusal) return createFailure(`The webhook address ${refusal}`)
  const owner = { accountId: account_id, webhookId: webhook_id }
  const sealed = previous_secret ? [secret, previous_secret] : [secret]
  const secrets = await openWebhookSecrets(vault, owner, sealed).catch(() => null)
  if (!secrets) return createFailure('The signing secret cannot be decrypted; rotate it')
  const result = await webhooks.send(url, { id: message_id, payload, secrets })
  const { maskAll } = await loadRelease()
  return { ...result, body: result.body && maskAll(result.body) }
}

function createFailure(error: string): WebhookResult {
  return {
    ok: false,
    status: null,
    error,
    isGone: false,
    retryAfterSeconds: undefined,
    body: null,
    durationMs: 0,
  }
}

/**
 * Record a result, then enqueue the next attempt and the deliveries that waited for this one. Switch the
 * webhook off if it is over.
 */
async function recordResult(
  ctx: AttemptContext,
  claimed: queries.ClaimedWebhook,
  result: WebhookResult,
): Promise<void> {
  const sendResult = toSendResult(result)
  const retrySeconds = chooseDelay(claimed, sendResult)
  recordAttempt('webhook', sendResult, retrySeconds)
  // If recording fails, the message is sent again once the lease has expired.
  const recordedAttempt = await retryWhileUnavailable(() =>
    queries.completeAttempt.one(ctx.platform, claimed, result, sendResult, retrySeconds),
  )
  if (!recordedAttempt.is_recorded) return
  if (recordedAttempt.is_over) {
    const { delivery_ids } = await queries.disableWebhook.one(
      ctx.platform,
      claimed,
      result.isGone ? 'gone' : 'failing',
    )
    return enqueueDeliveries(ctx.platform, delivery_ids)
  }
  if (retrySeconds !== null) enqueueWebhook(ctx.platform, claimed.id, claimed.attempts + 1, retrySeconds)
  for (const next of recordedAttempt.next) enqueueWaitingWebhook(ctx.platform, next)
}

function toSendResult({ ok, status, error, isGone, retryAfterSeconds }: WebhookResult): SendResult {
  if (ok) return { ok, status }
  return { ok, status, error: error ?? '', gone: isGone, retryAfterSeconds: retryAfterSeconds || undefined }
}

/**
 * Return the seconds until the next attempt, with up to 10 % added at random. A replay starts the schedule
 * again.
 */
function chooseDelay(
  { id, attempts, max_attempts, earlier_attempts }: queries.ClaimedWebhook,
  result: SendResult,
): number | null {
  const attempt = { id, attempts: attempts - earlier_attempts, max_attempts: max_attempts - earlier_attempts }
  const seconds = secondsUntilRetry(attempt, result, delays)
  return seconds === null ? null : Math.ceil(seconds * (1 + Math.random() * maxJitter))
}

/** Delete up to `limit` deliveries beyond the newest 10,000 of each webhook. Return their number. */
export function deleteOverflow(
  { platform }: Pick<AttemptContext, 'platform'>,
  limit: number,
): Promise<number> {
  return queries.deleteOverflow.run(platform, keptDeliveries, limit)
}
