// @module-tag night
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openScope } from '#db/scope.ts'
import { selectResults } from '#functions/search/queries.ts'
import { openCluster, withSuperuser } from '#local/postgres.ts'
import { isGrowing } from '#test/bench/growth/growth.ts'
import { measureCost, type Send } from '#test/bench/growth/measure.ts'
import { growthOperations } from '#test/bench/growth/operations.ts'
import { fillAccounts, type GrowthAccount, peopleCount } from '#test/bench/growth/rows.ts'
import { seedAccount, signInId, userId } from '#test/bench/seed.ts'
import { type OwnService, startOwnService } from '#test/support/app.ts'
import { explainStatements, totalRowsRead } from '#test/support/query-plans.ts'
import { templateDatabase } from '#test/support/template-database.ts'

const rows = { small: 1_000, large: 5_000 }
// `npm run bench -- --growth` measures up to 1,000,000. What reads every row grows five times here; other
// plans for larger tables read up to twice as much.
const mostGrowth = 2
const rounds = { warmUps: 1, measured: 2 }

const database = `flow_growth_${process.pid}`
let service: OwnService
let accounts: { small: GrowthAccount; large: GrowthAccount }

beforeAll(async () => {
  const { postgresPort } = inject('shared')
  await openCluster(postgresPort).createDatabase(database, templateDatabase)
  await withSuperuser(postgresPort, database, (client) =>
    client.query(
      `create extension pg_stat_statements; alter database ${database} set pg_stat_statements.track = 'top';
       alter database ${database} set plan_cache_mode = auto`,
    ),
  )
  service = await startOwnService({}, { database })
  const { settings, stack } = service
  // The jobs of a request would count for the requests after it.
  stack.localServer.faults.set({ service: 'qstash', mode: 'down' })
  const seed = async (number: number, count: number) => ({
    ...(await seedAccount({ postgresPort, database, settings }, number.toString(16), peopleCount, 1)),
    rows: count,
  })
  accounts = { small: await seed(0xa1, rows.small), large: await seed(0xa2, rows.large) }
  await withSuperuser(postgresPort, database, (client) =>
    fillAccounts(client, [
      { first: 0xa1, count: 1, rows: rows.small, people: peopleCount },
      { first: 0xa2, count: 1, rows: rows.large, people: peopleCount },
      { first: 0x10000, count: 400, rows: 5, people: 3 },
    ]),
  )
})
afterAll(() => service.close())

it('OPS-09 busy operations read as much in an account of 5,000 rows as in one of 1,000, or less than a page per row', async () => {
  const send: Send = async (path, init) =>
    (await service.fetch?.(new Request(`${service.api}${path}`, init))) ?? Response.error()
  const growing: string[] = []
  await withSuperuser(inject('shared').postgresPort, database, async (client) => {
    for (const operation of growthOperations) {
      const small = await measureCost(client, send, operation, accounts.small, rounds)
      const large = await measureCost(client, send, operation, accounts.large, rounds)
      // `mayGrow` says why an operation reads more, such as the sessions of a month. None has a reason to
      // look up every row.
      if (operation.mayGrow ? large.blocks > rows.large : isGrowing(small, large, mostGrowth))
        growing.push(`${operation.name}: ${small.blocks} and ${large.blocks} pages`)
    }
  })
  expect(growing).toEqual([])
})

it('SEA-13 a search reads no AI sessions but those that its words have found', async () => {
  const { tag, accountId } = accounts.large
  const caller = { userId: userId(tag, 1), accountId, signInId: signInId(tag, 1) }
  const { nodes, result } = await explainStatements(service, false, (connection) => {
    const { db } = openScope(
      connection,
      { caller, access: 'user', skipGuards: 'none', ip: '', readOnly: true },
      () => {},
    )
    return selectResults.all(db, 'printer', ['session', 'ai_session'], 20)
  })
  expect(result.length).toBe(20)
  const scans = nodes.filter((node) => node['Relation Name'] === 'ai_sessions' && node['Actual Loops'] > 0)
  expect(totalRowsRead(scans)).toBeGreaterThan(0)
  expect(totalRowsRead(scans)).toBeLessThan(100)
})
