import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '#local/root.ts'

const run = promisify(execFile)
/** The compiler of the generators, which read types by its programming interface. */
const typescript = 'typescript@5.9.3'
const compilerOptions = {
  ...{
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
  },
  ...{ lib: ['es2023', 'dom', 'dom.iterable'], types: [] },
}
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'generated-clients-'))
  await copyFile(join(root, 'functions/openapi.json'), join(folder, 'openapi.json'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

// The packages come from the npm registry when the test runs, because nothing else needs them.
it.each([
  ['openapi-typescript@7.13.0', ['openapi-typescript', 'openapi.json', '-o', 'client/api.d.ts']],
  [
    'swagger-typescript-api@13.2.16',
    ['swagger-typescript-api', 'generate', '-p', 'openapi.json', '-o', 'client', '-n', 'api.ts'],
  ],
  ['@hey-api/openapi-ts@0.95.0', ['openapi-ts', '-i', 'openapi.json', '-o', 'client']],
  ['orval@7.13.2', ['orval', '--input', 'openapi.json', '--output', 'client/api.ts', '--client', 'fetch']],
])('WIR-76 the client that %s generates compiles', async (generator, command) => {
  await rm(join(folder, 'client'), { recursive: true, force: true })
  await run('npx', ['--yes', '-p', typescript, '-p', generator, ...command], { cwd: folder })
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['client'] }))
  const { stdout } = await run('npx', ['--yes', '-p', typescript, 'tsc', '-p', '.'], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  )
  expect(stdout).toBe('')
})
