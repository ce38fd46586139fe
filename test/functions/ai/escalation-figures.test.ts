import { expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { claim, escalate, newEscalation, pickup } from '../../support/escalations.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()

const figures = async (person: Person, period = '7d') =>
  (await person.call('GET', `/analytics/flowpilot/escalations?period=${period}`)).body

/** An escalation that was claimed this many seconds before its first step, if it had one, days ago. */
async function insertClaimed(owner: Person, claimant: Person, seconds: number | null, days = 0): Promise<void> {
  await service.sql(
    `with s as (insert into ai_sessions (account_id, user_id, session_type, title) values ($1, $2, 'chat', 'X') returning id)
     insert into ai_handoffs (account_id, session_id, intent, created_by, claimed_by, claimed_at, first_action_at, assessment_status)
     select $1, s.id, 'escalate', $2, $3, t.at, t.at + make_interval(secs => $4), 'failed'
       from s, (select app.now() - make_interval(days => $5) as at) t`,
    [owner.accountId, owner.id, claimant.id, seconds, days],
  )
}

async function people() {
  const account = await newAccount(service)
  return { account, admin: account.admin, owner: await account.colleague(), other: await account.colleague() }
}

it('ANA-01 ANA-04 takes three periods, and no viewer', async () => {
  const { account, admin } = await people()
  const status = async (query: string) => (await admin.call('GET', `/analytics/flowpilot/escalations${query}`)).status
  expect(await Promise.all(['?period=7d', '?period=30d', '?period=90d', '?period=1d', '?period='].map(status))).toEqual([
    200, 200, 200, 422, 422,
  ])
  const viewer = await account.colleague({ role: 'viewer' })
  expectStatus(await viewer.call('GET', '/analytics/flowpilot/escalations?period=7d'), 403)
})

it('ANA-02 ANA-03 ANA-06 ANA-07 measures from claim to first step, no less than 0, in the period and the account', async () => {
  const { admin, owner, other } = await people()
  for (const seconds of [10, 20, 60, 110, -30]) await insertClaimed(owner, other, seconds)
  await insertClaimed(owner, other, null)
  await insertClaimed(owner, other, 5000, 20)
  const elsewhere = await people()
  await insertClaimed(elsewhere.owner, elsewhere.other, 9999)
  expect(await figures(admin)).toEqual({
    ...{ period: '7d', avg_seconds: 40, median_seconds: 20, p95_seconds: 100, n_handoffs_claimed: 6, n_handoffs_with_action: 5 },
    metric_definition: expect.stringContaining('Seconds from the claim'),
  })
  expect(await figures(admin, '30d')).toMatchObject({ n_handoffs_claimed: 7, n_handoffs_with_action: 6, median_seconds: 40 })
})

it('ANA-05 ANA-08 counts no unclaimed handoff, and has null where there is nothing to measure', async () => {
  const { admin, owner, other } = await people()
  const none = { avg_seconds: null, median_seconds: null, p95_seconds: null, n_handoffs_with_action: 0 }
  const { id, handoffId } = await newEscalation(owner)
  expect(await figures(admin)).toMatchObject({ ...none, n_handoffs_claimed: 0 })
  await claim(other, id, handoffId)
  expect(await figures(admin)).toMatchObject({ ...none, n_handoffs_claimed: 1 })
})

it.each([
  ['a message', (person: Person, id: string) => person.call('POST', `/ai-sessions/${id}/chat`, { message: 'Hello' })],
  ['the resolution', (person: Person, id: string) => person.call('POST', `/ai-sessions/${id}/resolve`, { outcome: 'resolved' })],
])('takes %s for the first step, and neither pickup, laying aside nor passing on', async (_what, act) => {
  const { admin, owner, other, account } = await people()
  const third = await account.colleague()
  const { id } = await newEscalation(owner)
  await pickup(other, id)
  await other.call('POST', `/ai-sessions/${id}/handoff`, { intent: 'park' })
  await other.call('POST', `/ai-sessions/${id}/resume`)
  await escalate(other, id)
  await pickup(third, id)
  expect(await figures(admin)).toMatchObject({ n_handoffs_claimed: 2, n_handoffs_with_action: 0 })
  // Another one's doing is not the claimant's.
  await owner.call('POST', `/ai-sessions/${id}/chat`, { message: 'I saw it again' })
  expect(await figures(admin)).toMatchObject({ n_handoffs_with_action: 0 })
  expectStatus(await act(third, id), 200)
  expect(await figures(admin)).toMatchObject({ n_handoffs_claimed: 2, n_handoffs_with_action: 1 })
})
