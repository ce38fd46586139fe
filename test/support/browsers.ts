import { parseConfig } from '#config.ts'
import { createVault } from '#vendors/auth/vault.ts'
import { sealSubscription } from '#vendors/web-push/sealed-subscription.ts'
import { request, type Service, signAccessToken } from './app.ts'
import type { Person } from './people.ts'
import { createTestClient } from './test-client.ts'

interface TestBrowser {
  id: string
  /** What `PushSubscription.toJSON()` returns there. */
  subscription: { endpoint: string; expirationTime: null; keys: { p256dh: string; auth: string } }
}

/** Create a browser at the emulated push service. */
export async function createBrowser({ localOrigin }: Pick<Service, 'localOrigin'>): Promise<TestBrowser> {
  const response = await fetch(`${localOrigin}/desk/browsers`, { method: 'POST', body: '{}' })
  return (await response.json()) as TestBrowser
}

/** End the subscription of a browser, as its user does in the settings. */
export async function endBrowser({ localOrigin }: Pick<Service, 'localOrigin'>, id: string): Promise<void> {
  await fetch(`${localOrigin}/desk/browsers/${id}`, { method: 'DELETE' })
}

/** Create a browser that shows the notifications of a person. */
export async function subscribeBrowser(
  service: Service,
  person: Pick<Person, 'client'>,
): Promise<TestBrowser & { rowId: string }> {
  const browser = await createBrowser(service)
  const { id: rowId } = await person.client.notifications.pushSubscriptions.create(browser.subscription)
  return { ...browser, rowId }
}

/** Sign a person in again, as in another browser. */
export async function signInAgain(
  service: Service,
  { id: userId, accountId }: Person,
): Promise<Pick<Person, 'client' | 'call' | 'signInId'>> {
  const [row] = await service.sql<{ id: string }>(
    `insert into sign_ins (account_id, user_id, expires_at) values ($1, $2, now() + interval '30 days') returning id`,
    [accountId, userId],
  )
  const signInId = row?.id ?? ''
  const token = await signAccessToken(service, { userId, accountId, signInId })
  return {
    signInId,
    client: createTestClient(service, token),
    call: (method, path, body) =>
      request(service, method, path, { token, ...(body === undefined ? {} : { body }) }),
  }
}

/** Let a browser show the notifications of each sign-in of an account that has none. */
export async function insertBrowsers(service: Service, accountId: string): Promise<void> {
  const vault = createVault(parseConfig(service.settings).CREDENTIALS_KEY)
  const signIns = await service.sql<{ id: string }>(
    `select id from sign_ins where account_id = $1 and id not in (select sign_in_id from push_subscriptions)`,
    [accountId],
  )
  for (const { id: signInId } of signIns) {
    const [id, { subscription }] = [crypto.randomUUID(), await createBrowser(service)]
    const { endpoint, keys } = subscription
    await service.sql(
      `insert into push_subscriptions (id, account_id, sign_in_id, endpoint_hash, sealed) values ($1, $2, $3, sha256($4::bytea), $5)`,
      [
        id,
        accountId,
        signInId,
        endpoint,
        await sealSubscription(vault, accountId, id, { endpoint, ...keys }),
      ],
    )
  }
}
