import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from '#local/root.ts'
import { type BundleSizes, bundleWorker } from './bundle.ts'
import { buildDocsPage } from './docs-page.ts'
import { buildFonts } from './fonts.ts'
import { buildNodeFolder } from './node-folder.ts'

/** The folder of the reference page. */
export const docsFolder = join(root, 'dist/assets/docs')
const limitBytes = 3 * 1024 * 1024

/**
 * Build the Worker into dist/worker, and the static assets into dist/assets: the OpenAPI document, its page
 * and the PDF fonts. Return the sizes of the bundle.
 */
export async function build(): Promise<BundleSizes> {
  await buildAssets()
  return bundleWorker(join(root, 'dist/worker'))
}

/** Write the static files into dist/assets. */
export async function buildAssets(): Promise<void> {
  const document = JSON.parse(await readFile(join(root, 'functions/openapi.json'), 'utf8'))
  await buildDocsPage(docsFolder, document)
  await buildFonts(join(root, 'dist/assets/fonts'))
  await writeFile(join(root, 'dist/assets/openapi.json'), JSON.stringify(removeExamples(document)))
}

/**
 * Remove the examples, a tenth of the document. Programs do not need them; the reference page loads the
 * complete document.
 */
export function removeExamples(value: unknown, arePropertyNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => removeExamples(item))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(
    ([key]) => arePropertyNames || (key !== 'example' && key !== 'examples'),
  )
  return Object.fromEntries(entries.map(([key, item]) => [key, removeExamples(item, key === 'properties')]))
}

async function buildAndReport(): Promise<void> {
  const { start, later } = await build()
  const wasm = await measureWasm()
  const gzipped = start.gzipped + later.gzipped + wasm.gzipped
  console.log(
    `Bundle: ${formatKib(start.bytes)}, ${formatKib(start.gzipped)} gzipped, and ${formatKib(wasm.bytes)} of wasm.`,
  )
  console.log(
    `Loaded on first use: ${formatKib(later.bytes)}, ${formatKib(later.gzipped)} gzipped. The limit is ${formatKib(limitBytes)}.`,
  )
  console.log(`Start-up: ${await measureStartMs()} ms, including the start of workerd.`)
  if (gzipped > limitBytes) {
    console.error('The bundle is too large to deploy.')
    process.exit(1)
  }
}

/** Write the static files, and `dist/node`, which runs with Node alone. */
export async function buildForNode(): Promise<void> {
  await buildAssets()
  await buildNodeFolder(join(root, 'dist/node'), join(root, 'dist/assets'))
}

if (import.meta.main) await (process.argv.includes('--node') ? buildForNode() : buildAndReport())

/** Return the size of the compiled modules in bytes, as they are and compressed. */
async function measureWasm(): Promise<{ bytes: number; gzipped: number }> {
  const folder = join(root, 'dist/worker')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.wasm'))
  const modules = await Promise.all(names.map((name) => readFile(join(folder, name))))
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0)
  return {
    bytes: sum(modules.map(({ length }) => length)),
    gzipped: sum(modules.map((module) => gzipSync(module).length)),
  }
}

function formatKib(bytes: number): string {
  return `${Math.round(bytes / 1024)} KiB`
}

/** Measure the time from starting workerd to the first response that needs no dependency, in milliseconds. */
async function measureStartMs(): Promise<number> {
  const { startWorker } = await import('#local/worker.ts')
  const started = performance.now()
  const worker = await startWorker({ port: 0, settings: {}, onLog: () => {} })
  await worker.fetchStatus('/favicon.ico')
  const ms = performance.now() - started
  await worker.dispose()
  return Math.round(ms)
}
