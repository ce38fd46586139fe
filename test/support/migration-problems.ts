import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { selectApplied } from '#db/migrate/apply.ts'
import { type MigrationFile, readMigrationFiles } from '#db/migrate/files.ts'
import { listStrongLocks } from '#db/migrate/locks.ts'
import { splitStatements } from '#db/migrate/statements.ts'
import { migrate } from '#db/migrate.ts'
import { asSuperuser } from './migrations.ts'
import { type LoadSettings, startTableLoad } from './table-load.ts'

interface MigrationSettings extends LoadSettings {
  lockTimeoutMs: number
  pauseMs: number
}

/**
 * Apply the pending migrations in `folder` to the database at `url` while connections read and write every
 * table. Report each statement that one of them waited for longer than `maxWaitMs`, and each file that reads
 * a whole table while others cannot write it. The latter takes long with the rows of a real database only, so
 * it is not measured.
 */
export async function listMigrationProblems(
  url: string,
  folder: string,
  settings: MigrationSettings,
): Promise<string[]> {
  const tables = await asSuperuser(url, createProbe)
  const pending = await listPending(url, folder)
  const probedFolder = await copyWithProbe(folder, pending, tables)
  const load = await startTableLoad(url, tables, settings)
  const migrated = migrate(url, undefined, probedFolder, {
    ...settings,
    maxAttempts: 1000,
    maxTotalMs: 20_000,
    batchPauseMs: 0,
  })
  await migrated.finally(() => rm(probedFolder, { recursive: true })).catch(() => {})
  const waits = (await load.stop())
    .filter(Boolean)
    .map((blocker) => `Statements waited over ${settings.maxWaitMs} ms for ${blocker}`)
  await migrated
  const { rows } = await asSuperuser(url, (client) =>
    client.query<{ line: string }>('select line from migration_probe.scans'),
  )
  return [...waits, ...new Set([...listValidations(pending, tables), ...rows.map(({ line }) => line)])].sort()
}

const reportScan = (file: string, table: string) => `${file} reads all rows of ${table} while it locks them`

/**
 * Report the constraints that are validated when they are added. For a foreign key, PostgreSQL may read the
 * rows through an index.
 */
function listValidations(pending: readonly MigrationFile[], tables: readonly string[]): string[] {
  return pending.flatMap(({ name, text }) =>
    splitStatements(text)
      .flatMap(listStrongLocks)
      .filter(({ relation, note }) => tables.includes(relation) && note?.includes('add it `not valid`'))
      .map(({ relation }) => reportScan(name, relation)),
  )
}

// Only the platform writes these tables. They stay small, so reading all of their rows takes no time.
const smallTables = ['plan_limits', 'plan_billing', 'features', 'plan_features', 'migrations']

/**
 * Create the table in which migrations note what they read, and return the names of the tables that may be
 * large.
 */
async function createProbe(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  )
  await client.query(`
    create schema migration_probe;
    grant usage on schema migration_probe to public;
    create table migration_probe.scans (line text);
    grant insert on migration_probe.scans to public`)
  return rows.map(({ name }) => name).filter((name) => !smallTables.includes(name))
}

async function listPending(url: string, folder: string): Promise<MigrationFile[]> {
  const applied = await asSuperuser(url, selectApplied)
  return (await readMigrationFiles(folder)).filter(({ name }) => !applied.has(name))
}

/**
 * Copy a folder of migrations. In the copy, the pending files that run in a transaction note which tables
 * they read.
 */
async function copyWithProbe(
  folder: string,
  pending: readonly MigrationFile[],
  tables: readonly string[],
): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'migrations-'))
  await cp(folder, copy, { recursive: true })
  for (const { name, mode, text } of pending) {
    if (mode === 'transaction')
      await writeFile(join(copy, name), `-- ${name}\n${startProbe}${text};\n${endProbe(name, tables)}`)
  }
  return copy
}

// The statistics count the scans of ALTER TABLE and CREATE INDEX too, and can contain those of the
// transactions before. Without `enable_seqscan`, a statement that an index can serve is none of them.
// https://www.postgresql.org/docs/18/monitoring-stats.html
const startProbe = `set local enable_seqscan = off;
create temporary table scans_before on commit drop as select relid, seq_scan from pg_stat_xact_user_tables;
`
const endProbe = (file: string, tables: readonly string[]) => `
insert into migration_probe.scans
select distinct replace('${reportScan(file, '%')}', '%', s.relname)
  from pg_stat_xact_user_tables s join pg_locks l on l.relation = s.relid left join scans_before b on b.relid = s.relid
 where s.seq_scan > coalesce(b.seq_scan, 0) and s.schemaname = 'public' and s.relname = any ('{${tables}}')
   and l.pid = pg_backend_pid() and l.mode not in ('AccessShareLock', 'RowShareLock', 'ShareUpdateExclusiveLock')`
