import { useEffect, useState } from 'react'
import { client } from './client.ts'
import { useAction } from './load.ts'

const canNotify = 'serviceWorker' in navigator && 'PushManager' in window

/** A switch for the notifications of this browser: https://developer.mozilla.org/docs/Web/API/Push_API */
export function NotifySwitch() {
  const [isOn, setOn] = useState<boolean>()
  useEffect(() => {
    if (canNotify) void findSubscription().then((subscription) => setOn(subscription !== null))
  }, [])
  const change = useAction(async (next: boolean) => {
    await (next ? subscribe() : unsubscribe())
    setOn(next)
  })
  if (isOn === undefined) return null
  return (
    <label title={change.error ? String(change.error) : ''}>
      <input
        type="checkbox"
        checked={isOn}
        disabled={change.isBusy}
        onChange={({ target }) => void change.run(target.checked)}
      />
      Notify this browser
      {change.error !== undefined && <span role="alert"> This browser refuses.</span>}
    </label>
  )
}

const findRegistration = () =>
  navigator.serviceWorker.register(new URL('service-worker.ts', import.meta.url), { type: 'module' })

async function findSubscription(): Promise<PushSubscription | null> {
  return (await findRegistration()).pushManager.getSubscription()
}

/** Ask the user, subscribe at the push service of the browser, and tell the service. */
async function subscribe(): Promise<void> {
  const { application_server_key: applicationServerKey } = await client.notifications.pushSubscriptions.list()
  if ((await Notification.requestPermission()) !== 'granted') throw new Error('Notifications are not allowed')
  await findRegistration()
  const { pushManager } = await navigator.serviceWorker.ready
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  const { endpoint = '', keys = {} } = subscription.toJSON()
  const { p256dh = '', auth = '' } = keys
  await client.notifications.pushSubscriptions.create({ endpoint, keys: { p256dh, auth } })
}

async function unsubscribe(): Promise<void> {
  await (await findSubscription())?.unsubscribe()
  const { subscriptions } = await client.notifications.pushSubscriptions.list()
  const own = subscriptions.find(({ current }) => current)
  if (own) await client.notifications.pushSubscriptions.delete({ subscription_id: own.id })
}
