import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import type { PlatformDb } from '#db/scope.ts'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'

/**
 * Begin the erasure of up to `limit` accounts whose grace period is over or, where e-mails are sent, in which
 * nobody has verified an address within 14 days.
 */
export const startErasures = writeStatement(
  null,
  (limit: number, mails: boolean) =>
    sql`select from ${callFunction('app.start_erasures', { p_limit: limit, p_mails: mails })}`,
)

export function selectOpenErasures(db: PlatformDb): Promise<{ id: string }[]> {
  return db
    .selectFrom('account_erasures')
    .select('id')
    .where('finished_at', 'is', null)
    .orderBy('started_at')
    .orderBy('id')
    .limit(20)
    .execute()
}

/**
 * Return the billing customers of an account that are not deleted; no row when the row of the account is
 * deleted.
 */
export const selectBillingCustomers = readStatement(
  z.object({ customer_ids: z.array(z.string()) }),
  (id: string) => sql`
    select array(select c.id from billing_customers c where c.account_id = a.id and c.deleted_at is null
                 union select a.billing_customer_id where a.billing_customer_id is not null) as customer_ids
      from accounts a where a.id = ${id}`,
)

/**
 * Forget a billing customer of an account, and record what happened to it. Its late events do not link it
 * again.
 */
export const clearBillingCustomer = writeStatement(
  null,
  (id: string, customerId: string, outcome: string) => sql`
    with e as (
      update account_erasures set counts = counts || jsonb_build_object('billing_customer', ${outcome}::text) where id = ${id} returning id
    ), c as (
      update billing_customers set deleted_at = app.now() where id = ${customerId}
    )
    update accounts a set billing_customer_id = null, provider_subscription_id = null
      from e where a.id = e.id and a.billing_customer_id = ${customerId}`,
)

/** Delete up to `limit` rows of an account that is being erased. */
export const eraseRows = writeStatement(
  z.object({ deleted: notNull<number>() }),
  (id: string, table: string, limit: number) =>
    sql`select ${callFunction('app.erase_rows', { p_account: id, p_table: table, p_limit: limit })} as deleted`,
)

/**
 * Delete the row of an account that is being erased, with the rows that are left. Return false while it has a
 * billing customer.
 */
export const eraseAccount = writeStatement(
  z.object({ is_erased: notNull<boolean>() }),
  (id: string) => sql`select ${callFunction('app.erase_account', { p_account: id })} as is_erased`,
)

/** Add to the number of deleted objects of an erasure. */
export const countObjects = writeStatement(
  null,
  (id: string, removed: number) => sql`
    update account_erasures set counts = counts || jsonb_build_object('objects', coalesce((counts ->> 'objects')::integer, 0) + ${removed}::integer)
     where id = ${id} and finished_at is null`,
)

/** Forget the objects of an account that were to be deleted later. */
export const forgetObjects = writeStatement(
  null,
  (id: string) => sql`delete from deleted_objects where starts_with(object_key, ${`accounts/${id}/`})`,
)

/** End an erasure and add it to the audit log of the platform. */
export const finishErasure = writeStatement(
  z.object({ is_finished: notNull<boolean>() }),
  (id: string) => sql`select ${callFunction('app.finish_erasure', { p_account: id })} as is_finished`,
)
