import { connect, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { Database } from '#db/database.ts'
import { toDatabaseProblem } from '#db/sqlstate.ts'
import { openPostgres } from '#platform/node/postgres.ts'
import { sharedService } from '#test/support/app.ts'

const service = await sharedService()
const work = { sql: 'select 7 as answer', parameters: [] }

/** Open a database whose connection is reset by the next message that has this text. */
async function openResetting(text: string): Promise<{ database: Database; arm(): void }> {
  let isArmed = false
  const url = new URL(service.ownerUrl)
  const { port, hostname } = url
  const forward = (client: Socket) => {
    const upstream = connect(Number(port), hostname)
    client.on('data', (chunk) => {
      if (isArmed && chunk.includes(text)) return void client.resetAndDestroy()
      upstream.write(chunk)
    })
    client.on('error', () => {}).on('close', () => upstream.destroy())
    upstream.on('error', () => {}).on('data', (chunk) => client.write(chunk))
  }
  const server = createServer(forward).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  url.port = String((server.address() as { port: number }).port)
  const database = openPostgres({ url: url.href, maxConnections: 2 })
  onTestFinished(async () => {
    await database.close()
    server.close()
  })
  const arm = () => {
    isArmed = true
  }
  return { database, arm }
}

const calls: [string, string, (database: Database) => Promise<unknown>][] = [
  ['a batch', 'select 7', (database) => database.run([work], { readOnly: false })],
  ['the start of a transaction', 'begin', (database) => database.begin('begin')],
  [
    'a statement of a transaction',
    'select 7',
    async (database) => {
      const transaction = await database.begin('begin')
      await transaction.query(work).finally(() => transaction.end())
    },
  ],
]

it.each(calls)('OBS-21 a connection that is reset during %s is 503', async (_, text, call) => {
  const { database, arm } = await openResetting(text)
  await database.run([{ sql: 'select 1', parameters: [] }], { readOnly: false })
  arm()
  const error = await call(database).catch((caught: unknown) => caught)
  expect(toDatabaseProblem(error)).toMatchObject({ status: 503 })
})

it.each([
  ['the schema changed', 'alter table stale add b integer'],
  ['a pooler has none of the statements', 'deallocate all'],
])(
  'WIR-28 a transaction whose prepared statement is stale is 503, and the next ones run: %s',
  async (_, change) => {
    const database = openPostgres({ url: service.ownerUrl, maxConnections: 2 })
    onTestFinished(() => database.close())
    const run = (sql: string) => database.run([{ sql, parameters: [] }], { readOnly: false })
    /** Read in two transactions at the same time, so that each has a connection, and return the statuses. */
    const readTwice = async () => {
      const transactions = await Promise.all([database.begin('begin'), database.begin('begin')])
      const statuses: (number | undefined)[] = []
      for (const transaction of transactions) {
        const query = (sql: string) => transaction.query({ sql, parameters: [] })
        const read = query('select * from stale').then(() => query('commit'))
        const status = read.then(
          () => 200,
          (error: unknown) => toDatabaseProblem(error)?.status,
        )
        statuses.push(await status.finally(() => transaction.end()))
      }
      return statuses
    }
    await run('create table stale (a integer)')
    onTestFinished(async () => void (await service.sql('drop table stale')))
    const before = await readTwice()
    await run(change)
    expect([before, await readTwice(), await readTwice()]).toEqual([
      [200, 200],
      [503, 200],
      [200, 200],
    ])
  },
)
