import type pg from 'pg'
import { describeFailure } from './failure.ts'
import { type MigrationFile, readMigrationFiles, requireStatementsOfMode } from './files.ts'
import { type AppliedChecksums, selectPending } from './history.ts'
import { dropInvalidIndex } from './indexes.ts'
import { pause, type RetrySettings, retryWhileLocked } from './retry.ts'
import { splitStatements } from './statements.ts'

export interface ApplySettings extends RetrySettings {
  /**
   * How long a statement waits for a lock. Statements of the service wait behind it, so it is shorter than
   * they may take.
   */
  lockTimeoutMs: number
  /** Pause between two batches of a backfill, in which other writers and autovacuum catch up. */
  batchPauseMs: number
  /** How often a backfill reports its progress. */
  progressMs: number
}

export const defaultApplySettings: ApplySettings = {
  lockTimeoutMs: 500,
  maxAttempts: 60,
  maxTotalMs: 300_000,
  pauseMs: 2000,
  batchPauseMs: 100,
  progressMs: 5000,
  report: () => {},
}

/**
 * Apply the pending migrations in `folder` in the order of their numbers, and return their names. The caller
 * holds the lock.
 */
export async function applyPending(
  client: pg.Client,
  folder: string,
  settings: ApplySettings,
): Promise<string[]> {
  const files = await readMigrationFiles(folder)
  const pending = selectPending(await selectApplied(client), files)
  for (const file of pending) requireStatementsOfMode(file)
  for (const file of pending) await applyFile(client, file, settings)
  return pending.map(({ name }) => name)
}

/** Read the checksums of the applied migrations. */
export async function selectApplied(client: pg.Client): Promise<AppliedChecksums> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from public.migrations',
  )
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

async function applyFile(client: pg.Client, file: MigrationFile, settings: ApplySettings): Promise<void> {
  const startedAt = performance.now()
  const apply = {
    transaction: applyInTransaction,
    'no-transaction': applyStatements,
    backfill: applyBatches,
  }[file.mode]
  try {
    await apply(client, file, settings)
  } catch (error) {
    throw new Error(`Migration ${file.name} failed: ${describeFailure(error)}`, { cause: error })
  }
  settings.report(`${file.name}: applied in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}

/** Apply a file as a whole: a failure or a crash leaves the database as before. */
async function applyInTransaction(
  client: pg.Client,
  file: MigrationFile,
  settings: ApplySettings,
): Promise<void> {
  await setLockTimeout(client, settings.lockTimeoutMs)
  const work = async () => {
    await client.query(file.text)
    await insertApplied(client, file)
  }
  await retryWhileLocked(file.name, settings, () => inTransaction(client, work))
}

/**
 * Apply each statement by itself. After a failure or a crash the next run starts again from the first
 * statement.
 */
async function applyStatements(
  client: pg.Client,
  file: MigrationFile,
  settings: ApplySettings,
): Promise<void> {
  // A concurrent build waits for older transactions and blocks none of them. Giving up would waste its work.
  await setLockTimeout(client, settings.maxTotalMs)
  for (const statement of splitStatements(file.text)) {
    const work = async () => {
      await dropInvalidIndex(client, statement)
      await client.query(statement)
    }
    await retryWhileLocked(file.name, settings, work).catch(async (error: unknown) => {
      // An invalid unique index would refuse rows of the running service.
      await dropInvalidIndex(client, statement).catch(() => {})
      throw error
    })
  }
  await insertApplied(client, file)
}

/**
 * Repeat the statement until it changes no row. Each batch commits, so the next run continues after a failure
 * or a crash.
 */
async function applyBatches(client: pg.Client, file: MigrationFile, settings: ApplySettings): Promise<void> {
  await setLockTimeout(client, settings.lockTimeoutMs)
  let rowCount = 0
  let reportedAt = performance.now()
  for (let batch = 1; ; batch++) {
    const result = await retryWhileLocked(file.name, settings, () => client.query(file.text))
    if (result.command === 'SELECT')
      throw new Error('the outer statement is a SELECT, whose row count does not tell when to stop')
    if (!result.rowCount) break
    rowCount += result.rowCount
    if (performance.now() - reportedAt >= settings.progressMs) {
      settings.report(`${file.name}: ${rowCount} rows in ${batch} batches`)
      reportedAt = performance.now()
    }
    await pause(settings.batchPauseMs)
  }
  settings.report(`${file.name}: ${rowCount} rows, complete`)
  await insertApplied(client, file)
}

async function insertApplied(client: pg.Client, { name, checksum }: MigrationFile): Promise<void> {
  await client.query('insert into public.migrations (name, checksum) values ($1, $2)', [name, checksum])
}

async function setLockTimeout(client: pg.Client, ms: number): Promise<void> {
  await client.query("select set_config('lock_timeout', $1, false)", [`${ms}ms`])
}

/** Run `work` in a transaction, and roll back if it fails. */
export async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    // The connection may be gone. Then PostgreSQL rolls back by itself.
    await client.query('rollback').catch(() => {})
    throw error
  }
}
