// @module-tag attack
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getFixture } from '#test/contract/fixtures.ts'
import { createPermittedCaller, listIds, send } from '#test/contract/requests.ts'
import { listTenantTables, readChecksums } from '#test/contract/row-checksums.ts'
import { createTwoAccounts, listOperationsWithIds, tenantOperations } from '#test/contract/two-accounts.ts'
import { sharedService, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import {
  removeFilters,
  removeFiltersOfFunctions,
  removeFiltersOfRuntime,
  type SentStatements,
} from './remove-filters.ts'

const operationsById = await listOperationsWithIds(await sharedService())
const lists = tenantOperations
  .filter((op) => op.method === 'get' && !op.params)
  .map((op) => [op.id, op] as const)

let service: Awaited<ReturnType<typeof startOwnService>>
let sent: SentStatements
let changedFunctions: string[]
beforeAll(async () => {
  service = await startOwnService()
  changedFunctions = await removeFiltersOfFunctions(service)
  sent = removeFiltersOfRuntime(service)
})
afterAll(() => service.close())

/** Return the ids of all rows of an account. */
async function listRowIds(accountId: string): Promise<string[]> {
  const tables = await listTenantTables(service)
  const withId = await service.sql<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'id' and table_name = any ($1)`,
    [tables],
  )
  const selects = withId.map(({ name }) => `select id::text as id from ${name} where account_id = $1`)
  return (await service.sql<{ id: string }>(selects.join(' union all '), [accountId])).map(({ id }) => id)
}

describe('without any condition on the account in the statements', () => {
  it.each(operationsById)(
    '%s returns 404 for an id of another account, and shows and changes none of its rows',
    async (_, op) => {
      const { ours, theirs, sample } = await createTwoAccounts(service, op)
      const stranger = await createPermittedCaller(op, theirs)
      const before = await readChecksums(service, ours.id, theirs.id)
      const response = await send(service, op, sample, { token: stranger.token })
      expectStatus(response, 404)
      const requested = listIds(sample)
      const foreign = (await listRowIds(ours.id)).filter((id) => !requested.includes(id))
      expect(foreign.filter((id) => response.text.includes(id))).toEqual([])
      expect(await readChecksums(service, ours.id, theirs.id)).toEqual(before)
    },
  )

  it.each(lists)('%s returns no row of another account', async (_, op) => {
    const { ours, theirs } = await createTwoAccounts(service, op)
    const stranger = await createPermittedCaller(op, theirs)
    const response = await send(service, op, await getFixture(op)(service, stranger), {
      token: stranger.token,
    })
    expectStatus(response, op.success)
    const foreign = await listRowIds(ours.id)
    expect(foreign.length).toBeGreaterThan(0)
    expect(foreign.filter((id) => response.text.includes(id))).toEqual([])
  })

  it('a stranger reads and changes the row as soon as the policies are missing too', async () => {
    const op = tenantOperations.find(({ id }) => id === 'notifications.updateConfig')
    if (!op) throw new Error('The operation is gone')
    const { ours, theirs, sample } = await createTwoAccounts(service, op)
    const before = await readChecksums(service, ours.id)
    await service.sql('alter table notification_configs disable row level security')
    const response = await send(service, op, sample, { token: theirs.admin.token })
    await service.sql('alter table notification_configs enable row level security')
    expectStatus(response, 200)
    expect(await readChecksums(service, ours.id)).not.toEqual(before)
  })

  it('no statement was sent with a condition that was overlooked', () => {
    expect([...sent.left]).toEqual([])
    expect(sent.removed).toBeGreaterThan(500)
    expect(changedFunctions.length).toBeGreaterThan(5)
  })
})

it.each([
  [`where "t"."account_id" = app.account_id() and "t"."id" = $1`, `where true and "t"."id" = $1`],
  ['where t.account_id in (app.account_id(), app.platform_account())', 'where true'],
  [
    'join users u on u.account_id = t.account_id and u.id = t.author_id',
    'join users u on true and u.id = t.author_id',
  ],
  [
    'join trees f on f.account_id = "t"."parent_account_id" and f.id = $1',
    'join trees f on true and f.id = $1',
  ],
  [`from accounts a where a.id = app.account_id()`, 'from accounts a where true'],
])('the conditions on the account are removed from %s', (sql, expected) => {
  expect(removeFilters(sql)).toBe(expected)
})
