import { encodeCursor, newestFirst, type Page, type PageQuery, toPage } from '#db/page.ts'
import { getViolatedConstraint } from '#db/sqlstate.ts'
import * as deliveries from '#functions/notifications/deliveries/service.ts'
import { requireAllowedAddress } from '#http/allowed-address.ts'
import { type Context, JsonText, type ReadContext, type WriteContext } from '#http/operation.ts'
import { invalidField, Problem, throwNotFound } from '#problem.ts'
import { type EventKey, eventKeys } from '#rules/events/keys.ts'
import { sealSigningSecret } from '#vendors/chat/signing.ts'
import { enqueueDelivery } from '#work/deliveries.ts'
import * as queries from './queries.ts'
import { type NotificationConfigCreate, type NotificationConfigUpdate, signingMessage } from './schemas.ts'

type PlatformContext = Context<'post', 'team_admin', string>
type ConfigRow = NonNullable<Awaited<ReturnType<typeof queries.selectConfig>>>
type DeliveryRow = Awaited<ReturnType<typeof queries.selectDelivery>>

export async function listConfigs({ db, config }: ReadContext, page: PageQuery) {
  const rows = toPage(await queries.selectConfigs(db, page), page, newestFirst)
  return mapPage(rows, (row) => toConfig(row, config))
}

export async function createConfig(ctx: WriteContext, input: NotificationConfigCreate) {
  await requireAllowedAddress(ctx, 'webhook_url', input.webhook_url || null)
  return toConfig(await queries.insertConfig(ctx.db, await sealSecret(ctx, input)), ctx.config)
}

export async function updateConfig(ctx: WriteContext, id: string, change: NotificationConfigUpdate) {
  const { db } = ctx
  await requireAllowedAddress(ctx, 'webhook_url', change.webhook_url || null)
  const row =
    Object.keys(change).length === 0
      ? queries.selectConfig(db, id)
      : queries.updateConfig(db, id, await sealSecret(ctx, change))
  return toConfig((await row.catch(throwMissingAddress)) ?? throwNotFound('Config'), ctx.config)
}

/** Encrypt the signing secret of an input. Undefined leaves it as it is, and null removes it. */
async function sealSecret<T extends { signing_secret?: string | null | undefined }>(
  { vault, caller }: WriteContext,
  input: T,
): Promise<T> {
  const secret = input.signing_secret
  return secret
    ? { ...input, signing_secret: await sealSigningSecret(vault, caller.accountId, secret) }
    : input
}

export async function deleteConfig({ db }: WriteContext, id: string) {
  if (!(await queries.deleteConfig(db, id))) throwNotFound('Config')
}

export async function testConfig(ctx: PlatformContext, configId: string) {
  const test = (await queries.insertTestDelivery(ctx.db, configId, ctx.workId)) ?? throwNotFound('Config')
  const earlier = ctx.isRepeat ? await queries.selectDelivery(ctx.db, test.id) : undefined
  const result =
    earlier?.state === 'failed' || earlier?.state === 'delivered'
      ? toResult(earlier)
      : await deliveries.deliverNow(ctx, test.id)
  return result.ok
    ? { success: true, message: 'The test message was accepted' }
    : { success: false, message: result.error }
}

function toResult({ state, last_error }: { state: string; last_error: string | null }) {
  return state === 'delivered' ? { ok: true as const } : { ok: false as const, error: last_error ?? '' }
}

export async function listDeliveries({ db }: ReadContext, configId: string, page: PageQuery) {
  const [configs, rows] = await queries.selectDeliveries(db, configId, page)
  if (configs.length === 0) throwNotFound('Config')
  return mapPage(toPage(rows, page, newestFirst), toDelivery)
}

export async function retryDelivery({ db }: WriteContext, id: string) {
  const { is_reopened, previous_state } =
    (await queries.reopenDelivery.first(db, id)) ?? throwNotFound('Delivery')
  if (!is_reopened)
    throw new Problem('not_failed', `Only a failed delivery can be retried; this one is ${previous_state}`)
  const row = await queries.selectDelivery(db, id)
  enqueueDelivery(db, id, row.attempts + 1)
  return toDelivery(row)
}

export async function listEventKeys() {
  return Object.entries(eventKeys).map(([key, description]) => ({ key: key as EventKey, description }))
}

export async function list({ callFunction }: ReadContext, page: PageQuery) {
  const row = await queries.selectNotifications(callFunction, page)
  return new JsonText(row?.body ?? '[]', row?.last ? { after: encodeCursor(JSON.parse(row.last)) } : null)
}

export async function countUnread({ callFunction }: ReadContext) {
  return new JsonText((await queries.countUnread(callFunction))?.body ?? '')
}

export async function markRead({ callFunction }: WriteContext, id: string) {
  const row = await queries.markRead(callFunction, id)
  return new JsonText(row?.body ?? throwNotFound('Notification'))
}

export async function markAllRead({ db, caller }: WriteContext) {
  await queries.markAllRead(db, caller.userId)
  // The response is the unread count after the update.
  return { count: 0 }
}

/**
 * Throw 422 when an update would leave a channel without its address or with a secret, which violates a check constraint.
 * Rethrow any other error.
 */
function throwMissingAddress(error: unknown): never {
  const field = {
    notification_configs_webhook: 'webhook_url',
    notification_configs_addresses: 'email_addresses',
  }[getViolatedConstraint(error) ?? '']
  if (getViolatedConstraint(error) === 'notification_configs_signing')
    throw invalidField(['body', 'signing_secret'], signingMessage)
  throw field ? invalidField(['body', field], 'is required for the channel of this config', 'missing') : error
}

function mapPage<Row, Item>({ items, next }: Page<Row>, convert: (row: Row) => Item): Page<Item> {
  return { items: items.map(convert), next }
}

// The generated column types are text and JSON. These functions narrow them to what the database's checks
// allow.
function toConfig(row: ConfigRow, { PUBLIC_BASE_URL }: ReadContext['config']) {
  const actions_url =
    row.channel === 'chat1_webhook' ? `${PUBLIC_BASE_URL}/api/v1/chat/${row.id}/actions` : null
  return { ...row, actions_url } as ConfigRow & {
    actions_url: string | null
    channel: NotificationConfigCreate['channel']
    email_addresses: string[] | null
    events_enabled: EventKey[]
  }
}

function toDelivery(row: DeliveryRow) {
  return row as DeliveryRow & {
    config_id: string
    event_key: EventKey | null
    channel: NotificationConfigCreate['channel']
    state: 'pending' | 'retrying' | 'delivered' | 'failed'
  }
}
