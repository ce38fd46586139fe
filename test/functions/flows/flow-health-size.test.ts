// @module-tag night
import { afterAll, expect, it } from 'vitest'
import { openScope } from '#db/scope.ts'
import * as queries from '#functions/flows/health/queries.ts'
import { startOwnService } from '#test/support/app.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'
import { explainStatements, totalRowsRead } from '#test/support/query-plans.ts'

const service = await startOwnService()
afterAll(() => service.close())

const count = 8_000

it.each([false, true])(
  'HEA-12 reads each session of a flow once for its health, with prepared plans: %s',
  async (pooled) => {
    const { admin } = await createAccount(service)
    const { id } = await createFlow(admin)
    // Few decisions, so that the planner expects almost no rows for a session.
    await service.sql(
      `with s as (
       insert into sessions (account_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, outcome, current_step_id, answered,
                             remaining, started_at, completed_at)
       select $1, $2, $1, $3, 1, 'x', 'completed', 'resolved', 'queue', 1, 1, now() - n * interval '1 minute', now() - n * interval '1 minute'
         from generate_series(1, $4::integer) n returning id)
     insert into session_decisions (decided_by, account_id, session_id, seq, step_id, option_id, started_at, duration_seconds)
     select $2, $1, s.id, 0, 'ping', 'yes', now(), 1 from s where hashtext(s.id::text) % 100 = 0`,
      [admin.accountId, admin.id, id, count],
    )
    await service.sql('vacuum analyze sessions, session_decisions')
    const { nodes, result } = await explainStatements(service, pooled, (connection) => {
      const caller = { userId: admin.id, accountId: admin.accountId, signInId: admin.signInId }
      const options = { caller, access: 'user', skipGuards: 'none', ip: '', readOnly: true } as const
      return queries.selectUse.all(openScope(connection, options, () => {}).db, [id])
    })
    expect(result).toMatchObject([{ sessions: count, ended: count, resolved: count }])
    const scans = nodes.filter((node) => node['Relation Name'] === 'sessions')
    // The newest 5,000 are looked at again, for the current step.
    expect(totalRowsRead(scans)).toBeLessThan(count + 6000)
    const lookups = nodes.filter((node) => node['Relation Name'] === 'session_decisions')
    expect(Math.max(...lookups.map((node) => node['Actual Loops']))).toBeLessThan(6000)
  },
)
