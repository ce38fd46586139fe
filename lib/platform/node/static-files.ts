import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, resolve, sep } from 'node:path'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { etag } from 'hono/etag'
import { loadOnce } from '#async/load-once.ts'
import type { AssetsPort } from '#vendors/assets/assets.ts'

/**
 * Create a function that answers GET and HEAD with the files of a folder, and anything else with 404. A file
 * carries an ETag, and is compressed for who accepts it.
 */
export function serveFolder(folder: string): (request: Request) => Promise<Response> {
  const app = new Hono()
  app.use(compress())
  app.use(etag())
  // It refuses `..`, encoded characters and backslashes.
  app.get('*', serveStatic({ root: folder }))
  return async (request) => app.fetch(request)
}

/** Create a reader of the files of a folder. */
export function folderAssets(folder: string): AssetsPort {
  const root = resolve(folder) + sep
  return {
    async read(path) {
      const file = join(root, path)
      if (!file.startsWith(root)) throw new Error(`The static asset ${path} is outside its folder`)
      const bytes = await readFile(file).catch((cause: unknown) => {
        throw new Error(`The static asset ${path} is missing`, { cause })
      })
      return new Uint8Array(bytes).buffer
    },
    loadHarfBuzz: () => compileHarfBuzz(),
    loadResvg: () => compileResvg(),
  }
}

const compileHarfBuzz = loadOnce(() => compile('harfbuzzjs/dist/harfbuzz.wasm'))
const compileResvg = loadOnce(() => compile('@resvg/resvg-wasm/index_bg.wasm'))

async function compile(module: string): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(createRequire(import.meta.url).resolve(module)))
}
