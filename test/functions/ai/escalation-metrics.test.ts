import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { claimHandoff, createEscalation, escalateSession, pickUpSession } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()

const readMetrics = async (person: Person, period = '7d') =>
  (await person.call('GET', `/analytics/flowpilot/escalations?period=${period}`)).body

/**
 * Insert an escalation that was claimed `days` ago. Its first action is `seconds` after the claim; null means
 * that there is none.
 */
async function insertClaimedHandoff(
  owner: Person,
  claimant: Person,
  seconds: number | null,
  days = 0,
): Promise<void> {
  await service.sql(
    `with inserted_session as (insert into ai_sessions (account_id, user_id, session_type, title) values ($1, $2, 'chat', 'X') returning id)
     insert into ai_handoffs (account_id, session_id, intent, created_by, claimed_by, claimed_at, first_action_at, assessment_status)
     select $1, s.id, 'escalate', $2, $3, c.claimed_at, c.claimed_at + make_interval(secs => $4), 'failed'
       from inserted_session s, (select app.now() - make_interval(days => $5) as claimed_at) c`,
    [owner.accountId, owner.id, claimant.id, seconds, days],
  )
}

async function createPeople() {
  const account = await createAccount(service)
  return {
    account,
    admin: account.admin,
    owner: await account.addColleague(),
    colleague: await account.addColleague(),
  }
}

it('ANA-01 ANA-04 accepts three periods and no other, and returns 403 to viewers', async () => {
  const { account, admin } = await createPeople()
  const readStatus = async (query: string) =>
    (await admin.call('GET', `/analytics/flowpilot/escalations${query}`)).status
  expect(
    await Promise.all(['?period=7d', '?period=30d', '?period=90d', '?period=1d', '?period='].map(readStatus)),
  ).toEqual([200, 200, 200, 422, 422])
  const viewer = await account.addColleague({ role: 'viewer' })
  expectStatus(await viewer.call('GET', '/analytics/flowpilot/escalations?period=7d'), 403)
})

it('ANA-02 ANA-03 ANA-06 ANA-07 measures seconds from claim to first action, at least 0, within the period and account', async () => {
  const { admin, owner, colleague } = await createPeople()
  for (const seconds of [10, 20, 60, 110, -30]) await insertClaimedHandoff(owner, colleague, seconds)
  await insertClaimedHandoff(owner, colleague, null)
  await insertClaimedHandoff(owner, colleague, 5000, 20)
  const otherPeople = await createPeople()
  await insertClaimedHandoff(otherPeople.owner, otherPeople.colleague, 9999)
  expect(await readMetrics(admin)).toEqual({
    period: '7d',
    avg_seconds: 40,
    median_seconds: 20,
    p95_seconds: 100,
    n_handoffs_claimed: 6,
    n_handoffs_with_action: 5,
    ...{ avg_claim_seconds: 0, median_claim_seconds: 0, p95_claim_seconds: 0 },
    metric_definition: expect.stringContaining('Seconds from the claim'),
  })
  expect(await readMetrics(admin, '30d')).toMatchObject({
    n_handoffs_claimed: 7,
    n_handoffs_with_action: 6,
    median_seconds: 40,
  })
})

it('ANA-12 counts the time to a claim at once', async () => {
  const { admin, owner, colleague } = await createPeople()
  for (const seconds of [30, 90]) {
    const { id, handoffId } = await createEscalation(owner)
    await service.sql(
      `update ai_handoffs set created_at = app.now() - make_interval(secs => $2) where id = $1`,
      [handoffId, seconds],
    )
    await claimHandoff(colleague, id, handoffId)
  }
  const { avg_claim_seconds, median_claim_seconds, p95_claim_seconds, ...metrics } = await readMetrics(admin)
  expect(metrics).toMatchObject({ n_handoffs_claimed: 2, n_handoffs_with_action: 0, avg_seconds: null })
  for (const [actual, expected] of [
    [avg_claim_seconds, 60],
    [median_claim_seconds, 60],
    [p95_claim_seconds, 87],
  ])
    expect(Math.abs(actual - expected)).toBeLessThan(20)
})

it('ANA-05 ANA-08 ignores unclaimed handoffs, and returns null where nothing can be measured', async () => {
  const { admin, owner, colleague } = await createPeople()
  const nothingMeasured = {
    avg_seconds: null,
    median_seconds: null,
    p95_seconds: null,
    n_handoffs_with_action: 0,
  }
  const { id, handoffId } = await createEscalation(owner)
  expect(await readMetrics(admin)).toMatchObject({ ...nothingMeasured, n_handoffs_claimed: 0 })
  await claimHandoff(colleague, id, handoffId)
  expect(await readMetrics(admin)).toMatchObject({ ...nothingMeasured, n_handoffs_claimed: 1 })
})

it.each([
  [
    'a message',
    (person: Person, id: string) => person.call('POST', `/ai-sessions/${id}/chat`, { message: 'Hello' }),
  ],
  [
    'the resolution',
    (person: Person, id: string) =>
      person.call('POST', `/ai-sessions/${id}/resolve`, { outcome: 'resolved', accept_proposals: true }),
  ],
])('counts %s as the first action, but not a pickup, parking or another escalation', async (_name, act) => {
  const { admin, owner, colleague, account } = await createPeople()
  const thirdEngineer = await account.addColleague()
  const { id } = await createEscalation(owner)
  await pickUpSession(colleague, id)
  await colleague.call('POST', `/ai-sessions/${id}/handoff`, { intent: 'park' })
  await colleague.call('POST', `/ai-sessions/${id}/resume`)
  await escalateSession(colleague, id)
  await pickUpSession(thirdEngineer, id)
  expect(await readMetrics(admin)).toMatchObject({ n_handoffs_claimed: 2, n_handoffs_with_action: 0 })
  // An action of another engineer is not the claimant's.
  await owner.call('POST', `/ai-sessions/${id}/chat`, { message: 'I saw it again' })
  expect(await readMetrics(admin)).toMatchObject({ n_handoffs_with_action: 0 })
  expectStatus(await act(thirdEngineer, id), 200)
  expect(await readMetrics(admin)).toMatchObject({ n_handoffs_claimed: 2, n_handoffs_with_action: 1 })
})
