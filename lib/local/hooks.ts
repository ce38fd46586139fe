import { randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { Webhook } from 'standardwebhooks'
import { type Clock, toTimestamp } from './clock.ts'
import { requireThisMachine } from './dashboard.ts'
import type { Html } from './dashboard-chat.ts'
import { faultMiddleware } from './fault-middleware.ts'
import type { Faults } from './faults.ts'

/** A message that a receiver got. */
interface ReceivedHook {
  id: string
  at: string
  /** The last part of the address, which names the receiver. */
  name: string
  headers: Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>
  /** The exact text. */
  body: string
  /** Whether the receiver answered 204. A fault answers otherwise. */
  accepted: boolean
}

/** A message as the dashboard lists it. `signature` is `unknown` while no secret is stored. */
export interface ListedHook extends ReceivedHook {
  signature: 'valid' | 'invalid' | 'unknown'
}

type HookContext = Context<{ Bindings: HttpBindings }>
const maxHooks = 1000

/**
 * Create receivers of webhooks: every address below `/hooks/` is one. `/desk/hooks` lists what they got, and `/desk/hooks.json` does so as
 * JSON. The secrets that are stored there show which signatures are valid.
 */
export function createHookRoutes({ clock, faults }: { clock: Clock; faults: Faults }): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  const received: ReceivedHook[] = []
  const secrets = new Set<string>()
  const store = async (c: HookContext, accepted: boolean) => {
    received.push(await toReceivedHook(c, toTimestamp(clock.now()), accepted))
    if (received.length > maxHooks) received.shift()
  }
  const list = (): ListedHook[] => received.toReversed().map((hook) => ({ ...hook, signature: checkSignature(hook, secrets) }))
  app.use(
    '/hooks/*',
    faultMiddleware(faults, 'hooks', (c) => store(c, false)),
  )
  app.post('/hooks/:name{.+}', async (c) => {
    await store(c, true)
    return c.body(null, 204)
  })
  for (const path of ['/desk/hooks', '/desk/hooks.json', '/desk/hooks/secrets']) app.use(path, requireThisMachine)
  app.get('/desk/hooks.json', (c) => c.json(list()))
  app.get('/desk/hooks', (c) => c.html(renderHooks(list())))
  app.delete('/desk/hooks', (c) => {
    received.length = 0
    return c.body(null, 204)
  })
  app.post('/desk/hooks/secrets', async (c) => {
    const { secret } = await c.req.parseBody()
    if (typeof secret !== 'string' || !/^whsec_[\w+/=]+$/.test(secret.trim())) return c.json({ error: 'A secret starts with whsec_.' }, 422)
    secrets.add(secret.trim())
    return c.redirect('/desk/hooks', 303)
  })
  return app
}

async function toReceivedHook(c: HookContext, at: string, accepted: boolean): Promise<ReceivedHook> {
  const readHeader = (name: string) => c.req.header(name) ?? ''
  return {
    id: randomUUID(),
    at,
    name: c.req.path.slice('/hooks/'.length),
    headers: {
      'webhook-id': readHeader('webhook-id'),
      'webhook-timestamp': readHeader('webhook-timestamp'),
      'webhook-signature': readHeader('webhook-signature'),
    },
    body: await c.req.text(),
    accepted,
  }
}

/** Compare the signatures with those of each secret. The age of the message does not matter here. */
function checkSignature({ headers, body }: ReceivedHook, secrets: ReadonlySet<string>): ListedHook['signature'] {
  if (secrets.size === 0) return 'unknown'
  const signatures = headers['webhook-signature'].split(' ')
  const time = new Date(Number(headers['webhook-timestamp']) * 1000)
  const isSigned = [...secrets].some((secret) => signatures.includes(new Webhook(secret).sign(headers['webhook-id'], time, body)))
  return isSigned ? 'valid' : 'invalid'
}

function renderHooks(hooks: readonly ListedHook[]): Html {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><meta name="color-scheme" content="light dark" /><title>Webhooks</title></head>
<body style="font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:1em auto;padding:0 1em">
<h1>Webhooks</h1>
<form method="post" action="/desk/hooks/secrets"><label>Signing secret <input name="secret" placeholder="whsec_…" required /></label> <button>Check signatures</button></form>
${hooks.map(
  ({ at, name, headers, body, accepted, signature }) => html`<article>
<h2>${name}</h2>
<p>${at} · ${headers['webhook-id']} · ${accepted ? 'accepted' : 'refused by a fault'} · signature ${signature}</p>
<pre style="white-space:pre-wrap;overflow-wrap:anywhere">${body}</pre>
</article>`,
)}
</body></html>`
}
