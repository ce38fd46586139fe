// @module-tag plan
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openProviderScope } from '#db/scope.ts'
import { selectUsers } from '#functions/scim/queries.ts'
import { startOwnService } from '#test/support/app.ts'
import { explainStatements, totalRowsRead } from '#test/support/query-plans.ts'
import { connectScim, type ScimClient } from '#test/support/scim.ts'
import { sha256Bytea } from '#vendors/auth/hash.ts'

const count = 5000

let service: Awaited<ReturnType<typeof startOwnService>>
let client: ScimClient

beforeAll(async () => {
  service = await startOwnService()
  client = await connectScim(service)
  // The trigger that checks the seats counts all users for each new one.
  await service.sql('alter table users disable trigger user')
  await service.sql(
    `insert into users (account_id, email, full_name, role)
     select $1::uuid, n || '@' || $2::text, 'Colleague ' || n, 'viewer' from generate_series(1, ${count}) n`,
    [client.account.id, client.domain],
  )
  await service.sql('alter table users enable trigger user')
})
afterAll(() => service.close())

it.each([
  [0, false],
  [1000, false],
  [1000, true],
])(
  'PRV-11 the list of 5,000 members, of whom %i are provisioned, reads each a few times (pooled: %s)',
  async (provisioned, pooled) => {
    await service.sql(
      `insert into scim_users (account_id, user_id, user_name)
     select account_id, id, email from users where account_id = $1 and email like '%' || $2 order by id limit $3
     on conflict do nothing`,
      [client.account.id, client.domain, provisioned],
    )
    const token = {
      accountId: client.account.id,
      connectionId: client.connectionId,
      hash: await sha256Bytea(client.token),
      ip: '',
    }
    const { nodes, result } = await explainStatements(service, pooled, (connection) =>
      selectUsers(openProviderScope(connection, token, { readOnly: true, outbox: () => {} }).db, {
        filter: null,
        offset: 0,
        limit: 1,
      }),
    )
    expect([result.total, result.rows.length]).toEqual([count, 1])
    // The count and the page, which each look for the users with the same address.
    const scans = nodes.filter((node) => node['Relation Name'] === 'users')
    expect(totalRowsRead(scans)).toBeLessThan(5 * count)
    const { status, body } = await client.scim('GET', '/Users?count=0')
    expect([status, body.totalResults]).toEqual([200, count])
  },
)
