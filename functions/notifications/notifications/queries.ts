import { type SelectExpression, sql } from 'kysely'
import * as z from 'zod'
import { jsonb, now } from '#db/expressions.ts'
import { newestFirst, type Order, type PageQuery, readCursor, selectPage } from '#db/page.ts'
import type { DB } from '#db/schema.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { CallFunction } from '#http/operation.ts'
import type { ConfigProblem, NotificationConfigCreate, NotificationConfigUpdate } from './schemas.ts'

const configColumns = [
  sql<ConfigProblem[]>`app.list_mail_problems(email_addresses)`.as('email_problems'),
  'id',
  'account_id',
  'channel',
  'webhook_url',
  'email_addresses',
  'events_enabled',
  sql<boolean>`signing_secret is not null`.as('has_signing_secret'),
  'disconnected_at',
  'created_at',
] as const
const deliveryColumns = [
  'id',
  'config_id',
  'event_key',
  'channel',
  'state',
  'attempts',
  'last_error',
  'last_status_code',
  'next_attempt_at',
  'delivered_at',
  'created_at',
] as const satisfies readonly SelectExpression<DB, 'deliveries'>[]

export function selectConfigs(db: ReadDb, page: PageQuery) {
  return db
    .selectFrom('notification_configs')
    .select(configColumns)
    .$call(selectPage(newestFirst, page))
    .execute()
}

export function selectConfig(db: ReadDb, id: string) {
  return db.selectFrom('notification_configs').select(configColumns).where('id', '=', id).executeTakeFirst()
}

export function insertConfig(
  db: WriteDb,
  { email_addresses, events_enabled, ...columns }: NotificationConfigCreate,
) {
  return db
    .insertInto('notification_configs')
    .values({
      ...columns,
      email_addresses: email_addresses && jsonb(email_addresses),
      events_enabled: jsonb(events_enabled),
    })
    .returning(configColumns)
    .executeTakeFirstOrThrow()
}

/** Update the columns that are not undefined. Return undefined for an unknown config. */
export function updateConfig(
  db: WriteDb,
  id: string,
  { email_addresses, events_enabled, ...columns }: NotificationConfigUpdate,
) {
  return db
    .updateTable('notification_configs')
    .set({
      ...columns,
      ...(columns.webhook_url === undefined ? {} : { disconnected_at: null }),
      email_addresses: email_addresses && jsonb(email_addresses),
      events_enabled: events_enabled && jsonb(events_enabled),
    })
    .where('id', '=', id)
    .returning(configColumns)
    .executeTakeFirst()
}

export async function deleteConfig(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('notification_configs')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Select the config's id and its deliveries, newest first, in one round trip. */
export function selectDeliveries(db: ReadDb, configId: string, page: PageQuery) {
  return db.batch([
    db.selectFrom('notification_configs').select('id').where('id', '=', configId),
    db
      .selectFrom('deliveries')
      .select(deliveryColumns)
      .where('config_id', '=', configId)
      .$call(selectPage(newestFirst, page)),
  ])
}

/**
 * Insert the delivery of a test message, unless this work has. It gets a single attempt. Return undefined for
 * an unknown config.
 */
export function insertTestDelivery(
  db: WriteDb,
  configId: string,
  workId: string,
): Promise<{ id: string } | undefined> {
  return db
    .insertInto('deliveries')
    .columns(['id', 'config_id', 'channel', 'max_attempts'])
    .expression((eb) =>
      eb
        .selectFrom('notification_configs')
        .select([
          sql<string>`${workId}::uuid`.as('id'),
          'id as config_id',
          'channel',
          eb.lit(1).as('max_attempts'),
        ])
        .where('id', '=', configId),
    )
    .onConflict((on) => on.column('id').doUpdateSet({ max_attempts: 1 }))
    .returning('id')
    .executeTakeFirst()
}

/**
 * Make a delivery due for one more attempt if it has failed. The row has its previous state; there is none
 * for an unknown delivery.
 */
export const reopenDelivery = writeStatement(
  z.object({ previous_state: z.string(), is_reopened: z.boolean() }),
  (id: string) => sql`
    with delivery as (select id, state from deliveries where id = ${id} and config_id is not null),
    reopened_delivery as (
      update deliveries d set state = 'retrying', max_attempts = d.attempts + 1, next_attempt_at = app.now(), leased_until = null
       where d.id = ${id} and d.config_id is not null and d.state = 'failed' returning d.id
    )
    select state as previous_state, exists (select from reopened_delivery) as is_reopened from delivery`,
)

export function selectDelivery(db: ReadDb, id: string) {
  return db.selectFrom('deliveries').select(deliveryColumns).where('id', '=', id).executeTakeFirstOrThrow()
}

/** Unread ones first, then the newest. */
const inboxOrder: Order = [{ field: 'is_read', kind: 'boolean' }, ...newestFirst]

/** Select the JSON of a page, and the keys of its last item if more follow. */
export function selectNotifications(callFunction: CallFunction, { skip, limit, after }: PageQuery) {
  const [isRead, at, id] = after === undefined ? [] : readCursor(inboxOrder, after)
  const start =
    at === undefined ? {} : { p_after_read: String(isRead), p_after_at: String(at), p_after_id: String(id) }
  return callFunction<{ body: string; last: string | null }>('app.list_notifications', {
    p_skip: skip,
    p_limit: limit,
    ...start,
  })
}

export function countUnread(callFunction: CallFunction) {
  return callFunction<{ body: string }>('app.count_unread', {})
}

export function markRead(callFunction: CallFunction, id: string) {
  return callFunction<{ body: string | null }>('app.mark_notification_read', { p_id: id })
}

/**
 * Mark all notifications of a user as read. Rows are locked in id order, so that concurrent calls do not
 * deadlock.
 */
export function markAllRead(db: WriteDb, userId: string) {
  return db
    .with('unread', (qb) =>
      qb
        .selectFrom('notifications')
        .select('id')
        .where('user_id', '=', userId)
        .where('is_read', '=', false)
        .orderBy('id')
        .forUpdate(),
    )
    .updateTable('notifications')
    .set({ is_read: true, read_at: now })
    .where('id', 'in', (eb) => eb.selectFrom('unread').select('unread.id'))
    .execute()
}
