import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { findFreePort } from '#local/ports.ts'
import { openCluster, ownerPassword, withSuperuser } from '#local/postgres.ts'
import { root } from '#local/root.ts'
import { templateDatabase } from '#test/support/setup.ts'

// Debian's folders; POSTGRES_BIN adds another one.
const folders = [process.env.POSTGRES_BIN ?? '', '/usr/lib/postgresql/16/bin', '/usr/lib/postgresql/17/bin']
const installed = folders.filter((folder) => folder && existsSync(join(folder, 'initdb')))
if (installed.length === 0) console.log('No PostgreSQL 16 or 17 is installed, so the tests of the database are skipped.')

// As in lib/local/postgres.ts.
const flags = ['listen_addresses=127.0.0.1', 'max_connections=200', 'max_locks_per_transaction=256', 'fsync=off', 'synchronous_commit=off']

// The server refuses to run as root.
const serverUser = process.getuid?.() === 0 ? Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' })) : undefined

// The released version was recorded on 18, and the other file compares with the functions of 18.
const excluded = ['release', 'older-postgres'].map((name) => `--exclude=test/lib/db/${name}.test.ts`)

describe.skipIf(installed.length === 0)('INS-10 an older PostgreSQL', () => {
  it.each(installed)('of %s passes the tests of the database', async (programs) => {
    const port = await startServer(programs)
    await withSuperuser(port, 'postgres', (client) =>
      client.query(`create role flow_owner login createdb createrole bypassrls password '${ownerPassword}'`),
    )
    await openCluster(port).createDatabase(templateDatabase)
    const files = ['test/functions', 'test/lib/db', 'test/security', ...excluded]
    const { status, stdout } = spawnSync('vitest', ['run', '--config', 'test/vitest.config.ts', ...files], {
      cwd: root,
      env: { ...process.env, TEST_POSTGRES_PORT: String(port) },
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    })
    expect([status, stdout.split('\n').filter((line) => line.includes('FAIL'))]).toEqual([0, []])
  })
})

/** Start a server with the programs in a folder, until the tests end. Return its port. */
async function startServer(programs: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'flow-postgres-'))
  chmodSync(folder, 0o755)
  if (serverUser !== undefined) chownSync(folder, serverUser, serverUser)
  const data = join(folder, 'data')
  const options = { uid: serverUser, cwd: folder, stdio: 'ignore' } as const
  spawnSync(join(programs, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'postgres', '--encoding=UTF8', '--locale=C.UTF-8'], options)
  const port = await findFreePort()
  const settings = [...flags, `unix_socket_directories=${folder}`].flatMap((flag) => ['-c', flag])
  const server = spawn(join(programs, 'postgres'), ['-D', data, '-p', String(port), ...settings], options)
  afterAll(async () => {
    server.kill('SIGINT')
    await once(server, 'exit')
    rmSync(folder, { recursive: true })
  })
  while (spawnSync(join(programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).status !== 0) {
    if (server.exitCode !== null) throw new Error(`${programs}/postgres ended with ${server.exitCode}`)
  }
  return port
}
