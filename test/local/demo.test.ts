import { afterAll, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { createDemoEscalation, demoSignIns, seedDemo } from '#local/demo.ts'
import { seedDemoGateway } from '#local/demo-gateway.ts'
import { startOwnService } from '#test/support/app.ts'
import { openEscalationStream } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'

const service = await startOwnService({}, { createEscalation: createDemoEscalation })
afterAll(() => service.close())

it('the demo escalation is a real case: in the queue and the stream, and a colleague picks it up', async () => {
  const { admin } = await createAccount(service)
  const stream = await openEscalationStream(service, admin)
  const response = await fetch(`${service.localOrigin}/desk/demo/escalation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ account_of: admin.email, problem_summary: 'Reception cannot print' }),
  })
  const { session_id, handoff_id } = (await response.json()) as { session_id: string; handoff_id: string }
  expect((await admin.client.ai.escalations.listQueue())[0]).toMatchObject({
    session_id,
    handoff_id,
    title: 'Reception cannot print',
  })
  await expect
    .poll(() => stream.events('handoff_created').map(({ data }) => data.session_id))
    .toEqual([session_id])
  expectStatus(await admin.call('POST', `/ai-sessions/${session_id}/pickup`), 200)
  stream.disconnect()
})

it('OPS-07 the demo escalation has the client, the ticket and what was tried, as a real one', async () => {
  const { admin } = await createAccount(service)
  const response = await fetch(`${service.localOrigin}/desk/demo/escalation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ account_of: admin.email }),
  })
  expect(response.status).toBe(201)
  const { dashboard } = service.stack.localServer
  await expect
    .poll(
      () =>
        dashboard.records
          .list('mail')
          .map((mail) => JSON.stringify(mail))
          .find((mail) => mail.includes(admin.email) && mail.includes('escalated')),
      { timeout: 15_000 },
    )
    .toMatch(/Contoso Dental.*4711.*Next steps.*What was tried/s)
})

it('the demo account has the local gateway to phones, also after a start at another address', async () => {
  await seedDemo(service)
  const [{ email, password }] = demoSignIns as [(typeof demoSignIns)[number]]
  const { stack } = service
  await seedDemoGateway(
    { ...stack, localServer: { ...stack.localServer, origin: 'http://127.0.0.1:1' } },
    email,
  )
  await seedDemoGateway(stack, email)
  const client = createClient({ baseUrl: service.api, maxRetries: 5 })
  await client.identity.auth.login({ email, password })
  await client.identity.phoneNumber.create({ number: '+4930123456', password })
  await stack.localServer.qstash.waitUntilSettled()
  const [message] = stack.localServer.dashboard.records.list('phone')
  expect(message).toMatchObject({
    to: '+4930123456',
    text: expect.stringContaining('is your Support Flow code'),
  })
})

it('OPS-07 the demo accounts have sessions of the last two weeks that can be opened, so that reports and plots are not empty', async () => {
  await seedDemo(service)
  await seedDemo(service)
  const [{ email, password }] = demoSignIns as [(typeof demoSignIns)[number]]
  const client = createClient({ baseUrl: service.api, maxRetries: 5 })
  await client.identity.auth.login({ email, password })
  const sessions = await client.sessions.list({ limit: 100 })
  expect(sessions).toHaveLength(30)
  expect(new Set(sessions.map(({ outcome }) => outcome))).toEqual(
    new Set([null, 'resolved', 'unresolved', 'escalated', 'cancelled']),
  )
  expect(new Set(sessions.map(({ created_at }) => created_at.slice(0, 10))).size).toBeGreaterThanOrEqual(14)
  for (const { id, progress, state } of sessions) {
    const note = await client.sessions.exports.export({ session_id: id, format: 'markdown' })
    expect([(await note.text()).length > 100, progress.percent === 100]).toEqual([
      true,
      state === 'completed',
    ])
  }
  const { team_id } = await client.identity.auth.getMe()
  const team = await client.analytics.getTeam({ period: '30d' })
  const report = await client.analytics.reports.getWeekly({ team_id: team_id as string })
  expect([team.by_user.length, team.sessions_started, team.csat_count > 0]).toEqual([3, 30, true])
  expect('sessions' in report && report.sessions.resolved).toBeGreaterThan(3)
})
