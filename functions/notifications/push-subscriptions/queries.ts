import { sql } from 'kysely'
import * as z from 'zod'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { ClaimedDelivery } from '#work/claimed-deliveries.ts'
import { PushSubscription } from './schemas.ts'

interface Owner {
  accountId: string
  userId: string
  signInId: string
}

const browserColumns = (signInId: string) => sql`
  b.id, s.user_agent, b.created_at, b.sign_in_id = ${signInId} as current`

/** Select the browsers of a user, the newest first. */
export const selectBrowsers = readStatement(
  PushSubscription,
  (userId: string, signInId: string) => sql`
    select ${browserColumns(signInId)}
      from app.list_browsers(app.account_id(), ${userId}) b join sign_ins s on s.account_id = b.account_id and s.id = b.sign_in_id
     order by b.created_at desc, b.id desc`,
)

/** Lock a user and the address of a browser, so that concurrent requests for either wait. */
export const lockBrowsers = writeStatement(
  null,
  (userId: string, endpointHash: string) => sql`
    select pg_advisory_xact_lock(hashtextextended(${`browser ${endpointHash}`}, 0)) from users where id = ${userId} for no key update`,
)

/** Select the id of the browser of a sign-in, and how many others the user has. */
export const selectOwn = readStatement(
  z.object({ id: z.string().nullable(), others: z.int() }),
  ({ accountId, userId, signInId }: Owner) => sql`
    select (select b.id from push_subscriptions b where b.account_id = ${accountId} and b.sign_in_id = ${signInId}) as id,
           (select count(*)::integer from app.list_browsers(${accountId}, ${userId}) b where b.sign_in_id <> ${signInId}) as others`,
)

/** Delete the row of an address that another sign-in has, also one of another account: the browser is one. */
export const deleteOthersOfEndpoint = writeStatement(
  null,
  (id: string, endpointHash: string) => sql`
    delete from push_subscriptions where endpoint_hash = ${endpointHash}::bytea and id <> ${id}`,
)

/** Insert the browser of a sign-in, or give it another address. */
export const upsertBrowser = writeStatement(
  PushSubscription,
  ({
    accountId,
    signInId,
    id,
    endpointHash,
    sealed,
  }: Owner & { id: string; endpointHash: string; sealed: string }) => sql`
    with b as (
      insert into push_subscriptions (id, account_id, sign_in_id, endpoint_hash, sealed)
      values (${id}, ${accountId}, ${signInId}, ${endpointHash}::bytea, ${sealed})
      on conflict (account_id, sign_in_id) do update set endpoint_hash = excluded.endpoint_hash, sealed = excluded.sealed
      returning *
    )
    select ${browserColumns(signInId)} from b join sign_ins s on s.id = b.sign_in_id`,
)

export const deleteBrowser = writeStatement(
  null,
  (userId: string, id: string) => sql`
    delete from push_subscriptions b using sign_ins s
     where b.account_id = app.account_id() and b.id = ${id} and s.account_id = b.account_id and s.id = b.sign_in_id and s.user_id = ${userId}`,
)

/** Select the browser of a message, while its person is signed in there. */
export const selectBrowser = readStatement(
  z.object({ id: z.string(), sealed: z.string() }),
  ({ account_id, user_id, subscription_id }: ClaimedDelivery) => sql`
    select b.id, b.sealed from app.list_browsers(${account_id}, ${user_id}) b where b.id = ${subscription_id}`,
)

/** Delete a browser whose push service has said that it takes no more messages. */
export const deleteEndedBrowser = writeStatement(
  null,
  ({ account_id, subscription_id }: ClaimedDelivery) => sql`
    delete from push_subscriptions where account_id = ${account_id} and id = ${subscription_id}`,
)
