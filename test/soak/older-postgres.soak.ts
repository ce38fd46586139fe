import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findFreePort } from '#local/ports.ts'
import { openCluster, ownerPassword, withSuperuser } from '#local/postgres.ts'
import { root } from '#local/root.ts'
import { templateDatabase } from '#test/support/template-database.ts'

const run = promisify(execFile)

// Debian's folders; POSTGRES_BIN adds another one.
const folders = [process.env.POSTGRES_BIN ?? '', '/usr/lib/postgresql/16/bin', '/usr/lib/postgresql/17/bin']
const installed = folders.filter((folder) => folder && existsSync(join(folder, 'initdb')))
if (installed.length === 0)
  console.log('No PostgreSQL 16 or 17 is installed, so the tests of the database are skipped.')

// As in lib/local/postgres.ts.
const flags = [
  'listen_addresses=127.0.0.1',
  'max_connections=200',
  'max_locks_per_transaction=256',
  'fsync=off',
  'synchronous_commit=off',
]

// The server refuses to run as root.
const serverUser =
  process.getuid?.() === 0 ? Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' })) : undefined

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
    const options = {
      cwd: root,
      env: { ...process.env, TEST_POSTGRES_PORT: String(port) },
      maxBuffer: 1 << 28,
    }
    const output = await run('vitest', ['run', '--config', 'test/vitest.config.ts', ...files], options).then(
      () => 'passed',
      ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`,
    )
    expect(output.split('\n').filter((line) => /^passed$| FAIL |Error:/.test(line))).toEqual(['passed'])
  })
})

/** Start a server with the programs in a folder, until the tests end. Return its port. */
async function startServer(programs: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'flow-postgres-'))
  chmodSync(folder, 0o755)
  if (serverUser !== undefined) chownSync(folder, serverUser, serverUser)
  const data = join(folder, 'data')
  const start = (program: string, ...args: string[]) =>
    execFileSync(join(programs, program), ['-D', data, ...args], {
      uid: serverUser,
      cwd: folder,
      stdio: 'ignore',
    })
  start('initdb', '-A', 'trust', '-U', 'postgres', '--encoding=UTF8', '--locale=C.UTF-8')
  const port = await findFreePort()
  const options = [
    `-p ${port}`,
    ...[...flags, `unix_socket_directories=${folder}`].map((flag) => `-c ${flag}`),
  ].join(' ')
  start('pg_ctl', 'start', '--wait', '--log', join(folder, 'log'), '-o', options)
  onTestFinished(() => {
    start('pg_ctl', 'stop', '--mode=immediate')
    rmSync(folder, { recursive: true })
  })
  return port
}
