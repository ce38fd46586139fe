import { describe, expect, it } from 'vitest'
import { getGroup } from '#http/openapi/document.ts'
import { type ApiResponse, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import type { TestAccount } from '#test/support/people.ts'
import { listOnePer } from './cases.ts'
import { getFixture } from './fixtures.ts'
import { mayWrite } from './request-setup.ts'
import { createPermittedCaller, hasOpenBody, hasUuidParams, mapIds, send } from './requests.ts'
import { readChecksums } from './row-checksums.ts'
import { createTwoAccounts, listOperationsWithIds, tenantOperations } from './two-accounts.ts'

const service = await sharedService()
/** Return a response without the parts that differ between two requests of one person. */
function toComparable({ status, headers, text }: ApiResponse): unknown {
  const varying = ['date', 'x-request-id', 'ratelimit-remaining', 'ratelimit-reset']
  return [status, text, [...headers].filter(([name]) => !varying.includes(name))]
}

const operationsById = await listOperationsWithIds(service)

describe("another account's rows", () => {
  it('every operation with an id in its path is tested', () => {
    const ids = operationsById.map(([id]) => id)
    // A ticket number is an id of the ticketing system, not of a row.
    expect(
      tenantOperations
        .filter((op) => op.params && hasUuidParams(op) && !ids.includes(op.id))
        .map(({ id }) => id),
    ).toEqual([])
  })

  it.each(operationsById)(
    'WIR-03 WIR-08 %s returns 404 for an id of another account, with the same headers and body as for an unknown id',
    async (_, op) => {
      const { ours, theirs, sample } = await createTwoAccounts(service, op)
      const stranger = await createPermittedCaller(op, theirs)
      const rows = async () => (mayWrite(op) ? await readChecksums(service, ours.id, theirs.id) : {})
      const before = await rows()
      const foreign = await send(service, op, sample, { token: stranger.token })
      const unknown = await send(
        service,
        op,
        mapIds(sample, () => crypto.randomUUID()),
        { token: stranger.token },
      )
      expectStatus(foreign, 404)
      expect(toComparable(foreign)).toEqual(toComparable(unknown))
      expect(await rows()).toEqual(before)
    },
  )

  // The policies of a group's tables are the same for all of its operations.
  it.each(listOnePer(operationsById, getGroup))(
    'WIR-03 %s returns 404 for a row of another account in every state of the row',
    async (_, op) => {
      const { ours, theirs, sample } = await createTwoAccounts(service, op)
      const addSuperAdmin = () => theirs.addColleague({ role: 'admin', teamRole: 'admin', superAdmin: true })
      let superAdmin = await addSuperAdmin()
      expectStatus(await send(service, op, sample, { token: superAdmin.token }), 404)
      const columns = await listStateColumnsWithRows(ours.id)
      for (let n = 0; await setNthStates(columns, ours.id, n); n++) {
        // Some operations allow five calls per minute.
        if (n % 4 === 3) superAdmin = await addSuperAdmin()
        expectStatus(await send(service, op, sample, { token: superAdmin.token }), 404)
      }
    },
  )

  it('NOT-10 returns 404 "Config not found" for reading, changing, deleting and testing a config of another account', async () => {
    const ids = ['listDeliveries', 'updateConfig', 'deleteConfig', 'testConfig'].map(
      (verb) => `notifications.${verb}`,
    )
    const configOperations = tenantOperations.filter(({ id }) => ids.includes(id))
    expect(configOperations).toHaveLength(4)
    for (const op of configOperations) {
      const { ours, theirs, sample } = await createTwoAccounts(service, op)
      const before = await readChecksums(service, ours.id)
      const response = await send(service, op, sample, { token: theirs.admin.token })
      expect([op.id, response.status, response.body]).toEqual([op.id, 404, { detail: 'Config not found' }])
      expect(await readChecksums(service, ours.id)).toEqual(before)
    }
  })
})

describe('rows of an account', () => {
  const lists = tenantOperations
    .filter((op) => op.method === 'get' && !op.params)
    .map((op) => [op.id, op] as const)
  it.each(lists)('WIR-06 %s returns no row of another account', async (_, op) => {
    const { ours, theirs, owner, sample } = await createTwoAccounts(service, op)
    const own = await send(service, op, sample, { token: owner.token })
    const stranger = await createPermittedCaller(op, theirs)
    await getFixture(op)(service, stranger)
    const response = await send(service, op, sample, { token: stranger.token })
    // An id in the query is one of the other account.
    const namesRow = Object.values(sample.query ?? {}).some((value) =>
      /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(String(value)),
    )
    expect([own.status, namesRow ? [200, 404] : [200]]).toEqual([
      200,
      expect.arrayContaining([response.status]),
    ])
    const foreign = await listAccountIds(ours)
    expect(foreign.filter((id) => response.text.includes(id))).toEqual([])
  })

  const writes = tenantOperations
    .filter((op) => op.method !== 'get' && op.body && !hasOpenBody(op))
    .map((op) => [op.id, op] as const)
  it.each(writes)('WIR-07 %s refuses an account_id or user_id in its body and stores none', async (_, op) => {
    const { ours, theirs, owner, sample } = await createTwoAccounts(service, op)
    const before = await readChecksums(service, ours.id, theirs.id)
    for (const extra of [{ account_id: theirs.id }, { account_id: ours.id }, { user_id: theirs.admin.id }]) {
      const response = await send(
        service,
        op,
        { ...sample, body: { ...sample.body, ...extra } },
        { token: owner.token },
      )
      expect([response.status, response.body.errors?.[0]?.loc]).toEqual([
        422,
        ['body', Object.keys(extra)[0]],
      ])
    }
    expect(await readChecksums(service, ours.id, theirs.id)).toEqual(before)
  })
})

interface StateColumn {
  table: string
  column: string
  values: string[]
}

/** Set the state columns of an account's rows to their n-th value. Return whether there was an n-th value. */
async function setNthStates(columns: readonly StateColumn[], accountId: string, n: number): Promise<boolean> {
  const updates = columns.flatMap(({ table, column, values }) =>
    values[n] === undefined
      ? []
      : `update ${table} set ${column} = '${values[n]}' where account_id = '${accountId}';`,
  )
  if (updates.length === 0) return false
  // Skip a value that other columns of the row do not allow.
  await service.sql(
    `do $$ begin ${updates.map((update) => `begin ${update} exception when others then null; end;`).join(' ')} end $$`,
  )
  return true
}

/** List the state columns of the tables in which an account has rows. */
async function listStateColumnsWithRows(accountId: string): Promise<StateColumn[]> {
  const columns = await listStateColumns()
  const tables = [...new Set(columns.map(({ table }) => table))]
  const selects = tables.map(
    (table) => `select '${table}' as name where exists (select from ${table} where account_id = $1)`,
  )
  const used = new Set(
    (await service.sql<{ name: string }>(selects.join(' union all '), [accountId])).map(({ name }) => name),
  )
  return columns.filter(({ table }) => used.has(table))
}

let knownStateColumns: Promise<StateColumn[]> | undefined

/**
 * List the columns of tenant tables that a check constraint limits to a list of texts, such as `state` or
 * `status`.
 */
function listStateColumns() {
  knownStateColumns ??= service
    .sql<{ table: string; column: string; definition: string }>(
      `select c.conrelid::regclass::text as table, a.attname as column, pg_get_constraintdef(c.oid) as definition
         from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
        where c.contype = 'c' and cardinality(c.conkey) = 1 and pg_get_constraintdef(c.oid) like '%ANY (ARRAY[%'
          and exists (select from pg_attribute o where o.attrelid = c.conrelid and o.attname = 'account_id')`,
    )
    .then((rows) =>
      rows.map(({ table, column, definition }) => ({
        table,
        column,
        values: [...definition.matchAll(/'([^']+)'::text/g)].map(([, value = '']) => value),
      })),
    )
  return knownStateColumns
}

/** Return the ids of an account's rows. */
async function listAccountIds({ id }: TestAccount): Promise<string[]> {
  const tables = ['users', 'teams', 'notifications', 'notification_configs', 'deliveries', 'events']
  const rows = await service.sql<{ id: string }>(
    tables.map((table) => `select id from ${table} where account_id = $1`).join(' union all '),
    [id],
  )
  return rows.map((row) => row.id)
}
