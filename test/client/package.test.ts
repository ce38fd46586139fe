import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { operations } from '#functions/operations.ts'
import { isClientOperation } from '#local/build/client-operations.ts'
import { root } from '#local/root.ts'
import service from '../../package.json' with { type: 'json' }
import { installPackedClient, linkPackages, run, writeReadmeFiles } from './packed-client.ts'

const maxGzippedBytes = 20_000
const maxSampleLines = 40

const { folder, packageFolder, remove } = await installPackedClient()
afterAll(remove)

/** Type-check files of the project. Reject with the messages of the compiler. */
function compile(module: string, files: string[]): Promise<unknown> {
  const strict = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--verbatimModuleSyntax',
  ]
  const options = [
    '--module',
    module,
    '--target',
    'es2022',
    '--lib',
    'es2023,dom,dom.iterable,dom.asynciterable',
    '--jsx',
    'react-jsx',
  ]
  const tsc = join(root, 'node_modules/.bin/tsc')
  return run(tsc, [...strict, ...options, '--types', '', '--allowImportingTsExtensions', ...files], {
    cwd: folder,
  }).catch(({ stdout }) => {
    throw new Error(stdout)
  })
}

it('has one method per operation, at the place that its id names', () => {
  const client = createClient({ baseUrl: 'https://api.example.com' })
  const find = (id: string) =>
    id.split('.').reduce<unknown>((node, name) => (node as Record<string, unknown>)?.[name], client)
  expect(
    operations
      .filter((op) => isClientOperation(op) !== (typeof find(op.id) === 'function'))
      .map(({ id }) => id),
  ).toEqual([])
})

it('CLI-01 has at most 20 KB of gzipped JavaScript, all files together', async () => {
  const files = (await readdir(packageFolder)).filter((name) => name.endsWith('.js'))
  const sizes = await Promise.all(
    files.map(async (name) => gzipSync(await readFile(join(packageFolder, name))).length),
  )
  expect(files).toContain('client.js')
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(maxGzippedBytes)
})

it('CLI-02 is a package without dependencies, with the version and the license of the service, its README and types', async () => {
  const described = JSON.parse(
    await readFile(join(folder, 'node_modules/@support-flow/client/package.json'), 'utf8'),
  )
  expect(described).toMatchObject({
    name: '@support-flow/client',
    version: service.version,
    license: service.license,
    type: 'module',
  })
  expect(Object.keys(described).filter((key) => /dependencies|private|scripts/i.test(key))).toEqual([])
  const installed = await readdir(join(folder, 'node_modules/@support-flow/client'))
  expect(installed).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'client.js', 'client.d.ts', 'package.json']),
  )
  expect((await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual([
    '@support-flow',
  ])
})

it('CLI-02 can be published', async () => {
  const { stdout } = await run('npm', ['publish', '--dry-run', '--loglevel=notice', '--offline'], {
    cwd: packageFolder,
  })
  expect(stdout).toContain(`+ @support-flow/client@${service.version}`)
})

it('CLI-03 is imported by plain Node', async () => {
  const script = `import { createClient } from '@support-flow/client'
    console.log(typeof createClient({ baseUrl: 'https://api.example.com' }).identity.auth.login)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder })
  expect(stdout).toBe('function\n')
})

const consumer = `
import { createClient, type Flow, type Handoff, type Session } from '@support-flow/client'
const client = createClient({ baseUrl: 'https://api.example.com' })
export const name: string = (await client.identity.auth.getMe()).full_name
export const session: Session = await client.sessions.get({ session_id: name })
export type Opened = Flow | Handoff
// @ts-expect-error the answer has types
export const missing = (await client.identity.auth.getMe()).color
`

it.each(['preserve', 'node20'])(
  'CLI-03 compiles in a strict project whose modules are resolved as %s',
  async (module) => {
    await writeFile(join(folder, 'consumer.ts'), consumer)
    await expect(compile(module, ['consumer.ts'])).resolves.toMatchObject({ stdout: '' })
  },
)

it('CLI-04 every code block of its README compiles, and the first page has at most 40 lines', async () => {
  await linkPackages(folder, ['react', 'react-dom', '@types/react', '@types/react-dom', 'csstype'])
  const files = await writeReadmeFiles(folder)
  expect(files).toContain('src/main.tsx')
  await expect(compile('preserve', files)).resolves.toMatchObject({ stdout: '' })
  const page = await readFile(join(folder, 'src/main.tsx'), 'utf8')
  expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(maxSampleLines)
})
