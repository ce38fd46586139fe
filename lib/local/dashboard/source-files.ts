import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import type { Context } from 'hono'
import { root } from '#local/root.ts'

const lib = join(root, 'lib')
const served = /^(local\/dashboard\/page\/[a-z-]+\.(ts|css)|client\/[a-z-]+\.ts)$/

/**
 * Send a source file of the page or of the typed client. TypeScript loses its types on the way, so the page
 * needs no build.
 */
export async function sendSourceFile(c: Context): Promise<Response> {
  const path = c.req.path.slice('/desk/source/'.length)
  if (!served.test(path)) return c.json({ error: `Nothing at ${c.req.path}` }, 404)
  const text = await readFile(join(lib, path), 'utf8')
  const isStyle = path.endsWith('.css')
  const headers = { 'content-type': isStyle ? 'text/css' : 'text/javascript', 'cache-control': 'no-store' }
  return c.body(isStyle ? text : stripTypeScriptTypes(text), 200, headers)
}
