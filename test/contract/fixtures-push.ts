import type { Service } from '#test/support/app.ts'
import { createBrowser } from '#test/support/browsers.ts'
import type { Person } from '#test/support/people.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'

/** Insert the browser of a person, whose subscription nobody can open. Return its id. */
export function insertPushSubscription(service: Service, { accountId, signInId }: Person): Promise<string> {
  return insertReturningId(
    service,
    `insert into push_subscriptions (account_id, sign_in_id, endpoint_hash, sealed)
     values ($1, $2::uuid, sha256(uuid_send($2::uuid)), 'x') on conflict (account_id, sign_in_id) do update set sealed = 'x' returning id`,
    [accountId, signInId],
  )
}

export const pushFixtures = {
  'notifications.pushSubscriptions.list': async (service, owner) => {
    await insertPushSubscription(service, owner)
    return {}
  },
  'notifications.pushSubscriptions.create': async (service) => ({
    body: { ...(await createBrowser(service)).subscription },
  }),
  'notifications.pushSubscriptions.delete': async (service, owner) => ({
    params: { subscription_id: await insertPushSubscription(service, owner) },
  }),
} satisfies Record<string, Fixture>
