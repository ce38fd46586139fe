import { expect, it } from 'vitest'
import { callers, tally, together } from '../../soak/callers.ts'
import { claimHasOneWinner } from '../../soak/claim-proofs.ts'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { claim, escalate, newEscalation, pickup } from '../../support/escalations.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()

async function people() {
  const account = await newAccount(service)
  const [owner, first, second] = [await account.colleague(), await account.colleague(), await account.colleague()]
  return { account, owner, first, second, admin: account.admin }
}

const queueOf = async (person: Person, query = '') => (await person.call('GET', `/ai-sessions/queue${query}`)).body
const ids = (items: { session_id: string }[]) => items.map(({ session_id }) => session_id)

it('HND-10 HND-12 claims once: again by the same changes nothing', async () => {
  const { owner, first } = await people()
  const { id, handoffId } = await newEscalation(owner)
  const assessed = async () => (await service.sql('select assessment_status as is from ai_handoffs where id = $1', [handoffId]))[0]?.is
  await expect.poll(assessed, { timeout: 15_000 }).toBe('ready')
  const claimed = await claim(first, id, handoffId)
  expect(claimed.body).toMatchObject({ id: handoffId, claimed_by: first.id, claimed_at: expect.stringMatching(/Z$/) })
  const before = await service.sql('select * from ai_handoffs where id = $1', [handoffId])
  const session = await service.sql('select * from ai_sessions where id = $1', [id])
  const again = await claim(first, id, handoffId)
  expect([again.status, again.body]).toEqual([200, claimed.body])
  expect(await service.sql('select * from ai_handoffs where id = $1', [handoffId])).toEqual(before)
  expect(await service.sql('select * from ai_sessions where id = $1', [id])).toEqual(session)
  const told = await service.sql(`select user_id from notifications where account_id = $1 and event_key = 'handoff.claimed'`, [
    owner.accountId,
  ])
  expect(told).toEqual([{ user_id: owner.id }])
})

it('HND-13 HND-14 HND-20 tells who lost to whom and since when, and refuses who escalated', async () => {
  const { owner, first, second } = await people()
  const { id, handoffId } = await newEscalation(owner)
  expectStatus(await claim(owner, id, handoffId), 403)
  const { body: won } = await claim(first, id, handoffId)
  const lost = await claim(second, id, handoffId)
  expectStatus(lost, 409)
  expect(lost.body).toMatchObject({
    detail: expect.any(String),
    winner: { id: first.id, name: first.fullName },
    claimed_at: won.claimed_at,
  })
  expectStatus(await claim(owner, id, handoffId), 403)
  expectStatus(await pickup(owner, id), 403)
  await pickup(first, id)
  expect((await claim(second, id, handoffId)).body).toMatchObject({ winner: { id: first.id }, claimed_at: won.claimed_at })
  expectStatus(await claim(first, id, handoffId), 200)
})

it('HND-21 HND-25 lets any engineer claim, who may then read it while who lost may not', async () => {
  const { account, owner, first, second } = await people()
  const viewer = await account.colleague({ role: 'viewer' })
  const { id, handoffId } = await newEscalation(owner, { target_user_id: second.id })
  expectStatus(await claim(viewer, id, handoffId), 403)
  expectStatus(await pickup(viewer, id), 403)
  expectStatus(await claim(first, id, handoffId), 200)
  await service.sql('update ai_sessions set escalated_to_id = null where id = $1', [id])
  const reads = async (person: Person) => (await person.call('GET', `/ai-sessions/${id}`)).status
  expect([await reads(first), await reads(owner), await reads(second)]).toEqual([200, 200, 404])
})

it('HND-11 lets exactly one of many claim, and tells the others what stands in the row', () => claimHasOneWinner(service, 3))

it('HND-11 lets exactly one of many pick up, claims among them', async () => {
  const { account, owner } = await people()
  const engineers = await Promise.all(Array.from({ length: callers }, () => account.colleague()))
  const { id, handoffId } = await newEscalation(owner)
  const answers = await together((n) => (n % 2 ? pickup(engineers[n] as Person, id) : claim(engineers[n] as Person, id, handoffId)))
  expect(tally(answers)).toEqual({ 200: 1, 409: callers - 1 })
  const [row] = await service.sql('select claimed_by from ai_handoffs where id = $1', [handoffId])
  expect(new Set(answers.filter(({ status }) => status === 409).map(({ body }) => body.winner.id))).toEqual(new Set([row?.claimed_by]))
})

it('takes what the same person claims and picks up at once', async () => {
  const { owner, first } = await people()
  const { id, handoffId } = await newEscalation(owner)
  const answers = await together((n) => (n % 2 ? pickup(first, id) : claim(first, id, handoffId)))
  expect(tally(answers)).toEqual({ 200: callers })
  const told = await service.sql(`select 1 from events where account_id = $1 and key = 'handoff.claimed'`, [owner.accountId])
  expect(told).toHaveLength(1)
})

it('escalates, parks or abandons once, however many try at once', async () => {
  const { owner } = await people()
  const { id } = await newEscalation(owner)
  await service.sql(`update ai_sessions set status = 'active' where id = $1`, [id])
  const answers = await together(() => owner.call('POST', `/ai-sessions/${id}/escalate`, {}))
  expect(tally(answers)).toEqual({ 200: 1, 409: callers - 1 })
  const rows = await service.sql('select 1 from ai_handoffs where session_id = $1 and closed_at is null', [id])
  expect(rows).toHaveLength(1)
})

it('claims nothing that waits for nobody: laid aside, withdrawn, another session’s', async () => {
  const { owner, first, second } = await people()
  const parked = await newEscalation(owner)
  await service.sql(`update ai_handoffs set intent = 'park', assessment_status = null where id = $1`, [parked.handoffId])
  await service.sql(`update ai_sessions set status = 'parked' where id = $1`, [parked.id])
  expectStatus(await claim(first, parked.id, parked.handoffId), 404)
  expectStatus(await claim(owner, parked.id, parked.handoffId), 403)
  expectStatus(await pickup(first, parked.id), 404)
  const gone = await newEscalation(owner)
  expectStatus(await claim(first, parked.id, gone.handoffId), 404)
  await owner.call('POST', `/ai-sessions/${gone.id}/abandon`)
  expectStatus(await claim(first, gone.id, gone.handoffId), 404)
  const taken = await newEscalation(owner)
  await pickup(second, taken.id)
  await second.call('POST', `/ai-sessions/${taken.id}/resolve`, { outcome: 'resolved' })
  expectStatus(await pickup(second, taken.id), 409)
})

it('HND-16 queues the team’s escalations but for the caller’s own, the most urgent first, until they are picked up', async () => {
  const { account, owner, first, second, admin } = await people()
  const [team] = await service.sql<{ id: string }>(`insert into teams (account_id, name) values ($1, 'Other') returning id`, [account.id])
  const away = await account.colleague({ teamId: team?.id ?? '' })
  const normal = await newEscalation(owner, { target_user_id: second.id }, { client_name: 'Contoso Dental', psa_ticket_id: '4711' })
  const critical = await newEscalation(owner, { urgency: 'critical' })
  const mine = await newEscalation(first)
  expect(ids(await queueOf(first))).toEqual([critical.id, normal.id])
  expect(ids(await queueOf(owner))).toEqual([mine.id])
  expect(ids(await queueOf(admin))).toEqual([critical.id, normal.id, mine.id])
  expect(await queueOf(away)).toEqual([])
  expect(ids(await queueOf(second, '?skip=1&limit=1'))).toEqual([normal.id])
  const [item] = (await queueOf(first)).slice(1)
  expect(item).toEqual({
    ...{ session_id: normal.id, handoff_id: normal.handoffId, title: 'Reception cannot print since this morning.' },
    ...{ engineer_name: owner.fullName, psa_ticket_id: '4711', client_name: 'Contoso Dental', urgency: 'normal' },
    ...{ target_user_id: second.id, claimed_by: null, created_at: expect.stringMatching(/Z$/) },
  })
  await claim(second, normal.id, normal.handoffId)
  expect((await queueOf(first)).map(({ claimed_by }: { claimed_by: string | null }) => claimed_by)).toEqual([null, second.id])
  await pickup(second, normal.id)
  expect(ids(await queueOf(first))).toEqual([critical.id])
})

it('AIS-04 lists sessions escalated to me and picked up by me besides my own', async () => {
  const { owner, first } = await people()
  const aimed = await newEscalation(owner, { target_user_id: first.id })
  const picked = await newEscalation(owner)
  await newEscalation(owner)
  await pickup(first, picked.id)
  const listed = (await first.call('GET', '/ai-sessions')).body.map(({ id }: { id: string }) => id)
  expect(listed).toEqual([picked.id, aimed.id])
})

it('AIS-05 AIS-33 shows what waits to everybody of the account, viewers too, who may not write to it', async () => {
  const { account, owner, first } = await people()
  const viewer = await account.colleague({ role: 'viewer' })
  const stranger = (await newAccount(service)).admin
  const { id } = await newEscalation(owner)
  for (const status of ['escalated', 'requesting_escalation']) {
    await service.sql('update ai_sessions set status = $2 where id = $1', [id, status])
    const reads = async (person: Person) => (await person.call('GET', `/ai-sessions/${id}`)).status
    expect([await reads(first), await reads(viewer), await reads(stranger)]).toEqual([200, 200, 404])
    const writes = [
      await first.call('POST', `/ai-sessions/${id}/chat`, { message: 'Hello' }),
      await first.call('POST', `/ai-sessions/${id}/resolve`, { outcome: 'resolved' }),
      await first.call('POST', `/ai-sessions/${id}/abandon`),
      await first.call('DELETE', `/ai-sessions/${id}`),
      await first.call('POST', `/ai-sessions/${id}/escalate`, {}),
      await first.call('POST', `/ai-sessions/${id}/resume`),
    ]
    expect(writes.map((answer) => answer.status)).toEqual(Array(6).fill(403))
  }
  await pickup(first, id)
  expect((await escalate(first, id)).body.status).toBe('escalated')
})
