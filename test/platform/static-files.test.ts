// @module-tag mechanism
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AssetsBinding, staticAssets } from '#platform/cloudflare/assets.ts'
import { folderAssets, serveFolder } from '#platform/node/static-files.ts'
import type { AssetsPort } from '#vendors/assets/assets.ts'

interface StaticFiles {
  fetch(request: Request): Promise<Response>
  assets: AssetsPort
  close(): Promise<unknown>
}

const platforms: Record<string, (folder: string) => Promise<StaticFiles>> = {
  async Cloudflare(folder) {
    const script = 'export default { fetch: (request, env) => env.ASSETS.fetch(request) }'
    const assets = { directory: folder, binding: 'ASSETS' }
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({ modules: true, script, assets, compatibilityDate: '2026-11-01' }),
    )
    const { ASSETS } = await miniflare.getBindings<{ ASSETS: AssetsBinding }>()
    return {
      fetch: (request) => ASSETS.fetch(request),
      assets: staticAssets({ fetch: (request) => ASSETS.fetch(request) }),
      close: () => miniflare.dispose(),
    }
  },
  Node: async (folder) => ({
    fetch: serveFolder(folder),
    assets: folderAssets(folder),
    close: async () => {},
  }),
}

const files: Record<string, [content: string, type: string]> = {
  'openapi.json': ['{"openapi":"3.1.0"}', 'application/json'],
  'docs/index.html': ['<!doctype html>', 'text/html'],
  'docs/start.js': ['start()', 'text/javascript'],
  'docs/style.css': ['a{}', 'text/css'],
  'docs/favicon.svg': ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
}
const font = Uint8Array.from({ length: 300 }, (_, n) => n % 256)

describe.each(Object.keys(platforms))('static files on %s', (name) => {
  let parent: string
  let platform: StaticFiles
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'static-'))
    const folder = join(parent, 'assets')
    await mkdir(join(folder, 'docs'), { recursive: true })
    await mkdir(join(folder, 'fonts'))
    await writeFile(join(parent, 'secret.txt'), 'secret')
    await mkdir(join(parent, 'assets-old'))
    await writeFile(join(parent, 'assets-old/secret.txt'), 'secret')
    await writeFile(join(folder, 'fonts/1.font'), font)
    for (const [path, [content]] of Object.entries(files)) await writeFile(join(folder, path), content)
    platform = (await platforms[name]?.(folder)) as StaticFiles
  })
  afterAll(async () => {
    await platform.close()
    await rm(parent, { recursive: true })
  })
  const get = (path: string, init: RequestInit = {}) =>
    platform.fetch(new Request(`https://api.example${path}`, init))

  it.each(Object.entries(files))('have the content and the type of %s', async (path, [content, type]) => {
    const url = path.endsWith('index.html') ? '/docs/' : `/${path}`
    const response = await get(url)
    expect([
      response.status,
      response.headers.get('content-type')?.split(';')[0],
      await response.text(),
    ]).toEqual([200, type, content])
  })

  it('are not sent again to a client that has them', async () => {
    const first = await get('/openapi.json')
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^(W\/)?"[^"]+"$/)
    await first.text()
    const repeated = await get('/openapi.json', { headers: { 'if-none-match': etag } })
    expect([repeated.status, await repeated.text(), repeated.headers.get('etag')]).toEqual([304, '', etag])
    const changed = await get('/openapi.json', { headers: { 'if-none-match': '"other"' } })
    expect([changed.status, await changed.text()]).toEqual([200, files['openapi.json']?.[0]])
  })

  it('have no body in the answer to HEAD', async () => {
    const response = await get('/openapi.json', { method: 'HEAD' })
    expect([
      response.status,
      response.headers.get('content-type')?.split(';')[0],
      await response.text(),
    ]).toEqual([200, 'application/json', ''])
  })

  it.each([
    '/missing.json',
    '/docs/missing.js',
    '/docs/index.html/x',
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/docs/..%5c..%5csecret.txt',
    '/%2e%2e%2fassets-old/secret.txt',
    '/docs//etc/passwd',
    '/%00',
    '/%',
  ])('are not found at %s', async (path) => {
    const response = await get(path)
    expect([response.status, (await response.text()).includes('secret')]).toEqual([404, false])
  })

  it('are read for the service byte by byte', async () => {
    expect(new Uint8Array(await platform.assets.read('fonts/1.font'))).toEqual(font)
  })

  it.each(['fonts/2.font', 'fonts', '../secret.txt', 'fonts/../../secret.txt', '../assets-old/secret.txt'])(
    'throw for the path %s',
    async (path) => {
      await expect(platform.assets.read(path)).rejects.toThrow(`The static asset ${path} is`)
    },
  )
})
