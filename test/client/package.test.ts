import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { operations } from '#functions/operations.ts'
import { isClientOperation } from '#local/build/client-operations.ts'
import { root } from '#local/root.ts'
import { compile, inConsumerProject } from './installed-package.ts'

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
  const shared = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--lib', 'es2022,dom', '--types', '', 'consumer.ts']
  await inConsumerProject(async (folder) => {
    await writeFile(join(folder, 'consumer.ts'), consumer)
    for (const [module, resolution] of [
      ['esnext', 'bundler'],
      ['node16', 'node16'],
    ] as const) {
      const compiled = compile(['--module', module, '--moduleResolution', resolution, ...shared], folder)
      await expect(compiled, resolution).resolves.toMatchObject({ stderr: '' })
    }
  })
})
