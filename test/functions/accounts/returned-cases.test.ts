import { afterAll, expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { startOwnService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { claimHandoff, escalateSession, pickUpSession } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { someByDay } from '#test/support/night.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'
import { createDefaultPolicy, notifyUser } from '#test/support/reminders.ts'

const service = await startOwnService({})
afterAll(() => service.close())

/** Every way in which somebody stops working. */
const ways: Record<string, (account: TestAccount, leaver: Person) => Promise<unknown>> = {
  'is deactivated': async ({ admin }, { id }) =>
    expectStatus(await admin.call('PATCH', `/accounts/me/members/${id}`, { is_active: false }), 200),
  'becomes a viewer': async ({ admin }, { id }) =>
    expectStatus(await admin.call('PATCH', `/accounts/me/members/${id}`, { role: 'viewer' }), 200),
  'is removed': async ({ admin }, { id }) =>
    expectStatus(await admin.call('DELETE', `/accounts/me/members/${id}`), 204),
  'deletes their user': async (_, { email, call }) =>
    expectStatus(await call('DELETE', '/auth/me', { email }), 204),
}
const holds = {
  'had claimed': (leaver: Person, id: string, handoffId: string) => claimHandoff(leaver, id, handoffId),
  'had picked up': (leaver: Person, id: string) => pickUpSession(leaver, id),
  'had picked up and parked': async (leaver: Person, id: string) => {
    expectStatus(await pickUpSession(leaver, id), 200)
    return leaver.call('POST', `/ai-sessions/${id}/handoff`, { intent: 'park' })
  },
}

async function createScene(hasPolicy: boolean) {
  const account = await createAccount(service)
  const [leaver, engineer, onCall] = [
    await account.addColleague(),
    await account.addColleague(),
    await account.addColleague(),
  ]
  await account.admin.client.oncall.schedules.create({
    name: 'Nights',
    timezone: 'UTC',
    rotations: [{ kind: 'daily', members: [onCall.id], handoff_time: '00:00', starts_on: '2020-01-01' }],
  })
  if (hasPolicy) await createDefaultPolicy(account.admin, [[notifyUser(onCall)]])
  const { id } = await createAiSession(engineer, { problem_summary: 'VPN of Lodz drops' })
  const input = { urgency: 'critical', what_was_tried: 'Restarted the tunnel', next_steps: 'Roll back' }
  const { handoffId } = await escalateSession(engineer, id, input)
  const listTold = async (person: Person) => {
    const { body } = expectStatus(await person.call('GET', '/notifications'), 200)
    return body.filter(({ link }: { link: string }) => link.startsWith(`/pilot/${id}`))
  }
  const isTold = async (person: Person) =>
    (await listTold(person)).filter(
      ({ event_key, title }: { event_key: string; title: string }) =>
        event_key === 'escalation.reminded' || title.startsWith('Waits for a colleague again'),
    ).length
  return { account, leaver, engineer, onCall, id, handoffId, isTold }
}

const cases = Object.keys(ways).flatMap((way) =>
  Object.keys(holds).flatMap((hold) => [true, false].map((hasPolicy) => ({ way, hold, hasPolicy }))),
)

it.each(someByDay(cases, 7))(
  'AIS-59 what somebody $hold who $way waits for a colleague again, and whoever is on call is told once (policy: $hasPolicy)',
  async ({ way, hold, hasPolicy }) => {
    const { account, leaver, engineer, onCall, id, handoffId, isTold } = await createScene(hasPolicy)
    expectStatus(
      await holds[hold as keyof typeof holds](leaver, id, handoffId),
      hold.endsWith('parked') ? 201 : 200,
    )
    await ways[way]?.(account, leaver)
    await service.stack.runCron()
    await service.stack.localServer.qstash.waitUntilSettled()
    await service.stack.runCron()
    const { body } = expectStatus(await engineer.call('GET', `/ai-sessions/${id}`), 200)
    expect(body).toMatchObject({ status: 'escalated', picked_up_by_id: null })
    const queue = expectStatus(await onCall.call('GET', '/ai-sessions/queue'), 200).body
    expect(queue).toMatchObject([{ session_id: id, urgency: 'critical', claimed_by: null }])
    expect(body.handoffs[0]).toMatchObject({
      what_was_tried: 'Restarted the tunnel',
      next_steps: 'Roll back',
    })
    expect(await isTold(onCall)).toBe(1)
    expect(await isTold(account.admin)).toBe(1)
    expect(await isTold(engineer)).toBe(1)
    expectStatus(await pickUpSession(onCall, id), 200)
    await service.stack.runCron()
    expect(await isTold(onCall)).toBe(1)
  },
)

it('AIS-59 goes back once, also when the engineer who escalated has left, and not when somebody has taken it before', async () => {
  const first = await createScene(false)
  expectStatus(await pickUpSession(first.leaver, first.id), 200)
  await ways['is removed']?.(first.account, first.engineer)
  await ways['is removed']?.(first.account, first.leaver)
  const second = await createScene(false)
  expectStatus(await claimHandoff(second.leaver, second.id, second.handoffId), 200)
  await ways['is removed']?.(second.account, second.leaver)
  expectStatus(await pickUpSession(second.onCall, second.id), 200)
  await runConcurrently(() => service.stack.runCron(), 8)
  await service.stack.localServer.qstash.waitUntilSettled()
  expect(await first.isTold(first.onCall)).toBe(1)
  expectStatus(await pickUpSession(first.onCall, first.id), 200)
  expect(await second.isTold(second.account.admin)).toBe(0)
  expect((await second.onCall.call('GET', `/ai-sessions/${second.id}`)).body).toMatchObject({
    status: 'active',
    picked_up_by_id: second.onCall.id,
  })
  expect(await service.sql('select id from ai_sessions where returns_at is not null')).toEqual([])
})
