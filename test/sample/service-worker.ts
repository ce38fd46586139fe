// Shows notifications, also while no page of the desk is open. TypeScript knows the types of a page here, so those of a service
// worker are named: https://developer.mozilla.org/docs/Web/API/ServiceWorkerGlobalScope

interface Message {
  title: string
  body: string
  url: string
  topic: string
}
interface Extendable extends Event {
  waitUntil(work: Promise<unknown>): void
}
interface Scope {
  addEventListener(
    type: 'push',
    listener: (event: Extendable & { data: { json(): Message } | null }) => void,
  ): void
  addEventListener(
    type: 'notificationclick',
    listener: (event: Extendable & { notification: Notification }) => void,
  ): void
  registration: ServiceWorkerRegistration
  clients: { openWindow(url: string): Promise<unknown> }
}
const scope = self as unknown as Scope

scope.addEventListener('push', (event) => {
  const message = event.data?.json()
  if (!message) return
  const { title, body, url, topic } = message
  // One of the same matter replaces the earlier one, and is heard again.
  const options = { body, tag: topic, renotify: true, requireInteraction: true, data: toPage(url) }
  event.waitUntil(scope.registration.showNotification(title, options))
})

scope.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(scope.clients.openWindow(event.notification.data as string))
})

/** Return the page of the desk for an address of the frontend. */
function toPage(url: string): string {
  const [, kind, id] = /\/(pilot|sessions)\/([0-9a-f-]{36})/.exec(url) ?? []
  return id ? `/#/${kind === 'pilot' ? 'cases' : 'sessions'}/${id}` : '/'
}

// A module of its own.
export {}
