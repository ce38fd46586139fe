import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { platformPassword, runtimePassword } from '#local/postgres.ts'
import { root } from '#local/root.ts'
import { createRoleUrls } from '#local/settings.ts'
import { compareTables } from '#ops/drill-compare.ts'
import {
  listTables,
  prepareConnection,
  summarizeTable,
  type Table,
  type TableSummary,
} from '#ops/drill-tables.ts'
import { type Service, sharedService } from '#test/support/app.ts'
import { claimHandoff, createEscalation } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { connect, createEmptyDatabase } from '#test/support/migrations.ts'
import { type NodeChild, spawnNode, toServeSettings, waitForOutput } from '#test/support/node-child.ts'
import { createAccount } from '#test/support/people.ts'
import { answerStep, createSession } from '#test/support/sessions.ts'
import { checkOut, findPreviousRelease } from './versions.ts'

const service = await sharedService()
const runFile = promisify(execFile)

/** A release that does not exist: a column, its values, and an index, each as `migrations/README.md` asks. */
const nextRelease = {
  '0901_next_release.sql': 'alter table sessions add column next_release text;\n',
  '0902_next_release_values.sql':
    "-- migrate: backfill\nupdate sessions set next_release = 'new' where id in (select id from sessions where next_release is null limit 10);\n",
  '0903_next_release_index.sql':
    '-- migrate: no-transaction\ncreate index concurrently if not exists sessions_next_release on sessions (account_id, next_release);\n',
}

/**
 * Write the previous release and this version to folders. Before the first release, the previous one is this
 * version, and the next one is this version with other migrations.
 */
function checkOutVersions(folder: string): { previous: string; current: string } {
  const [previous, next] = [join(folder, 'previous'), join(folder, 'next')]
  const tag = findPreviousRelease()
  checkOut(tag ?? 'HEAD', previous)
  if (tag) return { previous, current: root }
  checkOut('HEAD', next)
  for (const [name, text] of Object.entries(nextRelease)) writeFileSync(join(next, 'migrations', name), text)
  return { previous, current: next }
}

/** Run a version's own `migrate`. */
function migrateWith(version: string, ownerUrl: string) {
  const env = {
    PATH: process.env.PATH,
    DATABASE_OWNER_URL: ownerUrl,
    RUNTIME_PASSWORD: runtimePassword,
    PLATFORM_PASSWORD: platformPassword,
  }
  return runFile(process.execPath, ['lib/db/migrate.ts'], { cwd: version, env })
}

/** Start a version's own service. */
async function startVersion(version: string, ownerUrl: string, objects: string): Promise<NodeChild> {
  const { host, pathname } = new URL(ownerUrl)
  const child = await spawnNode(
    toServeSettings(service.settings, objects, createRoleUrls(host, pathname.slice(1))),
    version,
  )
  await Promise.race([waitForOutput(child, '"listening"'), child.exited])
  expect(child.output()).toContain('"listening"')
  return child
}

async function stopVersion({ process, exited }: NodeChild): Promise<void> {
  process.kill('SIGTERM')
  await exited
}

it('the previous release migrates to this version without a change of its rows, and both serve what it has stored', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flow-upgrade-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { previous, current } = checkOutVersions(folder)
  const objects = join(folder, 'objects')
  const ownerUrl = await createEmptyDatabase()
  await migrateWith(previous, ownerUrl)
  const owner = await connect(ownerUrl)
  const sql: Service['sql'] = async (text, values = []) => (await owner.query(text, values)).rows
  // People call whichever version runs.
  const upgraded: Service = { ...service, fetch: undefined, services: undefined, ownerUrl, sql, api: '' }

  const before = await startVersion(previous, ownerUrl, objects)
  upgraded.api = before.api
  const { admin, addColleague } = await createAccount(upgraded)
  const colleague = await addColleague()
  const session = await createSession(admin)
  await answerStep(admin, session, 'yes')
  const escalation = await createEscalation(admin)
  await stopVersion(before)

  const summarize = async (tables: readonly Table[]) => {
    const client = await connect(ownerUrl)
    await prepareConnection(client)
    const summaries: (Table & TableSummary)[] = []
    for (const table of tables) summaries.push({ ...table, ...(await summarizeTable(client, table)) })
    return summaries
  }
  const tables = await listTables(await connect(ownerUrl))
  const stored = await summarize(tables)
  expect(stored.find(({ name }) => name === 'sessions')?.rows).toBe(1)
  const { stdout } = await migrateWith(current, ownerUrl)
  if (current !== root) for (const name of Object.keys(nextRelease)) expect(stdout).toContain(name)
  const kept = new Map((await summarize(tables)).map((table) => [table.name, table]))
  expect(compareTables(stored, kept)).toEqual([])

  // A deployment has both, and a rollback leaves the previous one.
  const [after, withdrawn] = [
    await startVersion(current, ownerUrl, objects),
    await startVersion(previous, ownerUrl, objects),
  ]
  upgraded.api = after.api
  const open = (await admin.call('GET', `/sessions/${session.id}`)).body
  expect(open.current_step.id).toBe('queue')
  expectStatus(await claimHandoff(colleague, escalation.id, escalation.handoffId), 200)
  upgraded.api = withdrawn.api
  expect((await answerStep(admin, open, 'done')).current_step.id).toBe('works')
  await Promise.all([stopVersion(after), stopVersion(withdrawn)])
  if (current !== root) await expect(migrateWith(previous, ownerUrl)).rejects.toThrow('its file is missing')
})
