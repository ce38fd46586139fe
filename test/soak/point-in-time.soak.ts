import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { type Cluster, startPostgres, withSuperuser } from '#local/postgres.ts'
import { checkRestored } from '#ops/drill.ts'
import { compareTables } from '#ops/drill-compare.ts'
import { listTables, prepareConnection, summarizeTable } from '#ops/drill-tables.ts'
import { listFolderObjects } from '#platform/node/objects-folder.ts'
import { startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { createImage, uploadImage } from '#test/support/images.ts'
import { connect } from '#test/support/migrations.ts'
import { createAccount } from '#test/support/people.ts'

const folder = mkdtempSync(join(tmpdir(), 'flow-point-in-time-'))
const [archive, objects] = [join(folder, 'archive'), join(folder, 'objects')]
// PostgreSQL runs as another user when this process is root.
chmodSync(folder, 0o755)
mkdirSync(archive)
chmodSync(archive, 0o777)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const asSuperuser = <T extends object>({ port }: Cluster, statement: string) =>
  withSuperuser(port, 'postgres', async (client) => (await client.query<T>(statement)).rows[0] as T)

/** Write a file of a cluster's folder, which belongs to the user of PostgreSQL as its other files do. */
function writeClusterFile(dataDir: string, name: string, text: string): void {
  execFileSync('cp', ['-a', join(dataDir, 'PG_VERSION'), join(dataDir, name)])
  writeFileSync(join(dataDir, name), text)
}

/**
 * Copy a cluster while it runs:
 * https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
async function backUp(cluster: Cluster, target: string): Promise<void> {
  await withSuperuser(cluster.port, 'postgres', async (client) => {
    await client.query("select pg_backup_start('drill', fast => true)")
    execFileSync('cp', ['-a', cluster.dataDir, target])
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()')
    execFileSync('sh', ['-c', 'rm -rf "$1"/pg_wal/* "$1/postmaster.pid"', 'sh', target])
    writeClusterFile(target, 'backup_label', rows[0]?.labelfile ?? '')
  })
}

async function summarize(ownerUrl: string) {
  const client = await connect(ownerUrl)
  await prepareConnection(client)
  const tables = []
  for (const table of await listTables(client))
    tables.push({ ...table, ...(await summarizeTable(client, table)) })
  return tables
}

it('a base backup and the archived log restore every row and object of a time before the damage', async () => {
  const first = await startPostgres(join(folder, 'data'), { durable: true })
  await asSuperuser(first, "alter system set archive_mode = 'on'")
  await asSuperuser(first, `alter system set archive_command = 'cp "%p" "${archive}/%f"'`)
  await first.stop()
  const cluster = await startPostgres(join(folder, 'data'), { durable: true })
  const service = await startOwnService({ OBJECTS_DIR: objects }, { cluster })
  let restored: Cluster | undefined
  try {
    const { admin } = await createAccount(service)
    await createFlow(admin)
    const started = performance.now()
    await backUp(cluster, join(folder, 'restored'))
    const backedUp = performance.now()
    await createFlow(admin)
    expectStatus(await uploadImage(service, admin, await createImage('png', 40, 30)), 201)
    const before = await summarize(service.ownerUrl)
    const { time } = await asSuperuser<{ time: string }>(cluster, 'select clock_timestamp()::text as time')
    await service.sql('delete from accounts where id = $1', [admin.accountId])
    await asSuperuser(cluster, 'select pg_switch_wal()')
    const settings = [
      `restore_command = 'cp "${archive}/%f" "%p"'`,
      `archive_mode = 'off'`,
      `recovery_target_time = '${time}'`,
      `recovery_target_action = 'promote'`,
    ]
    writeClusterFile(join(folder, 'restored'), 'postgresql.auto.conf', `${settings.join('\n')}\n`)
    writeClusterFile(join(folder, 'restored'), 'recovery.signal', '')
    const isArchived = async () =>
      (
        await asSuperuser<{ n: number }>(
          cluster,
          `select count(*)::int as n from pg_ls_archive_statusdir() where name like '%.ready'`,
        )
      ).n === 0
    await expect.poll(isArchived, { timeout: 30_000 }).toBe(true)
    const restoring = performance.now()
    restored = await startPostgres(join(folder, 'restored'), { durable: true })
    const { port } = restored
    const isPromoted = async () =>
      (await asSuperuser<{ r: boolean }>(restored as Cluster, 'select pg_is_in_recovery() as r')).r === false
    await expect.poll(isPromoted, { timeout: 60_000 }).toBe(true)
    const restoredAt = performance.now()
    const restoredUrl = service.ownerUrl.replace(/:\d+\//, `:${port}/`)
    const after = new Map((await summarize(restoredUrl)).map((table) => [table.name, table]))
    expect(compareTables(before, after)).toEqual([])
    expect(after.get('trees')?.rows).toBeGreaterThan(1)
    const lines: string[] = []
    const options = {
      sourceUrl: service.ownerUrl,
      listObjects: () => listFolderObjects(objects),
      folder,
      print: (line: string) => lines.push(line),
    }
    expect(await checkRestored(restoredUrl, options), lines.join('\n')).toBe(true)
    const stored = await listFolderObjects(objects)
    expect(lines).toContain(
      `objects  ${stored.length} in rows, ${stored.length} stored, 0 missing, 0 without a row`,
    )
    const [key = ''] = stored
    await unlink(join(objects, key))
    expect(await checkRestored(restoredUrl, options)).toBe(false)
    expect(lines).toContain(`PROBLEM  The object ${key} is missing`)
    const seconds = (from: number, to: number) => `${((to - from) / 1000).toFixed(1)} s`
    console.log(
      `base backup ${seconds(started, backedUp)}, restore to ${time} ${seconds(restoring, restoredAt)}`,
    )
  } finally {
    await service.close()
    await restored?.stop()
    await cluster.stop()
  }
})
