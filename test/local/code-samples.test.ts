import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import openapi from '#functions/openapi.json' with { type: 'json' }
import { operations } from '#functions/operations.ts'
import { isClientOperation } from '#local/build/client-operations.ts'
import { addCodeSamples, type SampledDocument } from '#local/build/code-samples.ts'
import { root } from '#local/root.ts'

const run = promisify(execFile)

/** Return the samples of the typed client by operation. */
function listSamples(): Record<string, string> {
  const document = addCodeSamples(openapi as unknown as SampledDocument)
  const described = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  return Object.fromEntries(
    described.flatMap((op) => {
      const [sample] = ('x-codeSamples' in op ? op['x-codeSamples'] : []) as { source: string }[]
      return sample ? [[op.operationId, sample.source]] : []
    }),
  )
}

it('every operation of the typed client has a sample in the document of the reference page', () => {
  const expected = operations.filter(isClientOperation).map(({ id }) => id)
  expect(Object.keys(listSamples()).sort()).toEqual(expected.sort())
})

it('DOC-02 the samples of the typed client and of the guides compile', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'samples-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const functions = Object.values(listSamples()).map(
    (source, n) => `export async function sample${n}() {\n${source.replace(/^import .*\n/, '')}\n}`,
  )
  const guides = await readFile(join(root, 'lib/http/docs/guides.md'), 'utf8')
  const blocks = [...guides.matchAll(/^```ts\n(?:import .*\n)?(.*?)^```$/gms)].map(([, text = '']) => text)
  functions.push(`export async function runGuides() {\n${blocks.join('')}}`)
  const header = `import { type ClientOptions, createClient } from '${root}/lib/client/client.ts'
declare const baseUrl: string, tokens: NonNullable<ClientOptions['tokens']>, bytes: Uint8Array<ArrayBuffer>
declare const email: string, password: string, signal: AbortSignal, show: (text: string) => void\n`
  await writeFile(join(folder, 'samples.mts'), header + functions.join('\n'))
  const config = {
    extends: `${root}/lib/client/tsconfig.json`,
    compilerOptions: {
      noEmit: true,
      rootDir: '/',
      rewriteRelativeImportExtensions: false,
      allowImportingTsExtensions: true,
    },
    include: ['samples.mts'],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const compiled = run(join(root, 'node_modules/.bin/tsc'), ['-p', folder])
  await expect(compiled).resolves.toMatchObject({ stdout: '' })
})

it('samples take the example of the body, iterate lists and streams, and keep results only where there are some', () => {
  const samples = listSamples()
  const readCall = (id: string) => samples[id]?.split('\n').slice(3).join('\n')
  expect(readCall('flows.trees.list')).toBe(
    'for await (const item of client.flows.trees.list()) {\n  console.log(item)\n}',
  )
  expect(readCall('ai.escalations.stream')).toMatch(
    /^for await \(const \{ event, data \} of client\.ai\.escalations\.stream\(\)\)/,
  )
  expect(readCall('notifications.createConfig')).toMatch(
    /^const result = await client\.notifications\.createConfig\(\{\n {2}channel: 'email',/,
  )
  expect(readCall('flows.trees.delete')).toMatch(
    /^await client\.flows\.trees\.delete\(\{ tree_id: '[0-9a-f-]{36}' \}\)$/,
  )
  expect(readCall('uploads.create')).toContain('client.uploads.create({ file })')
})
