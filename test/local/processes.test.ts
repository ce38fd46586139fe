import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { withConnection } from '#db/migrate/connection.ts'
import { startPostgres } from '#local/postgres.ts'
import { listProcesses, parsePs, recordProcesses, stopOrphans } from '#local/processes.ts'
import { sharedService } from '#test/support/app.ts'
import { night } from '#test/support/night.ts'

const script = join(import.meta.dirname, 'orphan-maker.ts')

/** Run a process that starts PostgreSQL and workerd in `folder` and records them. */
async function startRecordedChild(folder: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const chunk of child.stdout ?? []) if (String(chunk).includes('started')) break
  return child
}

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'flow-orphans-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const isRunning = async (pid: number) => (await listProcesses()).some((info) => info.pid === pid)

it('stops the PostgreSQL and workerd of a killed process, so that the next start works', night, async () => {
  const folder = await createFolder()
  const file = join(folder, 'processes.json')
  const child = await startRecordedChild(folder)
  await expect(stopOrphans(file, join(folder, 'data'))).rejects.toThrow(
    `already running from this folder, as process ${child.pid}`,
  )
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
  const { children } = JSON.parse(await readFile(file, 'utf8')) as {
    children: { pid: number; command: string }[]
  }
  const orphans = children.filter(({ command }) => /postgres|workerd/.test(command))
  expect(orphans).toHaveLength(2)
  for (const { pid } of orphans) expect(await isRunning(pid)).toBe(true)
  await stopOrphans(file, join(folder, 'data'))
  for (const { pid } of orphans) expect(await isRunning(pid)).toBe(false)
  const cluster = await startPostgres(join(folder, 'data'), { durable: false })
  await cluster.stop()
  await stopOrphans(file, join(folder, 'data'))
})

it('stops a PostgreSQL that was killed with its process before it was recorded', night, async () => {
  const folder = await createFolder()
  const file = join(folder, 'processes.json')
  const child = await startRecordedChild(folder)
  const record = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...record, children: [] }))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
  await stopOrphans(file, join(folder, 'data'))
  const left = (await listProcesses()).filter(({ pid }) =>
    record.children.some((info: { pid: number }) => info.pid === pid),
  )
  expect(left.map(({ command }) => /workerd/.test(command))).toEqual([true])
  for (const { pid } of left) process.kill(pid, 'SIGKILL')
})

it('leaves a process alone whose number an earlier process had', async () => {
  const folder = await createFolder()
  const file = join(folder, 'processes.json')
  const other = spawn('sleep', ['60'])
  onTestFinished(() => void other.kill('SIGKILL'))
  await recordProcesses(file)
  const record = JSON.parse(await readFile(file, 'utf8'))
  const owner = { ...record.owner, startedAt: 'earlier' }
  await writeFile(
    file,
    JSON.stringify({
      owner,
      children: [{ pid: other.pid, parent: 1, startedAt: 'earlier', command: 'sleep 60' }],
    }),
  )
  await stopOrphans(file, join(folder, 'data'))
  expect(await isRunning(other.pid ?? 0)).toBe(true)
})

it('parses the output of ps', () => {
  const text =
    '    1     0 Sun Nov 22 08:00:01 2026 /sbin/launchd\n  412     1 Sun Nov  1 08:00:02 2026 /usr/bin/some thing -D /x\n'
  expect(parsePs(text)).toEqual([
    { pid: 1, parent: 0, startedAt: 'Sun Nov 22 08:00:01 2026', command: '/sbin/launchd' },
    { pid: 412, parent: 1, startedAt: 'Sun Nov  1 08:00:02 2026', command: '/usr/bin/some thing -D /x' },
  ])
})

it('fails only the statement in flight when PostgreSQL ends a connection', async () => {
  const connectionString = (await sharedService()).ownerUrl
  const sleeping = withConnection({ connectionString }, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    await withConnection({ connectionString }, (other) =>
      other.query('select pg_terminate_backend($1)', [rows[0]?.pid]),
    )
    // The process would end here, with an `error` event that nobody handles.
    await new Promise((resolve) => setTimeout(resolve, 200))
    return client.query('select 1')
  })
  await expect(sleeping).rejects.toThrow()
})
