import { type Page, type PageQuery, toPage } from '../../../lib/db/page.ts'
import { violated } from '../../../lib/db/sqlstate.ts'
import { type EventKey, eventKeys } from '../../../lib/events/keys.ts'
import { deliveryMessage } from '../../../lib/events/outbox.ts'
import { type Context, JsonText, type Reader, type Writer } from '../../../lib/http/operation.ts'
import type { OutboundGuard } from '../../../lib/net/guard.ts'
import { invalid, Problem } from '../../../lib/problem.ts'
import * as jobs from '../deliveries/service.ts'
import * as queries from './queries.ts'
import type { NotificationConfigCreate, NotificationConfigUpdate } from './schemas.ts'

type Platform = Context<'post', 'team_admin', string>
type ConfigRow = NonNullable<Awaited<ReturnType<typeof queries.selectConfig>>>
type DeliveryRow = Awaited<ReturnType<typeof queries.selectDelivery>>

export async function listConfigs({ db }: Reader, { skip, limit }: PageQuery) {
  return present(toPage(await queries.selectConfigs(db, skip, limit), limit), config)
}

export async function createConfig({ db, guard }: Writer, input: NotificationConfigCreate) {
  await requireOutside(guard, input.webhook_url)
  return config(await queries.insertConfig(db, input))
}

export async function updateConfig({ db, guard }: Writer, id: string, change: NotificationConfigUpdate) {
  await requireOutside(guard, change.webhook_url)
  const row = Object.keys(change).length === 0 ? queries.selectConfig(db, id) : queries.updateConfig(db, id, change)
  return config((await row.catch(explainUnreachable)) ?? missing('Config'))
}

export async function removeConfig({ db }: Writer, id: string) {
  if (!(await queries.deleteConfig(db, id))) missing('Config')
}

export async function testConfig(ctx: Platform, configId: string) {
  const test = (await queries.insertTest(ctx.db, configId)) ?? missing('Config')
  const sent = await jobs.deliverNow(ctx, test.id)
  return sent.ok ? { success: true, message: 'The test message was accepted' } : { success: false, message: sent.error }
}

export async function listDeliveries({ db }: Reader, configId: string, { skip, limit }: PageQuery) {
  const [found, rows] = await queries.selectDeliveries(db, configId, skip, limit)
  if (found.length === 0) missing('Config')
  return present(toPage(rows, limit), delivery)
}

export async function retryDelivery({ db, after, queue }: Writer, id: string) {
  const found = (await queries.reopenDelivery(db, id)) ?? missing('Delivery')
  if (!found.reopened) throw new Problem('conflict', `Only a failed delivery is retried by hand; this one is ${found.was}`)
  const row = await queries.selectDelivery(db, id)
  after(() => queue.publish([deliveryMessage(id, row.attempts + 1)]))
  return delivery(row)
}

export async function listEventKeys() {
  return Object.entries(eventKeys).map(([key, description]) => ({ key: key as EventKey, description }))
}

export async function list({ entering }: Reader, { skip, limit }: PageQuery) {
  const page = await queries.selectNotifications(entering, skip, limit)
  return new JsonText(page?.body ?? '[]', page?.more)
}

export async function countUnread({ entering }: Reader) {
  return new JsonText((await queries.countUnread(entering))?.body ?? '')
}

export async function read({ entering }: Writer, id: string) {
  const row = await queries.markRead(entering, id)
  return new JsonText(row?.body ?? missing('Notification'))
}

export async function markAllRead({ db, caller }: Writer) {
  await queries.markAllRead(db, caller.userId)
  return { count: 0 }
}

function missing(what: string): never {
  throw new Problem('not_found', `${what} not found`)
}

async function requireOutside(guard: OutboundGuard, webhookUrl: string | null | undefined): Promise<void> {
  const refusal = webhookUrl ? await guard.refusal(webhookUrl, 'saving') : null
  if (refusal) throw invalid([{ loc: ['body', 'webhook_url'], msg: refusal, type: 'webhook_url' }])
}

/** A change may not leave a channel without its address; the database decides on the row as it would be. */
function explainUnreachable(error: unknown): never {
  const field = { notification_configs_webhook: 'webhook_url', notification_configs_addresses: 'email_addresses' }[violated(error) ?? '']
  throw field ? invalid([{ loc: ['body', field], msg: 'Required for the channel this config would have', type: 'missing' }]) : error
}

function present<Row, Item>({ items, more }: Page<Row>, shape: (row: Row) => Item): Page<Item> {
  return { items: items.map(shape), more }
}

// The columns are text and JSON checked by the database; these say what it holds.
function config(row: ConfigRow) {
  return row as ConfigRow & { channel: NotificationConfigCreate['channel']; email_addresses: string[] | null; events_enabled: EventKey[] }
}

function delivery(row: DeliveryRow) {
  return row as DeliveryRow & {
    config_id: string
    event_key: EventKey | null
    channel: NotificationConfigCreate['channel']
    state: 'pending' | 'retrying' | 'delivered' | 'failed'
  }
}
