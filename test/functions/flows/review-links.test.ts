import { expect, it } from 'vitest'
import { dashboard, request, sharedService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { postSignedJob } from '#test/support/jobs.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const linkPattern = /api\/v1(\/review-links\/[\w.-]+)/
const open = (method: string, path: string) => request(service, method, path)

/** Announce the review of an overdue flow that was reviewed before, and return the link in the mail to its owner. */
async function createScene() {
  const account = await createAccount(service)
  const owner = await account.addColleague()
  const flow = await createFlow(owner, { name: 'Reset the switch' })
  await service.sql(
    `update trees set review_months = 6, reviewed_at = app.now() - interval '7 months', reviewed_by = author_id where id = $1`,
    [flow.id],
  )
  // A time is no text to mask, or the link would name another review.
  await account.admin.call('PATCH', '/accounts/me/preferences', { mask_exports: true })
  await postSignedJob(service, '/jobs/notifications/sweep')
  const path = await dashboard(service).waitForLink(owner.email, linkPattern)
  const readReview = async () => (await account.admin.call('GET', `/trees/${flow.id}/review`)).body
  return { account, owner, flow, path, readReview }
}

it('FLO-74 opening the link of an owner changes nothing, and its button confirms once', async () => {
  const { account, owner, path, readReview } = await createScene()
  const before = await readReview()
  const page = expectStatus(await open('GET', path), 200)
  expect(page.text).toContain('<form method="post">')
  expect(page.text).toContain('Is this flow still right? Reset the switch')
  expect(await readReview()).toEqual(before)
  const answers = await runConcurrently(() => open('POST', path), 8)
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(410)])
  expect(await readReview()).toMatchObject({ is_overdue: false, reviewed_by: { id: owner.id } })
  expect((await open('GET', path)).body).toMatchObject({ code: 'link_ended' })
  const entries = await service.sql(
    `select actor_id from audit_logs where account_id = $1 and action = 'flow_review.updated' and actor_id is not null`,
    [account.id],
  )
  expect(entries).toEqual([{ actor_id: owner.id }])
})

it.each([
  ['its owner becomes a viewer', `update users set role = 'viewer' where id = :owner`],
  ['its owner is deactivated', 'update users set is_active = false where id = :owner'],
  ['somebody else is made its owner', 'update trees set owner_id = :admin where id = :flow'],
  ['its owner moves to another team', 'update users set team_id = null, team_role = null where id = :owner'],
  ['its owner has another address', `update users set email = 'moved-' || email where id = :owner`],
  ['the flow is evergreen', 'update trees set is_evergreen = true where id = :flow'],
  ['the flow is a draft', `update trees set status = 'draft' where id = :flow`],
  [
    'somebody else reviews it',
    'update trees set reviewed_at = app.now(), reviewed_by = :admin where id = :flow',
  ],
])('FLO-74 a link ends when %s', async (_, statement) => {
  const { account, owner, flow, path } = await createScene()
  const ids: Record<string, string> = { owner: owner.id, admin: account.admin.id, flow: flow.id }
  const run = (text: string) =>
    service.sql(
      text.replace(/:(\w+)/g, (_match, name) => `'${ids[name]}'`),
      [],
    )
  await run(`update trees set visibility = 'team', author_id = :admin where id = :flow`)
  expectStatus(await open('GET', path), 200)
  await run(statement)
  for (const method of ['GET', 'POST']) expectStatus(await open(method, path), 410)
})

it('FLO-74 a link that was changed, and one of a deleted flow or erased account, leads nowhere', async () => {
  const { account, flow, path } = await createScene()
  expectStatus(await open('POST', `${path}x`), 404)
  expectStatus(await account.admin.call('DELETE', `/trees/${flow.id}`), 204)
  for (const method of ['GET', 'POST']) expectStatus(await open(method, path), 404)
})
