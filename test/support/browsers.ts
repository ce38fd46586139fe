import type { Service } from './app.ts'
import type { Person } from './people.ts'

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
  person: Person,
): Promise<TestBrowser & { rowId: string }> {
  const browser = await createBrowser(service)
  const { id: rowId } = await person.client.notifications.pushSubscriptions.create(browser.subscription)
  return { ...browser, rowId }
}
