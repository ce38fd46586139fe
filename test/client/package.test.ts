import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it, onTestFinished } from 'vitest'
import { operations } from '../../functions/operations.ts'
import { createClient } from '../../lib/client/client.ts'
import { isClientOperation } from '../../lib/local/client-operations.ts'
import packageJson from '../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')
const tsc = join(root, 'node_modules/.bin/tsc')
const run = promisify(execFile)
const maxGzippedBytes = 15 * 1024

it('has one method per operation, at the place that its id names', () => {
  const client = createClient({ baseUrl: 'https://api.example.com' })
  const find = (id: string) => id.split('.').reduce<unknown>((node, name) => (node as Record<string, unknown>)?.[name], client)
  expect(operations.filter((op) => isClientOperation(op) !== (typeof find(op.id) === 'function')).map(({ id }) => id)).toEqual([])
})

it('is at most 15 KiB gzipped in a bundle', async () => {
  const { outputFiles, warnings } = await build({
    entryPoints: [join(root, 'lib/client/client.ts')],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
  })
  expect(warnings).toEqual([])
  expect(gzipSync(outputFiles[0]?.contents as Uint8Array).length).toBeLessThanOrEqual(maxGzippedBytes)
})

const consumer = `
import { createClient } from 'support-flow-service/client'
const client = createClient({ baseUrl: 'https://api.example.com' })
export const name: string = (await client.identity.auth.getMe()).full_name
// @ts-expect-error the answer has types
export const missing = (await client.identity.auth.getMe()).color
`

it('compiles in projects that resolve modules as bundlers and as Node', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'client-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const installed = join(folder, 'node_modules/support-flow-service')
  await mkdir(installed, { recursive: true })
  await writeFile(join(installed, 'package.json'), JSON.stringify({ type: 'module', exports: packageJson.exports }))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await writeFile(join(folder, 'consumer.ts'), consumer)
  await run(tsc, ['-p', join(root, 'lib/client'), '--outDir', join(installed, 'dist/client')])
  const shared = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--lib', 'es2022,dom', '--types', '', 'consumer.ts']
  for (const [module, resolution] of [
    ['esnext', 'bundler'],
    ['node16', 'node16'],
  ] as const) {
    const compiled = run(tsc, ['--module', module, '--moduleResolution', resolution, ...shared], { cwd: folder })
    await expect(compiled, resolution).resolves.toMatchObject({ stderr: '' })
  }
})
