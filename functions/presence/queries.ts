import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import type { PageQuery } from '#db/page.ts'
import { colleague, colleagueColumns, present } from '#db/rows/colleagues.ts'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'
import type { TransientEvent } from '#vendors/realtime/realtime.ts'
import { type PresenceDelete, PresenceListItem, type PresencePut, type PresenceQuery } from './schemas.ts'

/** What `app.presence_event` returns. */
export type StoredEvent = Pick<TransientEvent, 'audience' | 'data'>

/** Select who is at which resource, for the resources that the caller sees. */
export const selectPresence = readStatement(
  PresenceListItem.extend({ ...colleague, expires_at: notNull<string>() }),
  ({ type, id, skip, limit }: PresenceQuery & PageQuery) => sql`
    select p.resource_type as type, p.resource_id as id, ${colleagueColumns}, max(p.expires_at) as expires_at
      from ${present} and p.resource_type = coalesce(${type ?? null}, p.resource_type) and p.resource_id = coalesce(${id ?? null}, p.resource_id)
       and app.sees_resource(p.resource_type, p.resource_id)
     group by p.resource_type, p.resource_id, u.id, u.full_name order by 1, 2, 4, 5, u.id offset ${skip} limit ${limit + 1}`,
)

/** Store the caller's presence. Return no row if they do not see the resource. */
export const putPresence = writeStatement(
  z.object({ expires_at: notNull<string>(), event: z.custom<StoredEvent | null>() }),
  ({ type, id, tab_id = '', mode }: PresencePut) =>
    sql`select * from ${callFunction('app.put_presence', { p_type: type, p_id: id, p_tab: tab_id, p_mode: mode })}`,
)

export const deletePresence = writeStatement(
  z.object({ event: z.custom<StoredEvent | null>() }),
  ({ type, id, tab_id }: PresenceDelete) =>
    sql`select ${callFunction('app.delete_presence', { p_type: type, p_id: id, p_tab: tab_id ?? null })} as event`,
)

/**
 * Delete up to `limit` expired rows of any account. Return their number, and the events of the users who have
 * left.
 */
export const deleteExpired = writeStatement(
  z.object({ account_id: z.string(), event: z.custom<StoredEvent | null>() }),
  (limit: number) => sql`
    with expired as (
      delete from presence where ctid = any (array(
        select ctid from presence where expires_at <= app.now() limit ${limit} for update skip locked))
      returning account_id, resource_type, resource_id, user_id)
    select e.account_id, app.presence_event(e.account_id, e.resource_type, e.resource_id, e.user_id) as event
      from (select distinct * from expired) e`,
)
