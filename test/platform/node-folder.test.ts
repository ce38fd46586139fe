import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, it, onTestFinished } from 'vitest'
import { buildNodeFolder, nodeCommands } from '#local/build/node-folder.ts'
import { withSuperuser } from '#local/postgres.ts'
import { root } from '#local/root.ts'
import { builtAssets } from '#local/worker.ts'
import { startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createEmptyDatabase, createMigratedDatabase } from '#test/support/migrations.ts'
import { night } from '#test/support/night.ts'
import { spawnNode, toServeSettings, waitForOutput } from '#test/support/node-child.ts'
import { createAccount } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'

const service = await startOwnService()
const { admin } = await createAccount(service)
// Far from the packages of the checkout, which Node would find in a folder above.
const folder = mkdtempSync(join(tmpdir(), 'flow-node-'))
await buildNodeFolder(folder, builtAssets)
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

const owner = { DATABASE_OWNER_URL: service.ownerUrl }
/** Run a command of the folder, with exactly these settings. */
function run(
  command: keyof typeof nodeCommands,
  args: readonly string[] = [],
  settings: Record<string, string> = owner,
) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${command}.js`, ...args], {
    cwd: folder,
    env: settings,
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

it('INS-08 the built folder migrates a database with its own files', night, () => {
  expect(run('migrate', ['--plan'])).toMatchObject({
    status: 0,
    output: expect.stringContaining('No migration is pending.'),
  })
  expect(run('migrate')).toMatchObject({ status: 0, output: expect.stringContaining('up to date') })
})

it('INS-08 the built folder has the commands of the operator', night, () => {
  const { output } = run('doctor')
  expect(output).toContain('ok       every migration is applied')
  expect(output).toContain('ok       a process for files of strangers starts')
  const dumped = run('drill', ['--dump', join(folder, 'dump')])
  expect(dumped).toMatchObject({ status: 0, output: expect.stringContaining('tables') })
  expect(JSON.parse(readFileSync(join(folder, 'dump/dump.json'), 'utf8')).migrations.length).toBeGreaterThan(
    20,
  )
  expect(
    run('admin', ['nobody@example.com'], {
      ...owner,
      CREDENTIALS_KEY: service.settings.CREDENTIALS_KEY ?? '',
    }),
  ).toMatchObject({
    status: 1,
    output: expect.stringContaining('nobody@example.com'),
  })
  expect(run('secrets')).toMatchObject({
    status: expect.any(Number),
    output: expect.not.stringContaining('Cannot find'),
  })
  const copy = mkdtempSync(join(tmpdir(), 'flow-init-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(folder, copy, { recursive: true })
  const { status, stdout } = spawnSync(process.execPath, ['init.js'], { cwd: copy, encoding: 'utf8' })
  expect([status, readFileSync(join(copy, '.env'), 'utf8')]).toEqual([
    0,
    expect.stringMatching(/^CREDENTIALS_KEY=/m),
  ])
  expect(findMissing(stdout)).toEqual([])
})

it('INS-08 a command names the remedy for a database without tables, and for a refused connection', async () => {
  const empty = { DATABASE_OWNER_URL: await createEmptyDatabase() }
  const wrong = Object.assign(new URL(service.ownerUrl), { pathname: 'no_such_database' }).href
  const credentials = { CREDENTIALS_KEY: service.settings.CREDENTIALS_KEY ?? '' }
  for (const [command, ...args] of [
    ['admin', 'nobody@example.com'],
    ['drill', '--dump', join(folder, 'dump-of-nothing')],
    ['secrets', 'reseal'],
  ] as const) {
    expect(run(command, args, { ...credentials, ...empty })).toMatchObject({
      status: 1,
      output: expect.stringContaining('run `npm run migrate`'),
    })
    expect(run(command, args, { ...credentials, DATABASE_OWNER_URL: wrong })).toMatchObject({
      status: 1,
      output: expect.stringMatching(/^The connection string of the owner is refused \(.*no_such_database/),
    })
  }
})

it('INS-08 the folder of a release, which has no packages, names the command that installs them', () => {
  const copy = mkdtempSync(join(tmpdir(), 'flow-release-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(folder, copy, { recursive: true, filter: (path) => path !== join(folder, 'node_modules') })
  for (const command of ['serve', 'doctor']) {
    const { status, stderr } = spawnSync(process.execPath, [`${command}.js`], {
      cwd: copy,
      env: owner,
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^Cannot find package .*: run `npm ci` .*\n$/),
    ])
  }
})

// `init` writes the one, and the others are of Docker and of systemd.
const elsewhere = ['create-database.sql', 'compose.yaml', 'postgresql.service']
const fileName = /(?<![\w/.:@])(?:[\w-]+\/)*[\w-]+\.(?:js|ts|sql|service|yml|yaml|json|conf|md)\b/g
const placeName = /(?<![\w/.])(?:lib|functions|test|migrations|dist)\/[\w./-]*\w/g

/** List the commands and files that a text names and the folder lacks. */
function findMissing(text: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const commands = [...text.matchAll(/\bnpm run ([\w:]+)/g)].map(([, name = '']) => name)
  const files = [...(text.match(fileName) ?? []), ...(text.match(placeName) ?? [])]
  return [
    ...commands.filter((name) => !(name in scripts)),
    ...files.filter((name) => !elsewhere.includes(name) && !existsSync(join(folder, name))),
  ]
}

it('INS-18 the built folder has every file and command that its documents name', () => {
  const documents = ['README.md', '.env.example', '.env.owner.example'].concat(
    ['support-flow.service', 'Caddyfile', 'nginx.conf', 'prometheus-alerts.yml'].map(
      (name) => `lib/ops/${name}`,
    ),
  )
  const named = documents.map((name) => [name, findMissing(readFileSync(join(folder, name), 'utf8'))])
  expect(named.filter(([, missing]) => missing?.length)).toEqual([])
  const readme = readFileSync(join(folder, 'README.md'), 'utf8')
  for (const name of documents.slice(3)) expect(readme).toContain(name)
  for (const name of [
    'LICENSE',
    'CHANGELOG.md',
    'lib/ops/grafana-dashboard.json',
    ...Object.keys(nodeCommands),
  ])
    expect(readme).toContain(name)
  expect([existsSync(join(folder, 'LICENSE')), readme.includes('checkout -->')]).toEqual([true, false])
  const licenses = readFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
  for (const part of [
    'hono ',
    'kysely ',
    'pg-types ',
    '@fontsource/noto-sans ',
    'SIL OPEN FONT LICENSE',
    'Permission is hereby granted',
  ])
    expect(licenses).toContain(part)
})

it('INS-18 a dump is restored without a checkout, into a new database alone', night, async () => {
  expect(run('drill')).toMatchObject({ status: 1, output: expect.stringContaining('only a checkout has') })
  const dump = join(folder, 'dump-to-load')
  expect(run('drill', ['--dump', dump]).status).toBe(0)
  expect(run('drill', ['--dump', dump])).toMatchObject({
    status: 1,
    output: `${dump} is there already: name a new folder.\n`,
  })
  const url = await createMigratedDatabase()
  const load = () => run('drill', ['--load', dump], { DATABASE_OWNER_URL: url })
  expect(load()).toMatchObject({ status: 1, output: expect.stringContaining('grant set on parameter') })
  const allow = (statement: string) =>
    withSuperuser(inject('shared').postgresPort, 'postgres', (client) => client.query(statement))
  await allow('grant set on parameter session_replication_role to flow_owner')
  onTestFinished(async () => {
    await allow('revoke set on parameter session_replication_role from flow_owner')
  })
  expect(load()).toMatchObject({ status: 0, output: expect.stringContaining('is complete') })
  expect(load()).toMatchObject({ status: 1, output: expect.stringContaining('is in use') })
  expect(run('drill', ['--load', join(folder, 'nothing')])).toMatchObject({
    status: 1,
    output: expect.stringContaining('has no dump.json'),
  })
})

it('INS-08 the built folder serves sign-ins, pictures and the reference, without the packages of the checkout', async () => {
  // Without ASSETS_DIR: the folder has its own.
  const child = await spawnNode(
    toServeSettings(service.settings, join(folder, 'objects'), { ASSETS_DIR: undefined }),
    folder,
    'serve.js',
  )
  await waitForOutput(child, '"listening"')
  const { api } = child
  const email = 'new@example.com'
  const registered = await postWithoutToken({ ...service, api, fetch: undefined }, '/auth/register', {
    email,
    password: 'demo-ladder-42-x',
    full_name: 'Ada',
  })
  expectStatus(registered, 201)
  const authorization = `Bearer ${admin.token}`
  const created = await admin.call('POST', '/network-diagrams', { name: 'Office مكتب' })
  expectStatus(created, 201)
  const image = await fetch(`${api}/api/v1/network-diagrams/${created.body.id}/export?format=png`, {
    headers: { authorization },
  })
  expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
  // A process of its own reads the file.
  const imported = await fetch(`${api}/api/v1/network-diagrams/import`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ format: 'mermaid', content: 'graph TD\nrouter --> printer' }),
  })
  expect(imported.status).toBe(201)
  expect((await fetch(`${api}/docs/`)).status).toBe(200)
  const ready = await fetch(`${api}/ready`, {
    headers: { authorization: `Bearer ${service.settings.READY_TOKEN}` },
  })
  expect(await ready.json()).toMatchObject({ checks: { database: 'ok', images: 'ok', objects: 'ok' } })
  expect(await checkHealth(api)).toBe(0)
  child.process.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  expect(await checkHealth(api)).toBe(1)
})

/** Run the health check of the container image against a service, and return its exit code. */
async function checkHealth(api: string): Promise<number | null> {
  const [, command = '[]'] =
    /^HEALTHCHECK [\s\S]*?CMD (\[.*\])$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? []
  const [program, ...args] = JSON.parse(command.replace('http://127.0.0.1:8787', api)) as string[]
  expect([program, JSON.stringify(args)]).toEqual(['node', expect.stringContaining(`${api}/health`)])
  const [code] = await once(spawn(process.execPath, args, { cwd: folder, env: {} }), 'exit')
  return code
}
