import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { type OwnService, startOwnService } from '#test/support/app.ts'
import { createImage } from '#test/support/images.ts'
import { createAccount } from '#test/support/people.ts'

const run = promisify(execFile)
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

interface Generator {
  packages: string[]
  /** A command of the packages, or a script of theirs. */
  command: string[]
  files?: Record<string, string>
  /** A function that uploads a file and downloads it again with the generated client. */
  roundTrip?: string
}
const signature =
  'export async function roundTrip(baseUrl: string, token: string, file: Blob): Promise<Blob> {'
const generators: Record<string, Generator> = {
  'openapi-typescript': {
    packages: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0'],
    command: ['node', 'generate.mjs'],
    files: {
      // https://openapi-ts.dev/node#example-blob-types
      'generate.mjs': `
import { mkdir, writeFile } from 'node:fs/promises'
import openapi, { astToString } from 'openapi-typescript'
import ts from 'typescript'
const blob = ts.factory.createTypeReferenceNode('Blob')
const transform = ({ format }) => (format === 'binary' ? blob : undefined)
await mkdir('client')
await writeFile('client/api.d.ts', astToString(await openapi(new URL('openapi.json', import.meta.url), { transform })))`,
    },
    roundTrip: `
import createClient from 'openapi-fetch'
import type { paths } from './client/api'
${signature}
  const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } })
  const bodySerializer = (body: { file: Blob }) => {
    const form = new FormData()
    form.set('file', body.file, 'printer.png')
    return form
  }
  const created = await client.POST('/api/v1/uploads', { body: { file }, bodySerializer })
  if (!created.data) throw new Error(created.error.detail)
  const params = { path: { upload_id: created.data.id } }
  const { data, error } = await client.GET('/api/v1/uploads/{upload_id}', { params, parseAs: 'blob' })
  if (!data) throw new Error(error?.detail)
  return data
}`,
  },
  'swagger-typescript-api': {
    packages: ['swagger-typescript-api@13.2.16'],
    command: ['swagger-typescript-api', 'generate', '-p', 'openapi.json', '-o', 'client', '-n', 'api.ts'],
  },
  'hey-api': {
    packages: ['@hey-api/openapi-ts@0.95.0'],
    command: ['openapi-ts', '-i', 'openapi.json', '-o', 'client'],
    roundTrip: `
import { uploadsCreate, uploadsGet } from './client'
import { createClient } from './client/client'
${signature}
  const client = createClient({ baseUrl, auth: token })
  const { data: created } = await uploadsCreate({ client, body: { file }, throwOnError: true })
  const { data } = await uploadsGet({ client, path: { upload_id: created.id }, throwOnError: true })
  return data
}`,
  },
  orval: {
    packages: ['orval@7.13.2'],
    command: ['orval', '--config', 'orval.config.cjs'],
    files: {
      'orval.config.cjs': `module.exports = { service: {
  input: './openapi.json',
  output: { target: './client/api.ts', client: 'fetch', override: { mutator: { path: './fetcher.ts', name: 'fetcher' } } } } }`,
      // Its own reads every answer as a text: https://orval.dev/guides/fetch has such a function.
      'fetcher.ts': `
export const settings = { baseUrl: '', token: '' }
export async function fetcher<T>(path: string, { headers, ...init }: RequestInit): Promise<T> {
  const response = await fetch(settings.baseUrl + path, {
    ...init,
    headers: { ...(headers as Record<string, string>), authorization: \`Bearer \${settings.token}\` },
  })
  const isJson = response.headers.get('content-type')?.includes('json')
  const data = isJson ? await response.json() : await response.blob()
  return { data, status: response.status, headers: response.headers } as T
}`,
    },
    roundTrip: `
import { uploadsCreate, uploadsGet } from './client/api'
import { settings } from './fetcher'
${signature}
  Object.assign(settings, { baseUrl, token })
  const created = await uploadsCreate({ file })
  if (created.status !== 201) throw new Error(String(created.status))
  const answer = await uploadsGet(created.data.id)
  if (answer.status !== 200) throw new Error(String(answer.status))
  return answer.data
}`,
  },
}

let service: OwnService
beforeAll(async () => {
  service = await startOwnService()
})
afterAll(() => service.close())

// The packages come from the npm registry when the test runs, because nothing else needs them.
describe.each(Object.entries(generators))('the client of %s', (_, generator) => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'generated-clients-'))
    await copyFile(join(root, 'functions/openapi.json'), join(folder, 'openapi.json'))
    await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}')
    const { files = {}, roundTrip = '', packages } = generator
    for (const [name, text] of Object.entries({ ...files, 'round-trip.ts': roundTrip }))
      await writeFile(join(folder, name), text)
    // The compiler of the generators, which read types by its programming interface.
    const all = ['typescript@5.9.3', ...packages]
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...all], { cwd: folder })
  }, 300_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('WIR-76 WIR-89 compiles strictly, and gets the bytes of a file that it has uploaded', async () => {
    await run('npx', generator.command, { cwd: folder })
    const include = ['client', 'round-trip.ts']
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }))
    const { stdout } = await run('npx', ['tsc', '-p', '.'], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toBe('')
    if (!generator.roundTrip) return
    const outfile = join(folder, 'round-trip.mjs')
    await build({ entryPoints: [join(folder, 'round-trip.ts')], bundle: true, format: 'esm', outfile })
    const { roundTrip } = await import(pathToFileURL(outfile).href)
    const { admin } = await createAccount(service)
    const file = new File([await createImage('png', 40, 30)], 'printer.png', { type: 'image/png' })
    const downloaded: Blob = await roundTrip(service.api, admin.token, file)
    const [{ id } = { id: '' }] = await service.sql<{ id: string }>(
      'select id from uploads where account_id = $1',
      [admin.accountId],
    )
    const stored = await fetch(`${service.api}/api/v1/uploads/${id}`, {
      headers: { authorization: `Bearer ${admin.token}` },
    })
    expect(downloaded).toBeInstanceOf(Blob)
    expect(await downloaded.bytes()).toEqual(await (await stored.blob()).bytes())
  })
})
