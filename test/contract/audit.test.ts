import { describe, expect, it } from 'vitest'
import { operations } from '../../functions/operations.ts'
import { sharedService } from '../support/app.ts'
import { expectStatus } from '../support/expect-status.ts'
import { createAccount, type Person } from '../support/people.ts'
import { fixtureOf } from './fixtures.ts'
import { permitted, refused, send } from './requests.ts'

const service = sharedService()
const administrative = ['team_admin', 'account_admin', 'account_or_super_admin', 'super_admin']
const writes = operations.filter(({ access, method }) => administrative.includes(access) && method !== 'get')
const each = writes.map((op) => [op.id, op] as const)

/** What somebody did, in whichever account it is told. */
const rowsBy = ({ id }: Person) => service.sql('select account_id, action, ip from audit_logs where actor_id = $1', [id])

describe("an administrator's write", () => {
  it('is one of many', () => expect(writes.length).toBeGreaterThan(15))

  it.each(each)('ACC-17 %s leaves exactly one audit row, with the address it came from', async (_, op) => {
    const person = await permitted(op, await createAccount(service))
    const sample = await fixtureOf(op)(service, person)
    expect(await rowsBy(person)).toEqual([])
    const headers = { 'cf-connecting-ip': '198.51.100.7' }
    expectStatus(await send(service, op, sample, { token: person.token, headers }), op.success)
    const rows = await rowsBy(person)
    expect(rows).toMatchObject([{ ip: '198.51.100.7', action: expect.stringMatching(/^\w+\.\w+$/) }])
  })

  it.each(each)('ACC-17 %s leaves none when it is refused', async (_, op) => {
    const account = await createAccount(service)
    const [right, wrong] = [await permitted(op, account), await refused(op, account)]
    const sample = await fixtureOf(op)(service, right)
    expectStatus(await send(service, op, sample, { token: wrong.token }), 403)
    const mistaken = await send(service, op, { ...sample, query: { zz_unknown: '1' } }, { token: right.token })
    expectStatus(mistaken, 422)
    expect([await rowsBy(right), await rowsBy(wrong)]).toEqual([[], []])
  })
})
