import { base64url } from 'jose'
import { expect, it } from 'vitest'
import { releaseParts } from '#rules/audience.ts'
import { sharedService } from '#test/support/app.ts'
import { createBrowser, endBrowser } from '#test/support/browsers.ts'
import { createMessageKey, encryptFor } from '#vendors/web-push/encrypt.ts'
import { httpWebPush } from '#vendors/web-push/http-web-push.ts'
import { createVapidSigner } from '#vendors/web-push/vapid.ts'

const service = await sharedService()
const privateKey = base64url.encode(new Uint8Array(32).fill(7))
const contact = 'mailto:support@example.com'
const webPush = httpWebPush({ privateKey, contact })
const message = releaseParts({ title: 'A', body: 'B', url: 'https://app.example/', topic: 'abc' })

const subscribe = async () => {
  const { id, subscription } = await createBrowser(service)
  return { id, endpoint: subscription.endpoint, ...subscription.keys }
}

it('the push service takes what the service sends, and refuses an ended browser', async () => {
  const browser = await subscribe()
  expect(await webPush.send(browser, message)).toEqual({ ok: true, status: 201 })
  await endBrowser(service, browser.id)
  expect(await webPush.send(browser, message)).toMatchObject({ ok: false, status: 410, isRemoved: true })
})

/** Send a message with changed headers, or a changed body. */
async function sendRaw(change: {
  headers?: Record<string, string>
  audience?: string
  body?: Uint8Array<ArrayBuffer>
}) {
  const browser = await subscribe()
  const signer = createVapidSigner(privateKey, contact)
  const salt = new Uint8Array(16)
  const body = change.body ?? (await encryptFor(browser, salt, await createMessageKey(), salt))
  const headers = {
    authorization: await signer.authorize(change.audience ?? browser.endpoint),
    'content-encoding': 'aes128gcm',
    ttl: '60',
    ...change.headers,
  }
  return (await fetch(browser.endpoint, { method: 'POST', headers, body })).status
}

it.each<[string, Parameters<typeof sendRaw>[0], number]>([
  ['nothing', {}, 201],
  ['no TTL', { headers: { ttl: '' } }, 400],
  ['a topic of 33 characters', { headers: { topic: 'x'.repeat(33) } }, 400],
  ['an unknown urgency', { headers: { urgency: 'now' } }, 400],
  ['another encoding', { headers: { 'content-encoding': 'aesgcm' } }, 400],
  ['no token', { headers: { authorization: '' } }, 401],
  ['a token for another push service', { audience: 'https://push.example.net/x' }, 403],
  ['more than 4,096 bytes', { body: new Uint8Array(4097) }, 413],
])('the push service answers a message with %s as the RFCs say', async (_, change, status) => {
  expect(await sendRaw(change)).toBe(status)
})
