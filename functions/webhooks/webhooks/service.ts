import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import { uuidv7 } from '#db/uuid.ts'
import * as attempts from '#functions/webhooks/attempts/service.ts'
import { requireAllowedAddress } from '#http/allowed-address.ts'
import type { Context, ReadContext, WriteContext } from '#http/operation.ts'
import { Problem, throwNotFound } from '#problem.ts'
import { sealWebhookSecret } from '#vendors/webhooks/sealed-secrets.ts'
import { createWebhookSecret } from '#vendors/webhooks/sign.ts'
import { enqueueWaitingWebhook } from '#work/webhooks.ts'
import * as queries from './queries.ts'
import type {
  DeliveryQuery,
  Webhook,
  WebhookCreate,
  WebhookReplay,
  WebhookTestResult,
  WebhookUpdate,
  WebhookWithSecret,
} from './schemas.ts'

type PlatformContext = Context<'post', 'account_admin', string>

const testMessage = 'This is a test. Your receiver has verified the signature if it accepts this message.'

export async function list({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectWebhooks.all(db, page), page, newestFirst)
}

/** Create a webhook with a new secret. This answer is the only one that shows it. */
export async function create(ctx: WriteContext, input: WebhookCreate): Promise<WebhookWithSecret> {
  await requireAllowedAddress(ctx, 'url', input.url)
  const id = uuidv7()
  const { secret, sealed } = await createSecret(ctx, id)
  return { ...(await queries.insertWebhook.one(ctx.db, { ...input, id, secret: sealed })), secret }
}

export async function update(ctx: WriteContext, id: string, change: WebhookUpdate): Promise<Webhook> {
  const { db } = ctx
  await requireAllowedAddress(ctx, 'url', change.url)
  const isUnchanged = Object.keys(change).length === 0
  const row = isUnchanged
    ? await queries.selectWebhook.first(db, id)
    : await queries.updateWebhook.first(db, id, change)
  return row ?? throwNotFound('Webhook')
}

/** Delete a webhook with its log. An attempt that is running ends without a record. */
export async function remove({ db }: WriteContext, id: string): Promise<void> {
  if (!(await queries.deleteWebhook(db, id))) throwNotFound('Webhook')
}

export async function rotateSecret(ctx: WriteContext, id: string): Promise<WebhookWithSecret> {
  const { secret, sealed } = await createSecret(ctx, id)
  const row = (await queries.rotateSecret.first(ctx.db, id, sealed)) ?? throwNotFound('Webhook')
  return { ...row, secret }
}

/** Send a test message, also to a webhook that is switched off. */
const successMessage = 'The receiver accepted the message'

export async function test(ctx: PlatformContext, id: string): Promise<WebhookTestResult> {
  const delivery =
    (await queries.insertTest.first(ctx.db, id, testMessage, ctx.workId)) ?? throwNotFound('Webhook')
  const earlier = ctx.isRepeat
    ? await queries.selectTestResult.first(ctx.db, delivery.id, successMessage)
    : undefined
  if (earlier) return earlier
  const result = await attempts.deliverNow(ctx, delivery.id)
  if (!result) return { success: false, message: 'The webhook was deleted', status: null, duration_ms: null }
  const { ok, error, status, durationMs } = result
  return { success: ok, message: error ?? successMessage, status, duration_ms: durationMs }
}

export async function listDeliveries({ db }: ReadContext, id: string, query: DeliveryQuery & PageQuery) {
  const [webhooks, rows] = await db.batch([
    queries.selectWebhook.query(id),
    queries.selectDeliveries(db, id, query),
  ])
  if (webhooks.length === 0) throwNotFound('Webhook')
  return toPage(rows, query, newestFirst)
}

export async function replay({ db }: WriteContext, id: string, input: WebhookReplay) {
  const webhook = (await queries.selectWebhook.first(db, id)) ?? throwNotFound('Webhook')
  if (!webhook.is_active) throw new Problem('wrong_state', 'The webhook is switched off; switch it on first')
  const { is_known, queued, due } = await queries.replayDeliveries.one(db, id, input)
  if (!is_known) throwNotFound('Delivery')
  for (const row of due) enqueueWaitingWebhook(db, row)
  return { queued }
}

async function createSecret({ vault, caller }: Pick<WriteContext, 'vault' | 'caller'>, webhookId: string) {
  const secret = createWebhookSecret()
  return {
    secret,
    sealed: await sealWebhookSecret(vault, { accountId: caller.accountId, webhookId }, secret),
  }
}
