import { inTransaction } from '#db/scope.ts'
import { uuidv7 } from '#db/uuid.ts'
import { requireAllowedAddress } from '#http/allowed-address.ts'
import type { JobContext } from '#http/job.ts'
import type { Context, ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, limitReached, Problem, throwNotFound } from '#problem.ts'
import { type Released, releaseParts } from '#rules/audience.ts'
import { writePushTitle } from '#rules/events/push-titles.ts'
import { release } from '#rules/release.ts'
import { removeLinks } from '#rules/text/plain-name.ts'
import { sha256Base64url, sha256Bytea } from '#vendors/auth/hash.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { isBrowserKey } from '#vendors/web-push/encrypt.ts'
import { openSubscription, sealSubscription } from '#vendors/web-push/sealed-subscription.ts'
import type { PushMessage } from '#vendors/web-push/web-push.ts'
import type { ClaimedDelivery } from '#work/claimed-deliveries.ts'
import { findMatter } from '#work/delivery-matters.ts'
import * as queries from './queries.ts'
import type * as schemas from './schemas.ts'

export type PushContext = Pick<JobContext, 'platform' | 'config' | 'guard' | 'vault' | 'webPush'>

type PlatformContext = Context<'post', 'user', string>

const maxBrowsers = 10

export async function list({ db, caller, webPush }: ReadContext): Promise<schemas.PushSubscriptions> {
  // A read is answered without asking for the providers first.
  if (!webPush.isConfigured) throw new Problem('web_push_not_configured')
  const [application_server_key, subscriptions] = await Promise.all([
    webPush.getPublicKey(),
    queries.selectBrowsers.all(db, caller.userId, caller.signInId),
  ])
  return { application_server_key, subscriptions }
}

/** Store the browser of the caller's sign-in. A repetition keeps its id, so that what waits for it arrives. */
export async function create(
  ctx: PlatformContext,
  { endpoint, keys }: schemas.PushSubscriptionCreate,
): Promise<schemas.PushSubscription> {
  const { caller, platform, vault } = ctx
  await requireAllowedAddress(ctx, 'endpoint', endpoint)
  if (!(await isBrowserKey(keys.p256dh)))
    throw invalidField(['body', 'keys', 'p256dh'], 'must be a public key of the curve P-256')
  const owner = { accountId: caller.accountId, userId: caller.userId, signInId: caller.signInId }
  const endpointHash = await sha256Bytea(endpoint)
  return inTransaction(platform, async (db) => {
    await queries.lockBrowsers.run(db, caller.userId, endpointHash)
    const own = await queries.selectOwn.one(db, owner)
    if (own.id === null && own.others >= maxBrowsers)
      throw limitReached('browsers', maxBrowsers, `You have ${maxBrowsers} browsers; delete one first`)
    const id = own.id ?? uuidv7()
    const sealed = await sealSubscription(vault, caller.accountId, id, { endpoint, ...keys })
    await queries.deleteOthersOfEndpoint.run(db, id, endpointHash)
    return queries.upsertBrowser.one(db, { ...owner, id, endpointHash, sealed })
  })
}

export async function remove({ db, caller }: WriteContext, id: string): Promise<void> {
  if ((await queries.deleteBrowser.run(db, caller.userId, id)) === 0) throwNotFound('Browser')
}

/** Send a claimed message to its browser. A browser that takes no more messages is forgotten. */
export async function send(ctx: PushContext, claimed: ClaimedDelivery): Promise<SendResult> {
  if (!ctx.webPush.isConfigured) return refuse('Web Push is not set up')
  const browser = await queries.selectBrowser.first(ctx.platform, claimed)
  if (!browser) return refuse('The browser has signed out, or takes no more messages')
  const subscription = await openSubscription(ctx.vault, claimed.account_id, browser.id, browser.sealed)
  const refusal = await ctx.guard.findRefusal(subscription.endpoint, 'sending')
  if (refusal) return { ok: false, status: null, error: `The address of the push service ${refusal}` }
  const result = await ctx.webPush.send(subscription, await writeMessage(ctx, claimed))
  // Before the result of the attempt, so that a crash between them repeats both.
  if (!result.ok && result.isRemoved) await queries.deleteEndedBrowser.run(ctx.platform, claimed)
  return result
}

const refuse = (error: string) => ({ ok: false as const, status: null, error, gone: true })

/** Write what the browser shows: the kind of the message, or its texts if the account allows them. */
async function writeMessage(
  { config }: Pick<PushContext, 'config'>,
  delivery: ClaimedDelivery,
): Promise<Released<PushMessage>> {
  const { event_key, title, body, link, escalation, shows_details, is_masked } = delivery
  const shown = shows_details && title !== null
  const texts = release({ title: title ?? '', body: body ?? '' }, is_masked)
  return releaseParts({
    title: shown ? removeLinks(texts.title) : writePushTitle(event_key, escalation),
    body: shown ? texts.body : event_key === null ? 'Alerts arrive here.' : 'Open it to see more.',
    url: config.FRONTEND_URL + (link ?? '/settings/notifications'),
    topic: (await sha256Base64url(findMatter(delivery) ?? delivery.id)).slice(0, 32),
  })
}
