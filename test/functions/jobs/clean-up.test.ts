// @module-tag mechanism
import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { endGracePeriod } from '#test/support/erasure.ts'
import { createFlow } from '#test/support/flows.ts'
import { postSignedJob } from '#test/support/jobs.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()

it('the job of the clean-up deletes old rows, erases accounts that are due, and checks links', async () => {
  const [account, neighbour] = [await createAccount(service), await createAccount(service)]
  const { id: flowId } = await createFlow(neighbour.admin)
  // The job checks a few flows, of accounts by chance. No other one is due.
  await service.sql(`update flow_link_checks set due_at = app.now() + interval '1 year'`)
  await service.sql(
    `insert into flow_link_checks (account_id, tree_id, due_at) values ($1, $2, '2020-01-01')
     on conflict (account_id, tree_id) do update set due_at = excluded.due_at`,
    [neighbour.id, flowId],
  )
  await service.sql(`insert into mail_counts (account_id, day) values ($1, app.now() - interval '31 days')`, [
    neighbour.id,
  ])
  await endGracePeriod(service, account)
  expect((await postSignedJob(service, '/jobs/cleanup')).status).toBe(200)
  const [left] = await service.sql(
    `select (select count(*)::integer from accounts where id = $1) as accounts, (select count(*)::integer from mail_counts where account_id = $2) as counts,
            (select due_at > app.now() from flow_link_checks where account_id = $2 and tree_id = $3) as is_checked`,
    [account.id, neighbour.id, flowId],
  )
  expect(left).toEqual({ accounts: 0, counts: 0, is_checked: true })
})
