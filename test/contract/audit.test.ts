import { describe, expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { getFixture } from './fixtures.ts'
import { createPermittedCaller, createRefusedCaller, send } from './requests.ts'

const service = await sharedService()
const adminAccess = ['team_admin', 'account_admin', 'account_or_super_admin', 'super_admin']
const writes = operations.filter(({ access, method }) => adminAccess.includes(access) && method !== 'get')
const cases = writes.map((op) => [op.id, op] as const)

/** Select the audit rows of a user's actions, in every account. */
const selectAuditRows = ({ id }: Person) =>
  service.sql('select account_id, action, ip from audit_logs where actor_id = $1', [id])

describe("an administrator's write", () => {
  it('more than 15 write operations require an administrator', () =>
    expect(writes.length).toBeGreaterThan(15))

  it.each(cases)('ACC-17 %s writes exactly one audit row, with the client address', async (_, op) => {
    const person = await createPermittedCaller(op, await createAccount(service))
    const sample = await getFixture(op)(service, person)
    expect(await selectAuditRows(person)).toEqual([])
    const headers = { 'cf-connecting-ip': '198.51.100.7' }
    expectStatus(await send(service, op, sample, { token: person.token, headers }), op.success)
    const rows = await selectAuditRows(person)
    expect(rows).toMatchObject([{ ip: '198.51.100.7', action: expect.stringMatching(/^\w+\.\w+$/) }])
  })

  it.each(cases)('ACC-17 %s writes no audit row when it is refused', async (_, op) => {
    const account = await createAccount(service)
    const [permitted, refused] = [
      await createPermittedCaller(op, account),
      await createRefusedCaller(op, account),
    ]
    const sample = await getFixture(op)(service, permitted)
    expectStatus(await send(service, op, sample, { token: refused.token }), 403)
    const invalid = await send(
      service,
      op,
      { ...sample, query: { zz_unknown: '1' } },
      { token: permitted.token },
    )
    expectStatus(invalid, 422)
    expect([await selectAuditRows(permitted), await selectAuditRows(refused)]).toEqual([[], []])
  })
})
