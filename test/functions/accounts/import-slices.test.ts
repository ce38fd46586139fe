import { expect, it } from 'vitest'
import { openAccountScope, openPlatformDb } from '#db/scope.ts'
import { openArchive, sumSizes } from '#functions/accounts/import-records/service.ts'
import * as queries from '#functions/accounts/import-slices/queries.ts'
import * as importSlices from '#functions/accounts/import-slices/service.ts'
import { deleteExpiredRows } from '#functions/jobs/service.ts'
import { type Budget, createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { createArchive, manifest } from '#test/contract/fixtures-exports.ts'
import { sharedService } from '#test/support/app.ts'
import { collectAttempts } from '#test/support/attempts.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { printerFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import type { Ports } from '#vendors/ports.ts'

const service = await sharedService()
const database = openTestDatabase(service.settings.DATABASE_PLATFORM_URL)
const ports = service.services?.ports as Ports
const toLines = (records: readonly unknown[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

/** Return an archive with teams, scripts, and flows of two versions, the second of which is a fork. */
async function createFullArchive(scripts = 3, script_body = 'uptime'): Promise<Uint8Array<ArrayBuffer>> {
  const flows = [1, 2].map((n) => ({ id: crypto.randomUUID(), name: `Flow ${n}`, version: 2 }))
  const fields = { tree_type: 'troubleshooting', status: 'published', visibility: 'account' }
  const versions = flows.flatMap(({ id, name }) =>
    [1, 2].map((version) => ({ tree_id: id, version, name, ...fields, tree_structure: printerFlow() })),
  )
  return createArchive({
    'teams.jsonl': toLines([{ id: crypto.randomUUID(), name: 'Field service' }]),
    'scripts.jsonl': toLines(
      Array.from({ length: scripts }, (_, n) => ({
        id: crypto.randomUUID(),
        name: `Script ${n}`,
        language: 'bash',
        script_body,
      })),
    ),
    'flow_versions.jsonl': toLines(versions),
    'flows.jsonl': toLines(
      flows.map((flow, n) => ({ ...flow, ...fields, parent_tree_id: n === 1 ? flows[0]?.id : null })),
    ),
    'manifest.json': manifest,
  })
}

interface Options {
  budget?: Budget
  uploads?: Partial<importSlices.ImportContext['uploads']>
}

/** Start an import that no queue knows, and return functions that make its attempts. */
async function startImport(admin: Person, archive: Uint8Array<ArrayBuffer>) {
  const { queue } = ports
  const id = crypto.randomUUID()
  const object_key = `accounts/${admin.accountId}/imports/${id}.zip`
  await ports.uploads.put(object_key, archive)
  const progress = {
    stage: 'check',
    at: { kind: 'account', file: 0, offset: 0, count: 0 },
    skipped: { records: [], count: 0 },
  }
  const total = sumSizes(await openArchive(archive)) * 2
  await service.sql(
    `insert into account_imports (id, account_id, requested_by, object_key, progress, total, counts, next_attempt_at)
     values ($1, $2, $3, $4, $5, $6, '{"not_restored": {}}', app.now() + interval '1 hour')`,
    [id, admin.accountId, admin.id, object_key, JSON.stringify(progress), total],
  )
  const published: unknown[] = []
  const createContext = ({ uploads = {} }: Options = {}) => ({
    platform: openPlatformDb(database, 'test', () => {}),
    openAccountScope: (accountId: string, actor: string | null = null) =>
      openAccountScope(database, accountId, actor, (entry) => published.push(entry)),
    uploads: { ...ports.uploads, ...uploads },
    queue,
    log: () => {},
  })
  const attempt = (n: number, options: Options = {}) =>
    runWithin(options.budget ?? createBudget({ steps: jobSteps }), () =>
      importSlices.work.attempt(createContext(options), id, n),
    )
  const get = () => admin.client.accounts.imports.get({ import_id: id })
  const getRow = async () =>
    (
      await service.sql<{ attempts: number; state: string; progress: queries.ImportProgress }>(
        'select * from account_imports where id = $1',
        [id],
      )
    )[0]
  const lease = (seconds: number) =>
    service.sql(
      `update account_imports set leased_until = now() + make_interval(secs => $2) where id = $1 and leased_until is not null`,
      [id, seconds],
    )
  /** Make attempts until the import is over. */
  const finish = async (options?: Options) => {
    for (let n = ((await getRow())?.attempts ?? 0) + 1; !(await get()).finished_at; n++)
      await attempt(n, options)
    return get()
  }
  return { id, object_key, attempt, finish, get, getRow, lease, published, createContext }
}

const createAdmin = async () => (await createAccount(service)).admin
const selectStored = ({ accountId }: Person) =>
  service.sql<{ kind: string; count: number }>(
    `select 'flows' as kind, count(*)::integer as count from trees where account_id = $1
     union all select 'versions', count(*)::integer from tree_versions where account_id = $1
     union all select 'scripts', count(*)::integer from script_templates where account_id = $1
     union all select 'new teams', count(*)::integer - 1 from teams where account_id = $1 order by 1`,
    [accountId],
  )
const counts = (flows: number, versions: number, scripts: number, teams: number) => [
  { kind: 'flows', count: flows },
  { kind: 'new teams', count: teams },
  { kind: 'scripts', count: scripts },
  { kind: 'versions', count: versions },
]

it('DAT-14 shows the progress of each slice, and stores nothing before the last one', async () => {
  const admin = await createAdmin()
  const { attempt, get, published, id } = await startImport(admin, await createFullArchive())
  const seen = [await get()]
  for (let n = 1; !seen.at(-1)?.finished_at; n++) {
    expect(await selectStored(admin)).toEqual(counts(0, 0, 0, 0))
    await attempt(n)
    seen.push(await get())
    if (!seen.at(-1)?.finished_at) expect(published.at(-1)).toEqual({ kind: 'import', id, attempt: n + 1 })
  }
  expect(seen).toHaveLength(6)
  expect([...new Set(seen.map(({ status }) => status))]).toEqual(['queued', 'running', 'succeeded'])
  const done = seen.map(({ progress }) => progress.done)
  expect(done).toEqual(done.toSorted((a, b) => a - b))
  expect(done[0]).toBe(0)
  expect(seen.at(-1)?.progress.done).toBe(seen.at(-1)?.progress.total)
  expect(await selectStored(admin)).toEqual(counts(2, 4, 3, 1))
})

it('DAT-15 goes on when the process dies right after the commit of a slice, or in the middle of one', async () => {
  const admin = await createAdmin()
  const { attempt, finish, getRow, lease, createContext, id } = await startImport(
    admin,
    await createFullArchive(),
  )
  const { claimDue } = importSlices.work
  const findDue = async () => (await claimDue(createContext(), 100)).filter((row) => row.id === id)
  for (let n = 1; n <= 3; n++) {
    // The message is lost: the sweep finds the row.
    await attempt(n)
    await service.sql(
      `update account_imports set next_attempt_at = now() - interval '1 minute', swept_at = null where id = $1`,
      [id],
    )
    expect(await findDue()).toEqual([{ id, attempts: n }])
  }
  // An attempt that was claimed and dies changes nothing. After its lease the next one does its slice.
  await service.sql(
    `update account_imports set attempts = attempts + 1, leased_until = now() + interval '3 minutes' where id = $1`,
    [id],
  )
  await attempt(5)
  expect((await getRow())?.attempts).toBe(4)
  await lease(-1)
  expect(await finish()).toMatchObject({ status: 'succeeded', skipped: [] })
  expect(await selectStored(admin)).toEqual(counts(2, 4, 3, 1))
})

it('DAT-15 32 copies of each message do a slice once', async () => {
  const admin = await createAdmin()
  const { attempt, get } = await startImport(admin, await createFullArchive())
  for (let n = 1; !(await get()).finished_at; n++)
    await Promise.all(Array.from({ length: 32 }, () => attempt(n)))
  expect(await get()).toMatchObject({
    status: 'succeeded',
    restored: { flows: 2, flow_versions: 4, scripts: 3, teams: 1 },
  })
  expect(await selectStored(admin)).toEqual(counts(2, 4, 3, 1))
})

it('DAT-15 an attempt that outlives its lease changes nothing', async () => {
  const admin = await createAdmin()
  const { attempt, lease, finish } = await startImport(admin, await createFullArchive())
  await attempt(1, {
    uploads: {
      get: async (key) => {
        await lease(-1)
        await finish()
        return ports.uploads.get(key)
      },
    },
  })
  expect(await selectStored(admin)).toEqual(counts(2, 4, 3, 1))
})

it('DAT-15 a slice that fails is repeated with half of the work, and the import fails after four attempts', async () => {
  const admin = await createAdmin()
  // Each script takes about 2,000,000 steps to read.
  const { attempt, get, getRow } = await startImport(
    admin,
    await createFullArchive(8, '# a\n'.repeat(49_000)),
  )
  const failing = { uploads: { get: () => Promise.reject(new Error('away')) } }
  expect(await collectAttempts(() => attempt(1, failing))).toEqual(['import retried'])
  expect(await collectAttempts(() => attempt(2, failing))).toEqual(['import retried'])
  const spent = createBudget({ steps: jobSteps })
  await attempt(3, { budget: spent })
  // The list of the files is read beside the work of the slice.
  expect(spent.getSpent().steps).toBeLessThanOrEqual(jobSteps / 16 + 1000)
  expect(await get()).toMatchObject({ status: 'running' })
  for (const n of [4, 5, 6]) await attempt(n, failing)
  expect(await collectAttempts(() => attempt(7, failing))).toEqual(['import failed'])
  expect(await getRow()).toMatchObject({ state: 'failed', attempts: 7 })
  expect(await get()).toMatchObject({ status: 'failed', problem: { detail: 'Internal error' } })
  expect(await selectStored(admin)).toEqual(counts(0, 0, 0, 0))
})

it('DAT-12 fails without a row when the account is not empty any more', async () => {
  const admin = await createAdmin()
  const { finish } = await startImport(admin, await createFullArchive())
  await admin.client.maintenance.targetLists.create({
    name: 'Servers',
    targets: [{ label: 'SRV-1', variables: {} }],
  })
  expect(await finish()).toMatchObject({
    status: 'failed',
    problem: { code: 'account_not_empty' },
    restored: {},
  })
  expect(await selectStored(admin)).toEqual(counts(0, 0, 0, 0))
})

it('DAT-12 counts what it stores', async () => {
  const admin = await createAdmin()
  await (await startImport(admin, await createFullArchive())).finish()
  const usage = await service.sql<{ used: string; sum: string }>(
    `select used, app.sum_usage(account_id, quota) as sum from usage_counters where account_id = $1 and quota in ('stored_bytes', 'flows')`,
    [admin.accountId],
  )
  expect(usage.map(({ used }) => used)).toEqual(usage.map(({ sum }) => sum))
  expect(usage.map(({ used }) => Number(used) > 0)).toEqual([true, true])
})

it('DAT-12 does not lock the usage of the account while rows are stored', async () => {
  const admin = await createAdmin()
  const { id, attempt, getRow, createContext } = await startImport(admin, await createFullArchive(3))
  for (let n = 1; (await getRow())?.progress.stage !== 'store'; n++) await attempt(n)
  const isLocked = () =>
    service
      .sql('select from account_usage where account_id = $1 for no key update nowait', [admin.accountId])
      .then(
        () => false,
        () => true,
      )
  const rollback = new Error('rollback')
  const storing = createContext()
    .openAccountScope(admin.accountId, admin.id)
    .transaction(async (db) => {
      await queries.startImport.one(db, {})
      for (const kind of ['flows', 'flow_versions'] as const)
        await queries.insertRows.one(db, id, kind, { depth: -1, place: 0 })
      expect(await isLocked()).toBe(false)
      throw rollback
    })
  await expect(storing).rejects.toBe(rollback)
})

it('DAT-16 deletes the archive and the checked records after the import', async () => {
  const admin = await createAdmin()
  const { finish, object_key, id, createContext } = await startImport(admin, await createFullArchive())
  await finish()
  await deleteExpiredRows({ ...createContext() })
  expect(await service.sql('select from account_import_records where import_id = $1', [id])).toEqual([])
  expect(await ports.uploads.get(object_key)).toBeNull()
})

it('DAT-09 refuses a second import while one is open', async () => {
  const admin = await createAdmin()
  const archive = await createFullArchive()
  await startImport(admin, archive)
  const second = admin.client.accounts.imports.create({ file: new Blob([archive]) })
  expect((await expectRefusal(second, 409)).body).toMatchObject({ code: 'already_pending' })
})
