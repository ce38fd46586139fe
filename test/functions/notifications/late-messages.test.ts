import { afterAll, beforeEach, expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { claimHandoff, createEscalation, escalateSession, pickUpSession } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { postSignedJob } from '#test/support/jobs.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await startOwnService()
const { listRecords, clearRecords, setFault, clearFaults, advanceClock } = dashboard(service)
afterAll(() => service.close())
beforeEach(() => clearFaults())
const waitUntilSettled = () => service.stack.localServer.qstash.waitUntilSettled()

interface Scene {
  admin: Person
  engineer: Person
  colleague: Person
  /** An escalation whose messages the vendors have refused once. */
  escalation: { id: string; handoffId: string }
}

/** Create an account with a chat channel, and escalate a case while mail and chat are down. */
async function createScene(): Promise<Scene> {
  const { admin, addColleague } = await createAccount(service)
  const [engineer, colleague] = [await addColleague(), await addColleague()]
  await admin.client.notifications.createConfig({
    channel: 'chat1_webhook',
    webhook_url: `${service.localOrigin}/chat/1/${crypto.randomUUID()}`,
    events_enabled: ['session.escalated', 'handoff.claimed'],
  })
  await waitUntilSettled()
  for (const vendor of ['resend', 'chat1']) await setFault({ service: vendor, mode: 'error' })
  const escalation = await createEscalation(
    engineer,
    { target_user_id: colleague.id },
    { problem_summary: 'The VPN is down' },
  )
  await waitUntilSettled()
  return { admin, engineer, colleague, escalation }
}

/**
 * End the outage, make the next attempts, and return what left and what became of the deliveries of
 * escalations.
 */
async function endOutage({ admin }: Scene) {
  await clearFaults()
  await Promise.all(['mail', 'chat'].map(clearRecords))
  await advanceClock(31)
  await waitUntilSettled()
  const sent = [...(await listRecords('mail')), ...(await listRecords('chat'))].map((record) =>
    JSON.stringify(record),
  )
  const deliveries = await service.sql<{ channel: string; state: string; last_error: string | null }>(
    `select channel, state, last_error from deliveries where account_id = $1 and event_key = 'session.escalated' order by id`,
    [admin.accountId],
  )
  return { sent: sent.filter((text) => text.includes('escalated: The VPN is down')), deliveries }
}
const leftOut = (error: string) => ({ state: 'failed', last_error: error })
const taken = 'Somebody has taken the escalation since'

it('NOT-88 sends what nobody has taken or read after an outage', async () => {
  const scene = await createScene()
  const { sent, deliveries } = await endOutage(scene)
  expect(deliveries.map(({ channel, state }) => `${channel} ${state}`).toSorted()).toEqual([
    'chat1_webhook delivered',
    'email delivered',
    'email delivered',
  ])
  expect(sent).toHaveLength(3)
})

it.each<[string, (scene: Scene) => Promise<unknown>]>([
  ['claimed', ({ colleague, escalation: { id, handoffId } }) => claimHandoff(colleague, id, handoffId)],
  ['picked up', ({ colleague, escalation: { id } }) => pickUpSession(colleague, id)],
  [
    'resolved',
    async ({ colleague, escalation: { id } }) => {
      expectStatus(await pickUpSession(colleague, id), 200)
      expectStatus(
        await colleague.call('POST', `/ai-sessions/${id}/resolve`, {
          outcome: 'resolved',
          notes: 'Restarted',
        }),
        200,
      )
    },
  ],
])('NOT-88 leaves out the messages of an escalation that was %s during an outage', async (_, take) => {
  const scene = await createScene()
  await take(scene)
  const { sent, deliveries } = await endOutage(scene)
  expect(sent).toEqual([])
  expect(deliveries).toMatchObject([leftOut(taken), leftOut(taken), leftOut(taken)])
})

it('NOT-88 sends the messages of a second escalation, and none of the first one', async () => {
  const scene = await createScene()
  const { colleague, escalation } = scene
  expectStatus(await pickUpSession(colleague, escalation.id), 200)
  await escalateSession(colleague, escalation.id, { summary: 'Still down' })
  await waitUntilSettled()
  const { deliveries } = await endOutage(scene)
  expect(deliveries.slice(0, 3)).toMatchObject([leftOut(taken), leftOut(taken), leftOut(taken)])
  expect(deliveries.slice(3).map(({ state }) => state)).toEqual(deliveries.slice(3).map(() => 'delivered'))
  expect(deliveries.length).toBeGreaterThan(3)
})

it('NOT-88 leaves out an e-mail about what its recipient has read in the app, and sends those of others', async () => {
  const scene = await createScene()
  await scene.colleague.client.notifications.markAllRead()
  const { sent, deliveries } = await endOutage(scene)
  expect(sent).toHaveLength(2)
  expect(deliveries.filter(({ state }) => state === 'failed')).toMatchObject([
    leftOut('It was read in the app'),
  ])
})

it('NOT-88 leaves out all messages about a case that was deleted', async () => {
  const scene = await createScene()
  const { engineer, escalation } = scene
  expectStatus(await engineer.call('DELETE', `/ai-sessions/${escalation.id}`), 204)
  const { sent, deliveries } = await endOutage(scene)
  const deleted = leftOut('What it is about was deleted since')
  expect([sent, deliveries]).toMatchObject([[], [deleted, deleted, deleted]])
})

it('NOT-89 a late message that is still worth reading says first that the session has ended', async () => {
  const scene = await createScene()
  const { colleague, escalation } = scene
  expectStatus(await claimHandoff(colleague, escalation.id, escalation.handoffId), 200)
  expectStatus(await pickUpSession(colleague, escalation.id), 200)
  await waitUntilSettled()
  expectStatus(
    await colleague.call('POST', `/ai-sessions/${escalation.id}/resolve`, {
      outcome: 'resolved',
      notes: 'Restarted',
    }),
    200,
  )
  await endOutage(scene)
  const [message] = (await listRecords('chat')).filter(({ body }) =>
    JSON.stringify(body).includes('picked up the escalation'),
  )
  expect(JSON.stringify(message?.body)).toMatch(/The session has ended since\./)
})

it('NOT-88 leaves out of a digest that was delayed what has been taken since', async () => {
  const { addColleague } = await createAccount(service)
  const [engineer, sleeper, colleague] = [await addColleague(), await addColleague(), await addColleague()]
  await sleeper.client.notifications.preferences.replace({ digest: 'daily' })
  const escalations = []
  for (const problem_summary of ['The printer is offline', 'The scanner is offline'])
    escalations.push(await createEscalation(engineer, { target_user_id: sleeper.id }, { problem_summary }))
  await setFault({ service: 'resend', mode: 'error' })
  await service.sql(`update deliveries set held_until = app.now() where user_id = $1`, [sleeper.id])
  await postSignedJob(service, '/jobs/notifications/sweep')
  await waitUntilSettled()
  expectStatus(await pickUpSession(colleague, escalations[0]?.id ?? ''), 200)
  await clearFaults()
  await clearRecords('mail')
  await advanceClock(31)
  await waitUntilSettled()
  const [digest] = (await listRecords('mail')).filter(({ to }) => to[0] === sleeper.email)
  expect(digest.subject).toBe('Digest: 1 notification')
  expect(digest.text).toContain('scanner')
})

it('NOT-88 leaves out a chat message about the assessment of a session that is closed, and about a proposal that was decided', async () => {
  const { admin } = await createAccount(service)
  const session = await createAiSession(admin)
  const happened = async (path: string) => {
    const [row] = await service.sql<{ happened: string[] }>(
      `select app.what_happened(jsonb_populate_record(null::events, jsonb_build_object('account_id', $1::uuid, 'link', $2::text, 'created_at', app.now())), null) as happened`,
      [admin.accountId, path],
    )
    return row?.happened
  }
  expect(await happened(`/pilot/${session.id}`)).toEqual([])
  await service.sql(`update ai_sessions set status = 'abandoned' where id = $1`, [session.id])
  expect(await happened(`/pilot/${session.id}`)).toEqual(['closed'])
  expect(await happened(`/sessions/${crypto.randomUUID()}`)).toEqual([])
})
