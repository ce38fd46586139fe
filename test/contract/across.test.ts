import { describe, expect, it } from 'vitest'
import { operations } from '../../functions/operations.ts'
import { type AnyOperation, requiresToken } from '../../lib/http/operation.ts'
import { type ApiResponse, sharedService } from '../support/app.ts'
import { expectStatus } from '../support/expect-status.ts'
import { createAccount, type TestAccount } from '../support/people.ts'
import { fixtureOf } from './fixtures.ts'
import { idsOf, isOpen, permitted, send, takesUuids, withIds } from './requests.ts'
import { rowsOf } from './rows.ts'

const service = sharedService()
// Staff reach every account: that is their work.
const tenant = operations.filter((op) => requiresToken(op) && op.access !== 'super_admin')

/** Two accounts, and a valid request for rows of the first. */
async function twoAccounts(op: AnyOperation) {
  const [ours, theirs] = [await createAccount(service), await createAccount(service)]
  const owner = await permitted(op, ours)
  return { ours, theirs, owner, sample: await fixtureOf(op)(service, owner) }
}

/** Everything of an answer but what differs between two requests of one person. */
function bytesOf({ status, headers, text }: ApiResponse): unknown {
  const own = ['date', 'x-request-id', 'ratelimit-remaining', 'ratelimit-reset']
  return [status, text, [...headers].filter(([name]) => !own.includes(name))]
}

const byId = await operationsWithIds()

async function operationsWithIds(): Promise<[string, AnyOperation][]> {
  const account = await createAccount(service)
  const found: [string, AnyOperation][] = []
  for (const op of tenant) {
    if (idsOf(await fixtureOf(op)(service, await permitted(op, account))).length > 0) found.push([op.id, op])
  }
  return found
}

describe("another account's rows", () => {
  it('are named by every operation that has an id in its path', () => {
    const ids = byId.map(([id]) => id)
    // A ticket's number is the ticketing system's: it names no row of anybody.
    expect(tenant.filter((op) => op.params && takesUuids(op) && !ids.includes(op.id)).map(({ id }) => id)).toEqual([])
  })

  it.each(byId)('WIR-03 WIR-08 %s answers 404 for an id of another account, byte for byte as for one that nobody has', async (_, op) => {
    const { ours, theirs, sample } = await twoAccounts(op)
    const stranger = await permitted(op, theirs)
    const before = [await rowsOf(service, ours.id), await rowsOf(service, theirs.id)]
    const foreign = await send(service, op, sample, { token: stranger.token })
    const nobodys = await send(
      service,
      op,
      withIds(sample, () => crypto.randomUUID()),
      { token: stranger.token },
    )
    expectStatus(foreign, 404)
    expect(bytesOf(foreign)).toEqual(bytesOf(nobodys))
    expect([await rowsOf(service, ours.id), await rowsOf(service, theirs.id)]).toEqual(before)
  })

  it.each(byId)('WIR-03 %s answers 404 and not 403 or 409 in every state of the row of another account', async (_, op) => {
    const { ours, theirs, sample } = await twoAccounts(op)
    const superAdmin = await theirs.addColleague({ role: 'admin', teamRole: 'admin', superAdmin: true })
    expectStatus(await send(service, op, sample, { token: superAdmin.token }), 404)
    for (let n = 0; await setNthStates(ours.id, n); n++) {
      expectStatus(await send(service, op, sample, { token: superAdmin.token }), 404)
    }
  })

  it('NOT-10 answers "Config not found" for reading, changing, deleting and testing a config of another account', async () => {
    const ids = ['listDeliveries', 'updateConfig', 'deleteConfig', 'testConfig'].map((verb) => `notifications.${verb}`)
    const ofConfigs = tenant.filter(({ id }) => ids.includes(id))
    expect(ofConfigs).toHaveLength(4)
    for (const op of ofConfigs) {
      const { ours, theirs, sample } = await twoAccounts(op)
      const before = await rowsOf(service, ours.id)
      const answer = await send(service, op, sample, { token: theirs.admin.token })
      expect([op.id, answer.status, answer.body]).toEqual([op.id, 404, { detail: 'Config not found' }])
      expect(await rowsOf(service, ours.id)).toEqual(before)
    }
  })
})

describe('what an account has made', () => {
  const lists = tenant.filter((op) => op.method === 'get' && !op.params).map((op) => [op.id, op] as const)
  it.each(lists)('WIR-06 %s answers nothing of another account', async (_, op) => {
    const { ours, theirs, owner, sample } = await twoAccounts(op)
    const mine = await send(service, op, sample, { token: owner.token })
    const stranger = await permitted(op, theirs)
    await fixtureOf(op)(service, stranger)
    const answer = await send(service, op, sample, { token: stranger.token })
    expect([mine.status, answer.status]).toEqual([200, 200])
    const foreign = await idsIn(ours)
    expect(foreign.filter((id) => answer.text.includes(id))).toEqual([])
  })

  const writes = tenant.filter((op) => op.method !== 'get' && op.body && !isOpen(op)).map((op) => [op.id, op] as const)
  it.each(writes)('WIR-07 %s refuses an account_id or user_id in its body and stores none', async (_, op) => {
    const { ours, theirs, owner, sample } = await twoAccounts(op)
    const before = [await rowsOf(service, ours.id), await rowsOf(service, theirs.id)]
    for (const smuggled of [{ account_id: theirs.id }, { account_id: ours.id }, { user_id: theirs.admin.id }]) {
      const answer = await send(service, op, { ...sample, body: { ...sample.body, ...smuggled } }, { token: owner.token })
      expect([answer.status, answer.body.errors?.[0]?.loc]).toEqual([422, ['body', Object.keys(smuggled)[0]]])
    }
    expect([await rowsOf(service, ours.id), await rowsOf(service, theirs.id)]).toEqual(before)
  })
})

/** Sets every state column of an account's rows to its n-th value. Returns whether any row changed: false once all values were set. */
async function setNthStates(accountId: string, n: number): Promise<boolean> {
  const columns = (await stateColumns()).filter(({ values }) => n < values.length)
  let changed = 0
  for (const { table, column, values } of columns) {
    // A value that the row's other columns do not allow is left out.
    const rows = await service
      .sql(`update ${table} set ${column} = $2 where account_id = $1 returning 1`, [accountId, values[n]])
      .catch(() => [])
    changed += rows.length
  }
  return changed > 0
}

let knownStateColumns: Promise<{ table: string; column: string; values: string[] }[]> | undefined

/** Every column of a tenant table that a check constraint limits to a list of texts, such as `state` or `status`. */
function stateColumns() {
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

/** The ids of all that an account has. */
async function idsIn({ id }: TestAccount): Promise<string[]> {
  const tables = ['users', 'teams', 'notifications', 'notification_configs', 'deliveries', 'events']
  const rows = await service.sql<{ id: string }>(
    tables.map((table) => `select id from ${table} where account_id = $1`).join(' union all '),
    [id],
  )
  return rows.map((row) => row.id)
}
