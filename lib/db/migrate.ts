import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'

const folder = join(import.meta.dirname, '../../migrations')

interface Passwords {
  runtime: string
  platform: string
}

/**
 * Apply the pending migrations to the database at `ownerUrl`, each file in its own transaction, under one advisory lock. Set the passwords
 * of the two service roles when given. Return the names of the applied files. Throw when an applied file has changed.
 */
export async function migrate(ownerUrl: string, passwords?: Passwords): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock(7310001)')
    await client.query(
      'create table if not exists public.migrations (name text primary key, checksum text not null, at timestamptz default now())',
    )
    const applied = await applyPending(client)
    if (passwords) await setPasswords(client, passwords)
    return applied
  } finally {
    await client.end()
  }
}

async function applyPending(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; checksum: string }>('select name, checksum from public.migrations')
  const known = new Map(rows.map((row) => [row.name, row.checksum]))
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const applied: string[] = []
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8')
    const checksum = createHash('sha256').update(text).digest('hex')
    const before = known.get(name)
    if (before === checksum) continue
    if (before)
      throw new Error(`Migration ${name} has changed since it was applied. Add a new migration instead, or start over with a new database.`)
    await applyOne(client, name, text, checksum)
    applied.push(name)
  }
  return applied
}

async function applyOne(client: pg.Client, name: string, text: string, checksum: string): Promise<void> {
  await client.query('begin')
  try {
    await client.query(text)
    await client.query('insert into public.migrations (name, checksum) values ($1, $2)', [name, checksum])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`Migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

async function setPasswords(client: pg.Client, { runtime, platform }: Passwords): Promise<void> {
  await client.query(`alter role app_runtime login password ${client.escapeLiteral(runtime)}`)
  await client.query(`alter role app_platform login password ${client.escapeLiteral(platform)}`)
}

if (import.meta.main) {
  const { DATABASE_OWNER_URL, RUNTIME_PASSWORD, PLATFORM_PASSWORD } = process.env
  if (!DATABASE_OWNER_URL) throw new Error('Set DATABASE_OWNER_URL to the connection string of the role that owns the database.')
  const passwords = RUNTIME_PASSWORD && PLATFORM_PASSWORD ? { runtime: RUNTIME_PASSWORD, platform: PLATFORM_PASSWORD } : undefined
  const applied = await migrate(DATABASE_OWNER_URL, passwords)
  console.log(applied.length === 0 ? 'Already at the newest migration.' : `Applied ${applied.join(', ')}.`)
}
