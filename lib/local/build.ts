import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { buildFonts } from './fonts.ts'

const root = join(import.meta.dirname, '../..')
const limitBytes = 3 * 1024 * 1024

/** Builds the Worker as wrangler would deploy it into dist/worker, and the document, its page and the PDF's fonts into dist/assets. */
export async function build(): Promise<{ bytes: number; gzipped: number }> {
  await buildAssets()
  const wrangler = join(root, 'node_modules/.bin/wrangler')
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' }
  await promisify(execFile)(wrangler, ['deploy', '--dry-run', '--outdir', 'dist/worker'], { cwd: root, env })
  const bundle = await readFile(join(root, 'dist/worker/index.js'))
  return { bytes: bundle.byteLength, gzipped: gzipSync(bundle).byteLength }
}

async function buildAssets(): Promise<void> {
  const docs = join(root, 'dist/assets/docs')
  await rm(docs, { recursive: true, force: true })
  await mkdir(docs, { recursive: true })
  const packaged = join(root, 'node_modules/swagger-ui-dist')
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) await cp(join(packaged, name), join(docs, name))
  for (const name of ['index.html', 'start.js', 'favicon.svg']) await cp(join(root, 'lib/http/docs', name), join(docs, name))
  await buildFonts(join(root, 'dist/assets/fonts'))
  await cp(join(root, 'functions/openapi.json'), join(root, 'dist/assets/openapi.json'))
}

if (import.meta.main) {
  const { bytes, gzipped } = await build()
  const wasm = (await stat(join(root, 'node_modules/@phi-ag/argon2/dist/argon2.wasm'))).size
  console.log(`Bundle: ${kib(bytes)}, ${kib(gzipped)} gzipped (limit ${kib(limitBytes)}), and ${kib(wasm)} of wasm.`)
  console.log(`Start-up: ${await startUp()} ms in workerd, its own start included.`)
  if (gzipped > limitBytes) {
    console.error('The bundle is too large to deploy.')
    process.exit(1)
  }
}

function kib(bytes: number): string {
  return `${Math.round(bytes / 1024)} KiB`
}

/** Milliseconds from a cold workerd to the first answer that asks no dependency. */
async function startUp(): Promise<number> {
  const { startWorker } = await import('./worker.ts')
  const started = performance.now()
  const worker = await startWorker({ port: 0, settings: {}, onLog: () => {} })
  await worker.dispatch('/favicon.ico')
  const ms = performance.now() - started
  await worker.dispose()
  return Math.round(ms)
}
