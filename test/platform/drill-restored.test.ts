import { expect, it } from 'vitest'
import { checkRestored } from '#ops/drill.ts'
import { connect, createMigratedDatabase } from '#test/support/migrations.ts'

/** Create two databases whose rows refer to the same objects. The source then has one more account. */
async function createDatabases(keys: readonly string[]) {
  const [sourceUrl, restoredUrl] = await Promise.all([createMigratedDatabase(), createMigratedDatabase()])
  const [source, restored] = [await connect(sourceUrl), await connect(restoredUrl)]
  for (const client of [source, restored]) {
    await client.query('create table "Stored objects" (object_key text)')
    await client.query('insert into "Stored objects" select unnest($1::text[])', [[...keys, null]])
  }
  await source.query(
    `insert into accounts (name, plan, subscription_status) values ('Later', 'pro', 'active')`,
  )
  /**
   * Check the restored database. Return whether it is complete, and the lines about rows, objects and the
   * result.
   */
  const check = async (objects?: string[]) => {
    const lines: string[] = []
    const listObjects = objects && (async () => objects)
    const isComplete = await checkRestored(restoredUrl, {
      sourceUrl,
      listObjects,
      folder: '',
      print: (line) => lines.push(line),
    })
    return {
      isComplete,
      lines: lines.filter((line) => !/^(ok|warning|work) |^ |: no$/.test(line)),
      work: lines.filter((line) => line.startsWith('work ')),
    }
  }
  return { restored, check }
}

const rows = [
  'rows     account_usage: 1 restored, 2 now',
  'rows     accounts: 1 restored, 2 now',
  'rows     usage_counters: 4 restored, 8 now',
]
const complete = 'The restored database is complete.'
const incomplete = 'The restored database is not complete.'

it('OPS-03 counts the rows of a database that was restored in another way, and finds its objects', async () => {
  const { restored, check } = await createDatabases(['kept', 'lost'])
  const { work, ...result } = await check(['kept', 'lost', 'old'])
  expect(result).toEqual({
    isComplete: true,
    lines: [...rows, 'objects  2 in rows, 3 stored, 0 missing, 1 without a row', complete],
  })
  expect(work).toContain('work     deliveries: 0 open, 0 due, 0 leased')
  expect(await check(['kept'])).toMatchObject({
    isComplete: false,
    lines: [
      ...rows,
      'objects  2 in rows, 1 stored, 1 missing, 0 without a row',
      'PROBLEM  The object lost is missing',
      incomplete,
    ],
  })
  const skipped =
    'skipped  Objects: set OBJECTS_DIR, or S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY'
  expect(await check()).toMatchObject({ isComplete: true, lines: [...rows, skipped, complete] })
  await restored.query('alter table trees disable row level security')
  const { isComplete, lines } = await check(['kept', 'lost'])
  expect([isComplete, lines.at(-1)]).toEqual([false, incomplete])
  expect(lines.filter((line) => line.startsWith('PROBLEM  ')).some((line) => line.includes('trees'))).toBe(
    true,
  )
})
