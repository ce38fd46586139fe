import type pg from 'pg'
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest'
import { toDatabaseProblem } from '#db/sqlstate.ts'
import { withSuperuser } from '#local/postgres.ts'
import { type ApiResponse, dashboard, startOwnService } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { measureMs } from '#test/support/measure.ts'
import { entries } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'

let service: Awaited<ReturnType<typeof startOwnService>>
let person: Person
beforeAll(async () => {
  service = await startOwnService({}, { databaseFaults: true })
  person = (await createAccount(service)).admin
})
afterAll(() => service.close())

const config = { channel: 'email', email_addresses: ['oncall@people.example'] }
/** A read, a write of one round trip, and one in a transaction. */
const callEach = () => [
  person.call('GET', '/notifications'),
  person.call('PATCH', '/auth/me', { full_name: 'Dana' }),
  createConfigInTransaction(),
]
const createConfigInTransaction = () =>
  person.call('POST', '/notifications/configs', config, { 'idempotency-key': crypto.randomUUID() })

function expectUnavailable({ status, body, headers }: ApiResponse): void {
  expect([status, body, headers.get('retry-after')]).toEqual([
    503,
    { detail: 'Temporarily unavailable; try again' },
    '5',
  ])
}

// The service gives up after 2.75 s. A busy machine may take longer.
const maxHungMs = 5000
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const getDatabaseName = () => new URL(service.stack.ownerUrl).pathname.slice(1)
const asSuperuser = <T>(work: (client: pg.Client) => Promise<T>) =>
  withSuperuser(inject('shared').postgresPort, getDatabaseName(), work)

/**
 * Run `work` while another transaction holds the table `notification_configs`, so that inserts wait until
 * `work` calls `unlock`.
 */
function whileConfigsAreLocked(work: (unlock: () => Promise<unknown>) => Promise<void>): Promise<void> {
  return asSuperuser(async (client) => {
    await client.query('begin; lock table notification_configs in exclusive mode')
    await work(() => client.query('rollback'))
  })
}

/** Wait until an insert into `notification_configs` waits for the lock. */
async function waitForInsert(): Promise<void> {
  const select =
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  await expect
    .poll(() => asSuperuser(async (client) => (await client.query(select)).rowCount), { timeout: 5000 })
    .toBe(1)
}

/** End the connections of the service, as PostgreSQL does when it shuts down. */
const endConnections = () =>
  asSuperuser((client) =>
    client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename like 'app_%'",
    ),
  )

it.each(['down', 'hang'])(
  'WIR-28 WIR-29 returns 503 within 3 s while the database has the fault %s, and 200 afterwards',
  async (mode) => {
    await dashboard(service).setFault({ service: 'postgres', mode })
    let responses: ApiResponse[] = []
    const ms = await measureMs(async () => {
      responses = await Promise.all(callEach())
    })
    responses.forEach(expectUnavailable)
    expect(ms).toBeLessThan(maxHungMs)
    await dashboard(service).clearFaults()
    await expect
      .poll(async () => (await person.call('GET', '/notifications')).status, { timeout: 5000 })
      .toBe(200)
    expect((await person.call('GET', '/notifications/configs')).body).toEqual([])
  },
)

it('WIR-29 returns 503 within 3 s when the database hangs inside a transaction, and stores nothing', async () => {
  await whileConfigsAreLocked(async (unlock) => {
    const response = createConfigInTransaction()
    await waitForInsert()
    await dashboard(service).setFault({ service: 'postgres', mode: 'hang' })
    expect(await measureMs(() => response)).toBeLessThan(maxHungMs)
    expectUnavailable(await response)
    await dashboard(service).clearFaults()
    await unlock()
  })
  await expect
    .poll(async () => (await person.call('GET', '/notifications/configs')).body, { timeout: 5000 })
    .toEqual([])
})

it('WIR-29 waits for a slow statement longer than for a hung database', async () => {
  await service.sql(
    'create function public.sleep() returns trigger language plpgsql as $$ begin perform pg_sleep(3.3); return new; end $$',
  )
  await service.sql(
    'create trigger slow before insert on notification_configs for each row execute function public.sleep()',
  )
  try {
    const responses = await Promise.all([
      person.call('POST', '/notifications/configs', config),
      createConfigInTransaction(),
    ])
    expect(responses.map(({ status }) => status)).toEqual([201, 201])
  } finally {
    await service.sql('drop function public.sleep cascade')
  }
})

it('WIR-51 gives up a lock after a second, with 503 and Retry-After', async () => {
  await whileConfigsAreLocked(async (unlock) => {
    for (const response of await Promise.all([
      person.call('POST', '/notifications/configs', config),
      createConfigInTransaction(),
    ]))
      expectUnavailable(response)
    await unlock()
  })
})

it('WIR-28 returns 503 with Retry-After when PostgreSQL ends the connection of a transaction', async () => {
  await whileConfigsAreLocked(async (unlock) => {
    const response = createConfigInTransaction()
    await waitForInsert()
    await endConnections()
    expectUnavailable(await response)
    await unlock()
  })
})

it('WIR-28 reports a connection that PostgreSQL ended between two statements as unavailable', async () => {
  const database = openTestDatabase(service.settings.DATABASE_URL)
  const connection = await database.begin('begin')
  await endConnections()
  await pause(300)
  const error = await connection.query({ sql: 'select 1', parameters: [] }).catch((error: unknown) => error)
  expect(toDatabaseProblem(error)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
  await connection.end()
})

it('WIR-28 returns 503 with Retry-After while PostgreSQL accepts no more connections', async () => {
  await service.sql(`alter database ${getDatabaseName()} connection limit 0`)
  await endConnections()
  for (const response of await Promise.all(callEach())) expectUnavailable(response)
  await service.sql(`alter database ${getDatabaseName()} connection limit -1`)
  expect((await person.call('GET', '/notifications')).status).toBe(200)
})

it.each(entries)(
  'WIR-28 on %s a database that takes no writes is away for writes and for /ready, reads go on, and both return with it',
  async (platform) => {
    const own = await startOwnService({ READY_CACHE_MS: '0' }, { platform })
    onTestFinished(() => own.close())
    const { admin } = await createAccount(own)
    const name = new URL(own.ownerUrl).pathname.slice(1)
    const { postgresPort } = inject('shared')
    const setReadOnly = (isReadOnly: boolean) =>
      withSuperuser(postgresPort, 'postgres', (client) =>
        client.query(
          `alter database ${name} ${isReadOnly ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only'}`,
        ),
      )
    await setReadOnly(true)
    const endItsConnections = () =>
      withSuperuser(postgresPort, 'postgres', (client) =>
        client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename like 'app_%'`,
          [name],
        ),
      )
    await endItsConnections()
    const write = () => admin.call('PATCH', '/auth/me', { full_name: 'Dana' })
    const isReady = async () => (await fetch(`${own.api}/ready`)).status
    // A connection that was ended is found by the first call.
    await expect.poll(async () => (await admin.call('GET', '/notifications')).status).toBe(200)
    for (let n = 0; n < 12; n++) expectUnavailable(await write())
    expect(await isReady()).toBe(503)
    await setReadOnly(false)
    // The connections that were opened meanwhile are still read only, each until its first refused write. Those
    // of Neon's pooler are not ours to close.
    if (platform === 'cloudflare') await endItsConnections()
    await expect.poll(async () => (await write()).status, { timeout: 5000 }).toBe(200)
    await expect.poll(isReady, { timeout: 5000 }).toBe(200)
    for (let n = 0; n < 12; n++) expect((await write()).status).toBe(200)
  },
)
