import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { ownerSettings, parseOwnerUrl, parseSettings } from '#config.ts'
import { loadContent } from './content.ts'
import { type PlatformContent, readContent } from './content-files.ts'
import { type ApplySettings, applyPending, defaultApplySettings, inTransaction } from './migrate/apply.ts'
import { withConnection } from './migrate/connection.ts'
import { describeFailure } from './migrate/failure.ts'
import { withMigrationLock } from './migrate/lock.ts'
import { planMigrations } from './migrate/plan.ts'
import { requireServer } from './migrate/requirements.ts'
import { retryWhileLocked } from './migrate/retry.ts'

/** The folder with the migrations and the platform's content. */
export const migrationsFolder = join(import.meta.dirname, '../../migrations')

interface Passwords {
  runtime: string
  platform: string
}

/**
 * Apply the pending migrations to the database at `ownerUrl`, each file as its mode says. Then load the
 * platform's content. Set the passwords of the two service roles when given. Return the names of the files
 * that changed the database. A second process waits for the first. Throw before any change when a content
 * file is invalid, the server is too old, its role lacks rights, an earlier version made the data, or an
 * applied file has changed.
 */
export async function migrate(
  ownerUrl: string,
  passwords?: Passwords,
  folder = migrationsFolder,
  changedSettings: Partial<ApplySettings> = {},
): Promise<string[]> {
  const settings = { ...defaultApplySettings, ...changedSettings }
  const content = await readContent(folder)
  const run = async (client: pg.Client) => {
    const applied = await applyPending(client, folder, settings)
    applied.push(...(await loadInTransaction(client, content, settings)))
    if (passwords) await setPasswords(client, passwords)
    return applied
  }
  // Before the lock, whose table would be the first change.
  await withConnection({ connectionString: ownerUrl }, requireServer)
  return withMigrationLock(ownerUrl, settings, () => withConnection({ connectionString: ownerUrl }, run))
}

/** List what `migrate` would do to the database at `ownerUrl`, without changing it. */
export async function plan(ownerUrl: string, folder = migrationsFolder): Promise<string[]> {
  await readContent(folder)
  return withConnection({ connectionString: ownerUrl }, async (client) => {
    await requireServer(client)
    return planMigrations(client, folder)
  })
}

async function loadInTransaction(
  client: pg.Client,
  content: PlatformContent,
  settings: ApplySettings,
): Promise<string[]> {
  try {
    return await retryWhileLocked('content', settings, () =>
      inTransaction(client, () => loadContent(client, content)),
    )
  } catch (error) {
    throw new Error(`Loading the platform's content failed: ${describeFailure(error)}`, { cause: error })
  }
}

async function setPasswords(client: pg.Client, { runtime, platform }: Passwords): Promise<void> {
  await client.query(`alter role app_runtime login password ${client.escapeLiteral(runtime)}`)
  await client.query(`alter role app_platform login password ${client.escapeLiteral(platform)}`)
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { plan: { type: 'boolean', default: false } } })
  const ownerUrl = parseOwnerUrl(process.env)
  const { RUNTIME_PASSWORD, PLATFORM_PASSWORD } = parseSettings(ownerSettings, process.env)
  if ((RUNTIME_PASSWORD === undefined) !== (PLATFORM_PASSWORD === undefined))
    throw new Error('Set both RUNTIME_PASSWORD and PLATFORM_PASSWORD, or neither to keep the passwords.')
  if (values.plan) {
    const lines = await plan(ownerUrl)
    console.log(lines.length === 0 ? 'No migration is pending.' : lines.join('\n'))
    return console.log('A migration then loads the new and changed files of content/.')
  }
  const passwords =
    RUNTIME_PASSWORD && PLATFORM_PASSWORD
      ? { runtime: RUNTIME_PASSWORD, platform: PLATFORM_PASSWORD }
      : undefined
  const appliedNames = await migrate(ownerUrl, passwords, migrationsFolder, {
    report: (line) => console.log(line),
  })
  console.log(
    appliedNames.length === 0
      ? 'Migrations and content are up to date.'
      : `Applied ${appliedNames.join(', ')}.`,
  )
}

if (import.meta.main)
  main().catch((error: unknown) => {
    console.error(describeFailure(error))
    process.exitCode = 1
  })
