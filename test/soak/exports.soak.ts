import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { folderObjects } from '#platform/node/objects-folder.ts'
import { createExport, downloadExport, readArchive, toComparable } from '#test/support/account-exports.ts'
import { importArchive } from '#test/support/account-imports.ts'
import { startOwnService } from '#test/support/app.ts'
import { createFlow, printerFlow } from '#test/support/flows.ts'
import { createAccount, type TestAccount } from '#test/support/people.ts'

const service = await startOwnService()
let folder: string
let account: TestAccount
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exports-'))
  account = await createAccount(service)
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})

const flows = Number(process.env.SOAK_FLOWS ?? 400)
const sessions = Number(process.env.SOAK_SESSIONS ?? 100_000)
const uploads = Number(process.env.SOAK_UPLOADS ?? 1000)

/** Run a process with little heap, and return what it prints. */
async function run(...args: string[]): Promise<{ count: number; ms: number; peakMb: number }> {
  const script = new URL('export-process.ts', import.meta.url).pathname
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=64', script, ...args])
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}')
}

/** Copy a flow with versions of 20 KB, and insert sessions with decisions, audit entries and uploads. */
async function fillAccount(): Promise<void> {
  const { id } = await createFlow(account.admin, { name: 'Printer' })
  const { sql } = service
  const padding = Array.from({ length: 1500 }, (_, n) => `word${n % 200}`).join(' ')
  const children = [0, 1].map((n) => ({ ...printerFlow().children[n], description: padding }))
  const structure = JSON.stringify({ ...printerFlow(), children })
  await sql(
    `with copies as (
       insert into trees (account_id, team_id, author_id, tree_type, status, visibility, name, version)
       select account_id, team_id, author_id, tree_type, status, 'account', 'Copy ' || n, 2 from trees, generate_series(2, $2::int) n where id = $1 returning *)
     insert into tree_versions (account_id, tree_id, version, status, name, tree_type, tree_structure, saved_by)
     select account_id, id, v, status, name, tree_type, $3::jsonb, author_id from copies, generate_series(1, 2) v`,
    [id, flows, structure],
  )
  await sql(
    `insert into sessions (account_id, team_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, remaining, notes)
     select t.account_id, t.team_id, t.author_id, t.account_id, t.id, 1, t.name, 'prepared', 3, repeat('note ', 40)
       from trees t, generate_series(1, $2::int) where t.id = $1`,
    [id, sessions],
  )
  await sql(
    `insert into audit_logs (account_id, action, resource_type) select $1, 'soak', 'soak' from generate_series(1, $2::int)`,
    [account.id, sessions],
  )
  const image = crypto.getRandomValues(new Uint8Array(65_536))
  const objects = folderObjects(folder, 60_000)
  for (let n = 0; n < uploads; n++) {
    const key = `accounts/${account.id}/soak-${n}.jpg`
    await objects.put(key, new Uint8Array([...image, ...image, n % 256]))
    await sql(
      `insert into uploads (account_id, object_key, content_type, width, height, size, sha256) values ($1, $2, 'image/jpeg', 1, 1, 131073, repeat('0', 64))`,
      [account.id, key],
    )
  }
}

it('DAT-06 exports a large account with a heap of 64 MB', async () => {
  await fillAccount()
  const [row] = await service.sql<{ id: string }>(
    'insert into account_exports (account_id) values ($1) returning id',
    [account.id],
  )
  const result = await run('export', service.settings.DATABASE_PLATFORM_URL ?? '', folder, row?.id ?? '')
  const exported = await account.admin.client.accounts.exports.get({ export_id: row?.id ?? '' })
  console.log({ ...result, size: exported.size })
  expect(exported).toMatchObject({
    status: 'ready',
    counts: { flows, sessions, audit_log: sessions + 1, upload_files: uploads },
  })
  expect(result.peakMb).toBeLessThan(300)
})

it('DAT-08 imports hundreds of flows with versions, and the second export is equal to the first', async () => {
  const { admin } = await createAccount(service)
  const bytes = await downloadExport(service, account.admin, await createExport(account.admin, 'restorable'))
  const path = join(folder, 'restorable.zip')
  await writeFile(path, bytes)
  console.log({ bytes: bytes.byteLength, ...(await run('import', path)) })
  const start = Date.now()
  const { restored, skipped } = await importArchive(admin, new Uint8Array(await readFile(path)))
  console.log({ restored, ms: Date.now() - start })
  expect(skipped).toEqual([])
  const again = await downloadExport(service, admin, await createExport(admin, 'restorable'))
  expect(toComparable(await readArchive(again))).toEqual(toComparable(await readArchive(bytes)))
})
