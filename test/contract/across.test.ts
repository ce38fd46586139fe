import { describe, expect, it } from 'vitest'
import { operations } from '../../functions/operations.ts'
import { type AnyOperation, needsToken } from '../../lib/http/operation.ts'
import { expectStatus } from '../support/answers.ts'
import { type Answer, shared } from '../support/app.ts'
import { type AccountOf, newAccount } from '../support/people.ts'
import { fixtureOf } from './fixtures.ts'
import { idsOf, isOpen, permitted, send, takesUuids, withIds } from './requests.ts'
import { rowsOf } from './rows.ts'

const service = shared()
// Staff reach every account: that is their work.
const tenant = operations.filter((op) => needsToken(op) && op.access !== 'super_admin')

/** Two accounts, and a valid request for rows of the first. */
async function twoAccounts(op: AnyOperation) {
  const [ours, theirs] = [await newAccount(service), await newAccount(service)]
  const owner = await permitted(op, ours)
  return { ours, theirs, owner, sample: await fixtureOf(op)(service, owner) }
}

/** Everything of an answer but what differs between two requests of one person. */
function bytesOf({ status, headers, text }: Answer): unknown {
  const own = ['date', 'x-request-id', 'ratelimit-remaining', 'ratelimit-reset']
  return [status, text, [...headers].filter(([name]) => !own.includes(name))]
}

const byId = await operationsWithIds()

async function operationsWithIds(): Promise<[string, AnyOperation][]> {
  const account = await newAccount(service)
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

  it.each(byId)('WIR-03 %s answers 404 and not 403 or 409 whatever state the row of another account is in', async (_, op) => {
    const { ours, theirs, sample } = await twoAccounts(op)
    await service.sql(`update deliveries set state = 'delivered', last_error = null, delivered_at = now() where account_id = $1`, [ours.id])
    await service.sql('update notifications set is_read = true, read_at = now() where account_id = $1', [ours.id])
    const superAdmin = await theirs.colleague({ role: 'admin', teamRole: 'admin', superAdmin: true })
    expectStatus(await send(service, op, sample, { token: superAdmin.token }), 404)
  })

  it('NOT-10 answers "Config not found" for reading, changing, deleting and testing a config of another account', async () => {
    const ids = ['listDeliveries', 'updateConfig', 'removeConfig', 'testConfig'].map((verb) => `notifications.${verb}`)
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

/** The ids of all that an account has. */
async function idsIn({ id }: AccountOf): Promise<string[]> {
  const tables = ['users', 'teams', 'notifications', 'notification_configs', 'deliveries', 'events']
  const rows = await service.sql<{ id: string }>(
    tables.map((table) => `select id from ${table} where account_id = $1`).join(' union all '),
    [id],
  )
  return rows.map((row) => row.id)
}
