import { expect, it } from 'vitest'
import { expectOneClaimWinner } from '#test/soak/races-claims.ts'
import { createAiSession } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { concurrentCallers, countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { claimHandoff, createEscalation, escalateSession, pickUpSession } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()

async function createPeople() {
  const account = await createAccount(service)
  const [owner, firstEngineer, secondEngineer] = [
    await account.addColleague(),
    await account.addColleague(),
    await account.addColleague(),
  ]
  return { account, owner, firstEngineer, secondEngineer, admin: account.admin }
}

const readQueue = async (person: Person, query = '') =>
  (await person.call('GET', `/ai-sessions/queue${query}`)).body
const listSessionIds = (items: { session_id: string }[]) => items.map(({ session_id }) => session_id)

it('HND-10 HND-12 stores a claim, and changes nothing when the same engineer claims again', async () => {
  const { admin, owner, firstEngineer } = await createPeople()
  const { id, handoffId } = await createEscalation(owner)
  const selectAssessmentStatus = async () =>
    (await service.sql('select assessment_status as status from ai_handoffs where id = $1', [handoffId]))[0]
      ?.status
  await expect.poll(selectAssessmentStatus, { timeout: 30_000 }).toBe('ready')
  const claimed = await claimHandoff(firstEngineer, id, handoffId)
  expect(claimed.body).toMatchObject({
    id: handoffId,
    claimed_by: firstEngineer.id,
    claimed_at: expect.stringMatching(/Z$/),
  })
  const before = await service.sql('select * from ai_handoffs where id = $1', [handoffId])
  const session = await service.sql('select * from ai_sessions where id = $1', [id])
  const repeatedClaim = await claimHandoff(firstEngineer, id, handoffId)
  expect([repeatedClaim.status, repeatedClaim.body]).toEqual([200, claimed.body])
  expect(await service.sql('select * from ai_handoffs where id = $1', [handoffId])).toEqual(before)
  expect(await service.sql('select * from ai_sessions where id = $1', [id])).toEqual(session)
  const notifications = await service.sql(
    `select user_id from notifications where account_id = $1 and event_key = 'handoff.claimed'`,
    [owner.accountId],
  )
  expect(notifications.map(({ user_id }) => user_id).sort()).toEqual([admin.id, owner.id].sort())
})

it('HND-13 HND-14 HND-20 returns 409 with winner and time for a losing claim, and 403 for the escalating engineer', async () => {
  const { owner, firstEngineer, secondEngineer } = await createPeople()
  const { id, handoffId } = await createEscalation(owner)
  expectStatus(await claimHandoff(owner, id, handoffId), 403)
  const { body: winningClaim } = await claimHandoff(firstEngineer, id, handoffId)
  const losingClaim = await claimHandoff(secondEngineer, id, handoffId)
  expectStatus(losingClaim, 409)
  expect(losingClaim.body).toMatchObject({
    detail: expect.any(String),
    winner: { id: firstEngineer.id, name: firstEngineer.fullName },
    claimed_at: winningClaim.claimed_at,
  })
  expectStatus(await claimHandoff(owner, id, handoffId), 403)
  expectStatus(await pickUpSession(owner, id), 403)
  await pickUpSession(firstEngineer, id)
  expect((await claimHandoff(secondEngineer, id, handoffId)).body).toMatchObject({
    winner: { id: firstEngineer.id },
    claimed_at: winningClaim.claimed_at,
  })
  expectStatus(await claimHandoff(firstEngineer, id, handoffId), 200)
})

it('HND-21 HND-25 lets any engineer claim, and afterwards only the claimant and the owner read the session', async () => {
  const { account, owner, firstEngineer, secondEngineer } = await createPeople()
  const viewer = await account.addColleague({ role: 'viewer' })
  const { id, handoffId } = await createEscalation(owner, { target_user_id: secondEngineer.id })
  expectStatus(await claimHandoff(viewer, id, handoffId), 403)
  expectStatus(await pickUpSession(viewer, id), 403)
  expectStatus(await claimHandoff(firstEngineer, id, handoffId), 200)
  await service.sql('update ai_sessions set escalated_to_id = null where id = $1', [id])
  const readStatus = async (person: Person) => (await person.call('GET', `/ai-sessions/${id}`)).status
  expect([
    await readStatus(firstEngineer),
    await readStatus(owner),
    await readStatus(secondEngineer),
  ]).toEqual([200, 200, 404])
})

it('HND-11 accepts exactly one of many concurrent claims, and returns 409 with the stored winner for the others', () =>
  expectOneClaimWinner(service, 3))

it('HND-11 accepts exactly one of 32 concurrent claims and pickups, and returns 409 with the winner for the others', async () => {
  const { account, owner } = await createPeople()
  const engineers = await Promise.all(Array.from({ length: concurrentCallers }, () => account.addColleague()))
  const { id, handoffId } = await createEscalation(owner)
  const responses = await runConcurrently((n) =>
    n % 2 ? pickUpSession(engineers[n] as Person, id) : claimHandoff(engineers[n] as Person, id, handoffId),
  )
  expect(countByStatus(responses)).toEqual({ 200: 1, 409: concurrentCallers - 1 })
  const [row] = await service.sql('select claimed_by from ai_handoffs where id = $1', [handoffId])
  expect(new Set(responses.filter(({ status }) => status === 409).map(({ body }) => body.winner.id))).toEqual(
    new Set([row?.claimed_by]),
  )
})

it('accepts all concurrent claims and pickups by one engineer, and creates one event', async () => {
  const { owner, firstEngineer } = await createPeople()
  const { id, handoffId } = await createEscalation(owner)
  const responses = await runConcurrently((n) =>
    n % 2 ? pickUpSession(firstEngineer, id) : claimHandoff(firstEngineer, id, handoffId),
  )
  expect(countByStatus(responses)).toEqual({ 200: concurrentCallers })
  const events = await service.sql(`select 1 from events where account_id = $1 and key = 'handoff.claimed'`, [
    owner.accountId,
  ])
  expect(events).toHaveLength(1)
})

const escalate = (person: Person, id: string) => person.call('POST', `/ai-sessions/${id}/escalate`, {})
const park = (person: Person, id: string) =>
  person.call('POST', `/ai-sessions/${id}/handoff`, { intent: 'park' })
const abandon = (person: Person, id: string) => person.call('POST', `/ai-sessions/${id}/abandon`)

async function selectSessionAndHandoffs(id: string) {
  const [session] = await service.sql<{ status: string }>('select status from ai_sessions where id = $1', [
    id,
  ])
  const handoffs = await service.sql<{ id: string; intent: string; is_open: boolean }>(
    'select id, intent, closed_at is null as is_open from ai_handoffs where session_id = $1',
    [id],
  )
  return { status: session?.status, handoffs, openHandoffs: handoffs.filter(({ is_open }) => is_open) }
}

it('accepts exactly one of 32 concurrent escalations, and returns 409 for the others', async () => {
  const { owner } = await createPeople()
  const { id } = await createAiSession(owner)
  const responses = await runConcurrently(() => escalate(owner, id))
  expect(countByStatus(responses)).toEqual({ 200: 1, 409: concurrentCallers - 1 })
  const [winner, ...losers] = responses.toSorted((a, b) => a.status - b.status)
  for (const { body } of losers) expect(body).toMatchObject({ code: 'wrong_state', status: 'escalated' })
  const { status, handoffs } = await selectSessionAndHandoffs(id)
  expect([status, handoffs]).toEqual([
    'escalated',
    [{ id: winner?.body.handoff_id, intent: 'escalate', is_open: true }],
  ])
})

it('accepts one escalation among 32 concurrent escalations and parkings, and returns 409 for every later request', async () => {
  const { owner } = await createPeople()
  const { id } = await createAiSession(owner)
  const responses = await runConcurrently((n) => (n % 2 ? park(owner, id) : escalate(owner, id)))
  const { 200: escalations, 201: parkings = 0, 409: refusals } = countByStatus(responses)
  expect([escalations, parkings + (refusals ?? 0)]).toEqual([1, concurrentCallers - 1])
  for (const { status, body } of responses)
    if (status === 409) expect(body).toMatchObject({ code: 'wrong_state', status: 'escalated' })
  const { status, handoffs, openHandoffs } = await selectSessionAndHandoffs(id)
  expect([status, handoffs.length]).toEqual(['escalated', 1 + parkings])
  const winner = responses.find((response) => response.status === 200)
  expect(openHandoffs).toEqual([{ id: winner?.body.handoff_id, intent: 'escalate', is_open: true }])
})

it('keeps an abandoned session abandoned under concurrent escalations, parkings and abandonments', async () => {
  const { owner } = await createPeople()
  const { id } = await createAiSession(owner)
  const responses = await runConcurrently((n) => ([escalate, park, abandon][n % 3] as typeof park)(owner, id))
  const [escalations, parkings, abandonments] = [0, 1, 2].map((kind) =>
    responses.filter((_, n) => n % 3 === kind),
  ) as [typeof responses, typeof responses, typeof responses]
  expect(countByStatus(abandonments)).toEqual({ 200: abandonments.length })
  for (const { body } of abandonments) expect(body.status).toBe('abandoned')
  const escalated = escalations.filter(({ status }) => status === 200)
  const parked = parkings.filter(({ status }) => status === 201)
  expect(escalated.length).toBeLessThanOrEqual(1)
  const refused = [...escalations, ...parkings].filter(
    (response) => !escalated.includes(response) && !parked.includes(response),
  )
  for (const { status, body } of refused) {
    expect([status, body.code]).toEqual([409, 'wrong_state'])
    expect(['escalated', 'abandoned']).toContain(body.status)
  }
  const { status, handoffs, openHandoffs } = await selectSessionAndHandoffs(id)
  expect([status, handoffs.length, openHandoffs]).toEqual(['abandoned', escalated.length + parked.length, []])
})

it('refuses to claim a handoff that is parked, abandoned or of another session, and to pick up a resolved session', async () => {
  const { owner, firstEngineer, secondEngineer } = await createPeople()
  const parked = await createEscalation(owner)
  await service.sql(`update ai_handoffs set intent = 'park', assessment_status = null where id = $1`, [
    parked.handoffId,
  ])
  await service.sql(`update ai_sessions set status = 'parked' where id = $1`, [parked.id])
  expectStatus(await claimHandoff(firstEngineer, parked.id, parked.handoffId), 404)
  expectStatus(await claimHandoff(owner, parked.id, parked.handoffId), 403)
  expectStatus(await pickUpSession(firstEngineer, parked.id), 404)
  const abandoned = await createEscalation(owner)
  expectStatus(await claimHandoff(firstEngineer, parked.id, abandoned.handoffId), 404)
  await owner.call('POST', `/ai-sessions/${abandoned.id}/abandon`)
  expectStatus(await claimHandoff(firstEngineer, abandoned.id, abandoned.handoffId), 404)
  const resolved = await createEscalation(owner)
  await pickUpSession(secondEngineer, resolved.id)
  await secondEngineer.call('POST', `/ai-sessions/${resolved.id}/resolve`, { outcome: 'resolved' })
  expectStatus(await pickUpSession(secondEngineer, resolved.id), 409)
})

it('HND-16 lists the team’s escalations except the caller’s own, the most urgent first, until they are picked up', async () => {
  const { account, owner, firstEngineer, secondEngineer, admin } = await createPeople()
  const [otherTeam] = await service.sql<{ id: string }>(
    `insert into teams (account_id, name) values ($1, 'Other') returning id`,
    [account.id],
  )
  const otherTeamMember = await account.addColleague({ teamId: otherTeam?.id ?? '' })
  const normal = await createEscalation(
    owner,
    { target_user_id: secondEngineer.id },
    { client_name: 'Contoso Dental', psa_ticket_id: '4711' },
  )
  const critical = await createEscalation(owner, { urgency: 'critical' })
  const ownEscalation = await createEscalation(firstEngineer)
  expect(listSessionIds(await readQueue(firstEngineer))).toEqual([critical.id, normal.id])
  expect(listSessionIds(await readQueue(owner))).toEqual([ownEscalation.id])
  expect(listSessionIds(await readQueue(admin))).toEqual([critical.id, normal.id, ownEscalation.id])
  expect(await readQueue(otherTeamMember)).toEqual([])
  expect(listSessionIds(await readQueue(secondEngineer, '?skip=1&limit=1'))).toEqual([normal.id])
  const [item] = (await readQueue(firstEngineer)).slice(1)
  expect(item).toEqual({
    session_id: normal.id,
    handoff_id: normal.handoffId,
    title: 'Reception cannot print since this morning.',
    engineer_name: owner.fullName,
    psa_ticket_id: '4711',
    client_name: 'Contoso Dental',
    urgency: 'normal',
    target_user_id: secondEngineer.id,
    claimed_by: null,
    acknowledged_by: null,
    acknowledged_by_name: null,
    acknowledged_at: null,
    created_at: expect.stringMatching(/Z$/),
  })
  await claimHandoff(secondEngineer, normal.id, normal.handoffId)
  expect(
    (await readQueue(firstEngineer)).map(({ claimed_by }: { claimed_by: string | null }) => claimed_by),
  ).toEqual([null, secondEngineer.id])
  await pickUpSession(secondEngineer, normal.id)
  expect(listSessionIds(await readQueue(firstEngineer))).toEqual([critical.id])
})

it('AIS-04 lists my own sessions, those escalated to me and those that I picked up', async () => {
  const { owner, firstEngineer } = await createPeople()
  const targeted = await createEscalation(owner, { target_user_id: firstEngineer.id })
  const pickedUp = await createEscalation(owner)
  await createEscalation(owner)
  await pickUpSession(firstEngineer, pickedUp.id)
  const listedIds = (await firstEngineer.call('GET', '/ai-sessions')).body.map(({ id }: { id: string }) => id)
  expect(listedIds).toEqual([pickedUp.id, targeted.id])
})

it('AIS-05 AIS-33 lets everyone in the account read a session that waits for pickup, but lets no colleague change it', async () => {
  const { account, owner, firstEngineer } = await createPeople()
  const viewer = await account.addColleague({ role: 'viewer' })
  const stranger = (await createAccount(service)).admin
  const { id } = await createEscalation(owner)
  for (const status of ['escalated', 'requesting_escalation']) {
    await service.sql('update ai_sessions set status = $2 where id = $1', [id, status])
    const readStatus = async (person: Person) => (await person.call('GET', `/ai-sessions/${id}`)).status
    expect([await readStatus(firstEngineer), await readStatus(viewer), await readStatus(stranger)]).toEqual([
      200, 200, 404,
    ])
    const writes = [
      await firstEngineer.call('POST', `/ai-sessions/${id}/chat`, { message: 'Hello' }),
      await firstEngineer.call('POST', `/ai-sessions/${id}/resolve`, { outcome: 'resolved' }),
      await firstEngineer.call('POST', `/ai-sessions/${id}/abandon`),
      await firstEngineer.call('DELETE', `/ai-sessions/${id}`),
      await firstEngineer.call('POST', `/ai-sessions/${id}/escalate`, {}),
      await firstEngineer.call('POST', `/ai-sessions/${id}/resume`),
    ]
    expect(writes.map((response) => response.status)).toEqual(Array(6).fill(403))
  }
  await pickUpSession(firstEngineer, id)
  expect((await escalateSession(firstEngineer, id)).body.status).toBe('escalated')
})
