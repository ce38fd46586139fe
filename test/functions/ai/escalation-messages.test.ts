import { expect, it } from 'vitest'
import { createAiSession, insertFix } from '#test/support/ai.ts'
import { dashboard, sharedService } from '#test/support/app.ts'
import { claimHandoff, escalateSession } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { postSignedJob } from '#test/support/jobs.ts'
import { createAccount } from '#test/support/people.ts'
import { connectPsa, psaProviders } from '#test/support/psa.ts'
import { createDefaultPolicy } from '#test/support/reminders.ts'

const service = await sharedService()
const { listRecords, setFault, clearFaults } = dashboard(service)
const pollOptions = { timeout: 30_000, interval: 50 }

/** Create an account whose events of one kind go to a channel of both chat tools. */
async function createScene(event = 'session.escalated') {
  const account = await createAccount(service)
  const [engineer, target, colleague] = [
    await account.addColleague(),
    await account.addColleague(),
    await account.addColleague(),
  ]
  const path = `messages-${crypto.randomUUID()}`
  for (const tool of [1, 2]) {
    const webhook_url = `${service.localOrigin}/chat/${tool}/${path}`
    const config = { channel: `chat${tool}_webhook`, webhook_url, events_enabled: [event] }
    expectStatus(await account.admin.call('POST', '/notifications/configs', config), 201)
  }
  const listMessages = async (tool: 1 | 2) =>
    (await listRecords('chat'))
      .filter((call) => call.path === `/chat/${tool}/${path}` && call.accepted)
      .map(({ body }) => body)
  const listMails = async (email: string) =>
    (await listRecords('mail')).filter(({ to }) => to.includes(email))
  return { account, engineer, target, colleague, listMessages, listMails }
}

const readText = (message: unknown) => JSON.stringify(message).replaceAll('\\\\', '')

it.each(psaProviders)('NOT-98 an alert says who, what, and where the ticket of %s is', async (provider) => {
  const { account, engineer, target, listMessages } = await createScene()
  await connectPsa(service, account.admin, provider)
  const { id: schedule } = await account.admin.client.oncall.schedules.create({
    ...{ name: 'Network', timezone: 'Europe/Berlin' },
    rotations: [
      { kind: 'daily', members: [account.admin.id], handoff_time: '00:00', starts_on: '2020-01-01' },
    ],
  })
  await createDefaultPolicy(account.admin, [[{ type: 'schedule', id: schedule }]])
  const session = await createAiSession(engineer, { problem_summary: 'VPN is down', psa_ticket_id: '4711' })
  const tried = { applied_at: '2026-01-01T00:00:00Z', verified_at: '2026-01-01T00:05:00Z' }
  await insertFix(service, session, {
    title: 'Restart the tunnel',
    status: 'applied_failed',
    failure_reason: 'It dropped',
    ...tried,
  })
  await insertFix(service, session, { title: 'Guess again', status: 'dismissed' })
  expectStatus(
    await engineer.call('POST', `/ai-sessions/${session.id}/facts`, {
      key: 'site',
      value: 'Only the branch in Lodz',
    }),
    201,
  )
  await escalateSession(engineer, session.id, { target_user_id: target.id, next_steps: 'Call the provider' })
  for (const tool of [1, 2] as const) {
    await expect.poll(() => listMessages(tool), pollOptions).toHaveLength(1)
    const text = readText(await listMessages(tool))
    for (const shown of [
      target.fullName,
      account.admin.fullName,
      'Call the provider',
      'Restart the tunnel: did not work (It dropped)',
      'Only the branch in Lodz',
    ])
      expect(text).toContain(shown)
    expect(text).not.toContain('Guess again')
    expect(text).toMatch(
      provider === 'halopsa' ? /http[^ "|)]*\/tickets\?id=4711/ : /http[^ "|)]*service_recid=4711/,
    )
  }
})

it('NOT-99 NOT-106 who was told of an escalation learns who took it, in the same way and conversation', async () => {
  const { account, engineer, target, colleague, listMessages, listMails } = await createScene()
  const session = await createAiSession(engineer, { problem_summary: 'VPN is down' })
  const { body } = await escalateSession(engineer, session.id, { target_user_id: target.id })
  await expect.poll(() => listMails(target.email), pollOptions).toHaveLength(1)
  await expect
    .poll(() =>
      service.sql(`select from deliveries where account_id = $1 and state = 'pending'`, [engineer.accountId]),
    )
    .toEqual([])
  expectStatus(await claimHandoff(colleague, session.id, body.handoff_id), 200)
  const title = `${colleague.fullName} picked up the escalation: VPN is down`
  // Programs group by these headers and the subject.
  await expect.poll(() => listMails(target.email), pollOptions).toHaveLength(2)
  const [second, first] = (await listMails(target.email)).sort((a, b) => b.subject.length - a.subject.length)
  const conversation = `<pilot.${session.id}@${/@([^>]+)/.exec(first.from)?.[1]}>`
  expect(second.subject).toBe(`Re: ${first.subject}`)
  expect(second.text.split('\n')[0]).toBe(title)
  expect(second.html).toContain(`>${title}</p>`)
  for (const { headers } of [first, second])
    expect(headers).toMatchObject({ References: conversation, 'In-Reply-To': conversation })
  for (const tool of [1, 2] as const)
    await expect.poll(async () => readText(await listMessages(tool)), pollOptions).toContain(title)
  for (const person of [engineer, target, account.admin])
    expect((await person.client.notifications.list()).map((notification) => notification.title)).toContain(
      title,
    )
  expect(
    (await colleague.client.notifications.list()).map((notification) => notification.title),
  ).not.toContain(title)
  expect((await listMails(engineer.email)).map(({ text }) => text).join()).not.toContain(title)
})

it('NOT-99 who got no e-mail about an escalation gets none about who took it', async () => {
  const { engineer, target, colleague, listMails } = await createScene()
  await target.client.notifications.preferences.replace({ digest: 'daily' })
  const session = await createAiSession(engineer, { problem_summary: 'VPN is down' })
  const { body } = await escalateSession(engineer, session.id, { target_user_id: target.id })
  expectStatus(await claimHandoff(colleague, session.id, body.handoff_id), 200)
  const deliveries = await service.sql(
    `select from deliveries where account_id = $1 and event_key = 'handoff.claimed' and lower(recipient) = lower($2)`,
    [engineer.accountId, target.email],
  )
  expect([deliveries, await listMails(target.email)]).toEqual([[], []])
})

it('NOT-100 the message about an assessment has its start in plain text, and who has taken the escalation', async () => {
  const { engineer, colleague, listMessages } = await createScene('handoff.assessment_ready')
  await setFault({ service: 'qstash', mode: 'error' })
  const session = await createAiSession(engineer, { problem_summary: 'VPN is down' })
  const { body } = await escalateSession(engineer, session.id, { next_steps: 'Call the provider' })
  await clearFaults()
  expectStatus(await claimHandoff(colleague, session.id, body.handoff_id), 200)
  expectStatus(
    await postSignedJob(service, '/jobs/ai/assess', { handoff_id: body.handoff_id, attempt: 1 }),
    200,
  )
  const findMessage = async () =>
    (await listMessages(1)).map(readText).find((text) => text.includes('Assessment ready: VPN is down'))
  await expect.poll(findMessage, pollOptions).toBeDefined()
  const text = (await findMessage()) ?? ''
  for (const shown of [
    'Taken by',
    colleague.fullName,
    'Call the provider',
    'Suspected cause',
    'Open the session',
  ])
    expect(text).toContain(shown)
  expect(text).not.toMatch(/\*\*|##/)
})
