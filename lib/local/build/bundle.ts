import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Metafile, type Plugin } from 'esbuild'
import { root } from '#local/root.ts'

const entry = 'functions/cloudflare.ts'
const emptyModule = 'lib/platform/cloudflare/empty-module.ts'

/** Our own imports of jose are static. A dynamic one would load every part of it at start. */
const withoutDynamicJose: Plugin = {
  name: 'without-dynamic-jose',
  setup({ onResolve }) {
    onResolve({ filter: /^jose$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: join(root, emptyModule) } : undefined,
    )
  },
}

/** Sizes of a bundle in bytes. */
export interface BundleSizes {
  /** The modules that are loaded when the Worker starts. */
  start: { bytes: number; gzipped: number }
  /** The modules that are loaded on first use. */
  later: { bytes: number; gzipped: number }
}

/**
 * Bundle the Worker into `folder`: `cloudflare.js`, the modules that it loads on first use, and its wasm.
 * Wrangler deploys these files as they are, because it would put everything into one module.
 */
export async function bundleWorker(folder: string): Promise<BundleSizes> {
  await rm(folder, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2024',
    // As wrangler does: https://developers.cloudflare.com/workers/wrangler/bundling/
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    loader: { '.wasm': 'copy' },
    alias: { 'postal-mime': `./${emptyModule}` },
    plugins: [withoutDynamicJose],
    // Not `keepNames`: naming each closure at the moment it is made costs a tenth of a request.
    minify: true,
    assetNames: '[name]',
    chunkNames: '[name]-[hash]',
    sourcemap: true,
    metafile: true,
    logLevel: 'error',
  })
  const start = listStartFiles(metafile)
  const all = Object.keys(metafile.outputs).filter((file) => file.endsWith('.js'))
  return {
    start: await measureFiles(start),
    later: await measureFiles(all.filter((file) => !start.includes(file))),
  }
}

/** List the entry and what it imports statically, as paths relative to the root. */
function listStartFiles({ outputs }: Metafile): string[] {
  const found = Object.keys(outputs).filter((file) => outputs[file]?.entryPoint === entry)
  for (const file of found) {
    const imported =
      outputs[file]?.imports.filter(({ kind, external }) => kind === 'import-statement' && !external) ?? []
    found.push(
      ...imported.map(({ path }) => path).filter((path) => path.endsWith('.js') && !found.includes(path)),
    )
  }
  return found
}

async function measureFiles(files: readonly string[]): Promise<{ bytes: number; gzipped: number }> {
  const contents = await Promise.all(files.map((file) => readFile(join(root, file))))
  return {
    bytes: contents.reduce((sum, { byteLength }) => sum + byteLength, 0),
    gzipped: contents.reduce((sum, content) => sum + gzipSync(content).byteLength, 0),
  }
}
