import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { Webhook } from 'standardwebhooks'
import { requireThisMachine } from '#local/dashboard/dashboard.ts'
import { parseJson } from '#rules/text/json.ts'
import { faultMiddleware } from './fault-middleware.ts'
import type { Faults } from './faults.ts'
import type { Records, RecordTypes } from './records.ts'

type HookContext = Context<{ Bindings: HttpBindings }>
type ReceivedHook = RecordTypes['hooks']

/**
 * Create receivers of webhooks: every address below `/hooks/` is one, and `/desk/hooks` lists what they got.
 * The secrets that are posted to `/desk/hooks/secrets` show which signatures are valid.
 */
export function createHookRoutes({
  records,
  faults,
}: {
  records: Records
  faults: Faults
}): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  const secrets = new Set<string>()
  const store = async (c: HookContext, accepted: boolean) => {
    const hook = records.add('hooks', await readHook(c, accepted))
    hook.signature = checkSignature(hook, secrets)
  }
  app.use(
    '/hooks/*',
    // The status decides, so an answer that is garbage is one that accepts.
    faultMiddleware(faults, 'hooks', (c, { mode }) => store(c, mode === 'garbage')),
  )
  app.post('/hooks/:name{.+}', async (c) => {
    await store(c, true)
    return c.body(null, 204)
  })
  app.post('/desk/hooks/secrets', requireThisMachine, async (c) => {
    const { secret } = (parseJson(await c.req.text()) ?? {}) as { secret?: unknown }
    if (typeof secret !== 'string' || !/^whsec_[\w+/=]+$/.test(secret.trim()))
      return c.json({ error: 'A secret starts with whsec_.' }, 422)
    secrets.add(secret.trim())
    for (const hook of records.list('hooks')) hook.signature = checkSignature(hook, secrets)
    return c.body(null, 204)
  })
  return app
}

async function readHook(
  c: HookContext,
  accepted: boolean,
): Promise<Omit<ReceivedHook, 'id' | 'at' | 'trace_id'>> {
  const readHeader = (name: string) => c.req.header(name) ?? ''
  return {
    name: c.req.path.slice('/hooks/'.length),
    headers: {
      'webhook-id': readHeader('webhook-id'),
      'webhook-timestamp': readHeader('webhook-timestamp'),
      'webhook-signature': readHeader('webhook-signature'),
    },
    body: await c.req.text(),
    accepted,
    signature: 'unknown',
  }
}

/** Compare the signatures with those of each secret. The age of the message does not matter here. */
function checkSignature(
  { headers, body }: ReceivedHook,
  secrets: ReadonlySet<string>,
): ReceivedHook['signature'] {
  if (secrets.size === 0) return 'unknown'
  const signatures = headers['webhook-signature'].split(' ')
  const time = new Date(Number(headers['webhook-timestamp']) * 1000)
  const isSigned = [...secrets].some((secret) =>
    signatures.includes(new Webhook(secret).sign(headers['webhook-id'], time, body)),
  )
  return isSigned ? 'valid' : 'invalid'
}
