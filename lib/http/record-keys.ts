import type { Hono } from 'hono'
import type { Env, Services } from './app.ts'
import { respondJson } from './respond.ts'

/** How long a copy of the keys is used: what a new key signs can be verified after this time at the latest. */
const maxAgeSeconds = 300

/** Add the public keys of signed records and archives (RFC 7517, section 5). */
export function mountRecordKeys(app: Hono<Env>, { ports }: Services): void {
  app.get('/.well-known/jwks.json', async (c) => {
    c.get('headers')['cache-control'] = `public, max-age=${maxAgeSeconds}`
    return respondJson(c, JSON.stringify({ keys: await ports.recordSigner.listKeys() }), 200)
  })
}
