import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  randomUUID,
  verify,
} from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { requireThisMachine } from '#local/dashboard/dashboard.ts'
import { parseJson } from '#rules/text/json.ts'
import { faultMiddleware } from './fault-middleware.ts'
import type { Faults } from './faults.ts'
import type { Records, RecordTypes } from './records.ts'

/** A browser of the push service, which decrypts its messages. */
interface Browser {
  keys: ReturnType<typeof createECDH>
  auth: Buffer
  /** The key of the sender that it subscribed with; null for any. */
  senderKey: string | null
  hasEnded: boolean
}

type PushContext = Context<{ Bindings: HttpBindings }>
type Refusal = { status: 400 | 401 | 403 | 404 | 410 | 413; reason: string }

const maxBodyBytes = 4096
const maxTokenSeconds = 24 * 3600

/**
 * Create a push service by RFC 8030, and its browsers: `POST /desk/browsers` creates one and returns what
 * `PushSubscription.toJSON()` does, and `DELETE /desk/browsers/{id}` ends it. It decrypts with Node's own crypto, so that it proves what
 * the service encrypts. Every request is recorded, refused ones included.
 */
export function createPushRoutes({
  records,
  faults,
}: {
  records: Records
  faults: Faults
}): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  const browsers = new Map<string, Browser>()
  const record = (
    c: PushContext,
    accepted: boolean,
    refused: string | null,
    message: RecordTypes['push']['message'] = null,
  ) =>
    records.add('push', {
      browser: c.req.path.split('/').at(-1) ?? '',
      topic: c.req.header('topic') ?? null,
      urgency: c.req.header('urgency') ?? null,
      ttl: Number(c.req.header('ttl')),
      accepted,
      refused,
      message,
    })
  app.use(
    '/push/*',
    faultMiddleware(faults, 'push', (c, { mode }) => void record(c, false, `The fault ${mode}`)),
  )
  app.post('/push/:id', async (c) => {
    const body = Buffer.from(await c.req.arrayBuffer())
    const browser = browsers.get(c.req.param('id') ?? '')
    const refusal = findRefusal(c, browser, body)
    if (refusal || !browser) {
      const { status, reason } = refusal ?? { status: 404, reason: 'No such subscription' }
      record(c, false, reason)
      return c.text(reason, status)
    }
    const message = decrypt(browser, body)
    if (message === null) {
      // As a real push service: it cannot read the message, only the browser can, which drops it.
      record(c, true, 'The browser cannot decrypt it')
      return c.body(null, 201)
    }
    record(c, true, null, message)
    return c.body(null, 201, { location: `${new URL(c.req.url).origin}/push/message/${randomUUID()}` })
  })
  app.post('/desk/browsers', requireThisMachine, async (c) => {
    const { application_server_key: senderKey } = (parseJson(await c.req.text()) ?? {}) as {
      application_server_key?: string
    }
    const id = randomUUID()
    const keys = createECDH('prime256v1')
    const publicKey = keys.generateKeys('base64url')
    const auth = randomBytes(16)
    browsers.set(id, { keys, auth, senderKey: senderKey ?? null, hasEnded: false })
    const endpoint = `${new URL(c.req.url).origin}/push/${id}`
    const subscription = {
      endpoint,
      expirationTime: null,
      keys: { p256dh: publicKey, auth: auth.toString('base64url') },
    }
    return c.json({ id, subscription }, 201)
  })
  app.delete('/desk/browsers/:id', requireThisMachine, (c) => {
    const browser = browsers.get(c.req.param('id') ?? '')
    if (browser) browser.hasEnded = true
    return c.body(null, browser ? 204 : 404)
  })
  return app
}

/** Return why a push service refuses a message. */
function findRefusal(c: PushContext, browser: Browser | undefined, body: Buffer): Refusal | undefined {
  if (!browser) return { status: 404, reason: 'No such subscription' }
  if (browser.hasEnded) return { status: 410, reason: 'The subscription has ended' }
  // https://www.rfc-editor.org/rfc/rfc8030#section-5.2
  if (!/^\d+$/.test(c.req.header('ttl') ?? '')) return { status: 400, reason: 'The header TTL is missing' }
  const topic = c.req.header('topic')
  // https://www.rfc-editor.org/rfc/rfc8030#section-5.4
  if (topic !== undefined && !/^[\w-]{1,32}$/.test(topic))
    return { status: 400, reason: 'The topic is invalid' }
  if (!/^(very-low|low|normal|high)$/.test(c.req.header('urgency') ?? 'normal'))
    return { status: 400, reason: 'The urgency is invalid' }
  if (body.length > maxBodyBytes) return { status: 413, reason: 'The message is too large' }
  if (c.req.header('content-encoding') !== 'aes128gcm')
    return { status: 400, reason: 'The encoding is not aes128gcm' }
  return findSenderRefusal(c, browser)
}

/** Return what is wrong with the sender: https://www.rfc-editor.org/rfc/rfc8292#section-4.2 */
function findSenderRefusal(c: PushContext, { senderKey }: Browser): Refusal | undefined {
  const [, token, key] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(c.req.header('authorization') ?? '') ?? []
  if (!token || !key) return { status: 401, reason: 'No VAPID token' }
  if (senderKey !== null && senderKey !== key)
    return { status: 403, reason: 'The key is not that of the subscription' }
  const [header = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const publicKey = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  const { alg } = readPart(header)
  const { aud, exp, sub } = readPart(claims)
  const seconds = Date.now() / 1000
  if (!isSigned || alg !== 'ES256') return { status: 403, reason: 'The token is not signed' }
  if (aud !== new URL(c.req.url).origin)
    return { status: 403, reason: 'The audience is not this push service' }
  if (typeof exp !== 'number' || exp < seconds || exp > seconds + maxTokenSeconds)
    return { status: 403, reason: 'The token has expired or lives longer than 24 hours' }
  if (!/^(mailto:|https?:)/.test(String(sub))) return { status: 403, reason: 'The token has no contact' }
  return undefined
}

const readPart = (part: string) =>
  (parseJson(Buffer.from(part, 'base64url').toString()) ?? {}) as Record<string, unknown>

/** Decrypt a message as its browser does: https://www.rfc-editor.org/rfc/rfc8291#section-3.4 */
function decrypt({ keys, auth }: Browser, body: Buffer): RecordTypes['push']['message'] {
  try {
    const salt = body.subarray(0, 16)
    const senderKey = body.subarray(21, 21 + (body[20] ?? 0))
    const encrypted = body.subarray(21 + senderKey.length)
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), senderKey])
    const input = Buffer.from(hkdfSync('sha256', keys.computeSecret(senderKey), auth, info, 32))
    const derive = (name: string, length: number) =>
      Buffer.from(hkdfSync('sha256', input, salt, `Content-Encoding: ${name}\0`, length))
    const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
    decipher.setAuthTag(encrypted.subarray(-16))
    const text = Buffer.concat([decipher.update(encrypted.subarray(0, -16)), decipher.final()])
    // The last record ends with 2, and zeros may follow.
    return (parseJson(text.subarray(0, text.lastIndexOf(2)).toString()) ??
      null) as RecordTypes['push']['message']
  } catch {
    return null
  }
}
