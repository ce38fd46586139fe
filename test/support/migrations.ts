import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { openCluster, ownerPassword, withSuperuser } from '#local/postgres.ts'
import { templateDatabase } from './template-database.ts'

let databaseCount = 0
const nextName = () => `migrations_${process.pid}_${++databaseCount}`

/** Create a database without tables, and return the owner's connection string. */
export async function createEmptyDatabase(): Promise<string> {
  const { postgresPort } = inject('shared')
  const name = nextName()
  await withSuperuser(postgresPort, 'postgres', (client) =>
    client.query(`create database ${name} owner flow_owner`),
  )
  return `postgres://flow_owner:${ownerPassword}@127.0.0.1:${postgresPort}/${name}`
}

/** Create a database with every migration, and return the owner's connection string. */
export function createMigratedDatabase(): Promise<string> {
  return openCluster(inject('shared').postgresPort).createDatabase(nextName(), templateDatabase)
}

/** Run `work` with a superuser's connection to the database at `url`. */
export function asSuperuser<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return withSuperuser(inject('shared').postgresPort, new URL(url).pathname.slice(1), work)
}

/** Write migrations and empty content into a temporary folder, which is removed when the test ends. */
export async function writeMigrations(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const name of ['device-types', 'flows'])
    await mkdir(join(folder, 'content', name), { recursive: true })
  await writeFile(join(folder, 'content/categories.json'), '[]')
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

/** Open a connection that is closed when the test ends. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end().catch(() => {}))
  return client
}

/** End the connection whose current statement contains `text`, once there is one. */
export async function terminateStatement(client: pg.Client, text: string): Promise<void> {
  for (;;) {
    const { rowCount } = await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state = 'active' and position($1 in query) > 0`,
      [text],
    )
    if (rowCount) return
  }
}
