import { expect, it } from 'vitest'
import type { Services } from '#http/app.ts'
import { emitEvent } from '#local/dashboard/emit-event.ts'
import type { Event } from '#rules/events/events.ts'
import { eventKeyList } from '#rules/events/keys.ts'
import { dashboard, sharedService } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'

const service = await sharedService()
const sessionId = '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d15'
const problem = 'VPN drops every few minutes'

function createEscalationEvent(
  engineer: Person,
  fields: Partial<Extract<Event, { key: 'session.escalated' }>> = {},
): Event {
  const common = {
    actorId: engineer.id,
    teamId: engineer.teamId,
    sessionId,
    engineerName: engineer.fullName,
    targetUserId: null,
  }
  return { key: 'session.escalated', ...common, problemSummary: problem, psaTicketId: null, ...fields }
}

const platform = openTestDatabase(service.settings.DATABASE_PLATFORM_URL)
const { queue } = (service.services as Services).ports
const emit = (account: TestAccount, event: Event) => emitEvent(platform, queue, account.id, event)
const listTitles = async (person: Person) =>
  (await person.client.notifications.list()).map(({ title }) => title)
const listEventKeys = async (person: Person) =>
  (await person.client.notifications.list()).map((row) => row.event_key)

it('NOT-27 NOT-29 NOT-38 puts the engineer, the problem and any ticket into the title of an escalation', async () => {
  const account = await createAccount(service)
  const engineer = await account.addColleague()
  await emit(account, createEscalationEvent(engineer, { psaTicketId: '4711' }))
  await emit(account, createEscalationEvent(engineer))
  expect(await listTitles(account.admin)).toEqual([
    `${engineer.fullName} escalated: ${problem}`,
    `${engineer.fullName} escalated: ${problem} (Ticket #4711)`,
  ])
})

it('NOT-28 truncates the problem in a title to 70 characters in one line', async () => {
  const account = await createAccount(service)
  const engineer = await account.addColleague()
  const longestProblem = 'x'.repeat(70)
  const head = `${engineer.fullName} escalated: `
  for (const [problemSummary, title] of [
    [`${longestProblem}y`, `${head}${longestProblem}…`],
    [longestProblem, `${head}${longestProblem}`],
    ['two\n lines\tof it', `${head}two lines of it`],
    [`${'é'.repeat(69)}👩‍🚀!`, `${head}${'é'.repeat(69)}👩…`],
  ] as const) {
    await emit(account, createEscalationEvent(engineer, { problemSummary }))
    expect((await listTitles(account.admin))[0]).toBe(title)
  }
})

it('NOT-30 NOT-31 notifies every team admin of an escalation with a link to the pickup, and no one else', async () => {
  const account = await createAccount(service)
  const [lead, engineer, viewer] = [
    await account.addColleague({ teamRole: 'admin' }),
    await account.addColleague(),
    await account.addColleague({ role: 'viewer' }),
  ]
  const [otherTeam] = await service.sql<{ id: string }>(
    `insert into teams (account_id, name) values ($1, 'Other') returning id`,
    [account.id],
  )
  const otherTeamLead = await account.addColleague({ teamRole: 'admin', teamId: otherTeam?.id ?? null })
  const stranger = await createAccount(service)
  await emit(account, createEscalationEvent(engineer))
  for (const person of [account.admin, lead]) {
    const body = await person.client.notifications.list()
    expect(body).toMatchObject([
      { event_key: 'session.escalated', link: `/pilot/${sessionId}?pickup=true`, body: problem },
    ])
  }
  for (const person of [engineer, viewer, otherTeamLead, stranger.admin])
    expect(await listEventKeys(person)).toEqual([])
})

it('NOT-39 notifies the target engineer of an escalation, but not the person who escalated', async () => {
  const account = await createAccount(service)
  const [lead, target] = [await account.addColleague({ teamRole: 'admin' }), await account.addColleague()]
  await emit(account, createEscalationEvent(lead, { targetUserId: target.id }))
  expect(await listEventKeys(target)).toEqual(['session.escalated'])
  expect(await listEventKeys(account.admin)).toEqual(['session.escalated'])
  expect(await listEventKeys(lead)).toEqual([])
})

it('NOT-32 e-mails each recipient once, even a team admin whose address is also in a config', async () => {
  const account = await createAccount(service)
  const [lead, engineer] = [await account.addColleague({ teamRole: 'admin' }), await account.addColleague()]
  const email_addresses = [lead.email.toUpperCase(), 'oncall@elsewhere.example']
  await account.admin.client.notifications.createConfig({
    channel: 'email',
    email_addresses,
    events_enabled: ['session.escalated'],
  })
  await emit(account, createEscalationEvent(engineer, { problemSummary: `mailed ${account.id}` }))
  await expect
    .poll(async () => (await listEmailRecipients(account.id)).sort(), { timeout: 8000 })
    .toEqual([account.admin.email, ...email_addresses].sort())
})

async function listEmailRecipients(text: string): Promise<string[]> {
  return (await dashboard(service).listRecords('mail'))
    .filter((email) => email.subject.includes(text))
    .flatMap((email) => email.to)
}

it('NOT-33 sends through every config with the event key, and through no other', async () => {
  const account = await createAccount(service)
  const engineer = await account.addColleague()
  const runId = crypto.randomUUID()
  const createChatFields = (tool: 1 | 2, name: string) => ({
    channel: `chat${tool}_webhook`,
    webhook_url: `${service.localOrigin}/chat/${tool}/${runId}-${name}`,
  })
  await account.admin.call('POST', '/notifications/configs', {
    ...createChatFields(1, 'on'),
    events_enabled: ['session.escalated', 'member.joined'],
  })
  await account.admin.call('POST', '/notifications/configs', {
    ...createChatFields(2, 'on'),
    events_enabled: ['session.escalated'],
  })
  await account.admin.call('POST', '/notifications/configs', {
    ...createChatFields(1, 'other'),
    events_enabled: ['member.joined'],
  })
  await account.admin.call('POST', '/notifications/configs', {
    ...createChatFields(2, 'none'),
    events_enabled: [],
  })
  expect(await emit(account, createEscalationEvent(engineer))).toHaveLength(3)
  const listCalledNames = async () =>
    (await dashboard(service).listRecords('chat'))
      .filter(({ path }) => path.includes(runId))
      .map(({ path }) => path.split('/').pop())
  await expect.poll(async () => (await listCalledNames()).length, { timeout: 8000 }).toBe(2)
  expect((await listCalledNames()).sort()).toEqual([`${runId}-on`, `${runId}-on`])
})

it('NOT-36 lists the event keys, each with a description', async () => {
  const { admin, addColleague } = await createAccount(service)
  const viewer = await addColleague({ role: 'viewer' })
  for (const person of [admin, viewer]) {
    const body = await person.client.notifications.listEventKeys()
    expect(body.map(({ key }: { key: string }) => key)).toEqual(eventKeyList)
    expect(body.every(({ description }: { description: string }) => description.length > 20)).toBe(true)
  }
})

/** Emit an event in a new account and return the names of the notified people. */
async function listNotifiedRoles(
  createEvent: (people: { admin: Person; lead: Person; engineer: Person; other: Person }) => Event,
): Promise<string[]> {
  const account = await createAccount(service)
  const people = {
    admin: account.admin,
    lead: await account.addColleague({ teamRole: 'admin' }),
    engineer: await account.addColleague(),
    other: await account.addColleague(),
  }
  const { key } = createEvent(people)
  await emit(account, createEvent(people))
  const roles: string[] = []
  for (const [name, person] of Object.entries(people))
    if ((await listEventKeys(person)).includes(key)) roles.push(name)
  return roles
}

it('NOT-48 notifies the engineer who escalated when someone claims the handoff', async () => {
  const roles = await listNotifiedRoles(({ engineer, other }) => {
    const data = { sessionId, sessionTitle: 'VPN', claimantName: other.fullName, engineerId: engineer.id }
    return { key: 'handoff.claimed', actorId: other.id, teamId: other.teamId, ...data }
  })
  expect(roles).toEqual(['engineer'])
})

it('NOT-49 notifies the claimant of a ready assessment, or the team admins while the handoff is unclaimed', async () => {
  const createReadyEvent = (claimantId: string | null, teamId: string): Event => ({
    key: 'handoff.assessment_ready',
    actorId: null,
    teamId,
    sessionId,
    sessionTitle: 'VPN',
    claimantId,
  })
  expect(await listNotifiedRoles(({ other }) => createReadyEvent(other.id, other.teamId))).toEqual(['other'])
  expect(await listNotifiedRoles(({ other }) => createReadyEvent(null, other.teamId))).toEqual([
    'admin',
    'lead',
  ])
})

it('NOT-50 notifies the team admins of a submitted proposal, and its submitter of the decision', async () => {
  const data = { proposalId: sessionId, flowName: 'Reset a printer' }
  expect(
    await listNotifiedRoles(({ engineer }) => ({
      key: 'proposal.submitted',
      actorId: engineer.id,
      teamId: engineer.teamId,
      ...data,
      submitterName: engineer.fullName,
    })),
  ).toEqual(['admin', 'lead'])
  for (const key of ['proposal.approved', 'proposal.rejected'] as const) {
    const roles = await listNotifiedRoles(({ lead, engineer }) => ({
      key,
      actorId: lead.id,
      teamId: lead.teamId,
      ...data,
      submitterId: engineer.id,
      reason: 'No',
    }))
    expect(roles).toEqual(['engineer'])
  }
})

it('NOT-34 sends the approval of a proposal through the configured channels', async () => {
  const account = await createAccount(service)
  const engineer = await account.addColleague()
  const path = `/chat/1/${crypto.randomUUID()}`
  await account.admin.client.notifications.createConfig({
    channel: 'chat1_webhook',
    webhook_url: service.localOrigin + path,
    events_enabled: ['proposal.approved'],
  })
  const data = { proposalId: sessionId, flowName: 'Reset a printer', submitterId: engineer.id }
  await emit(account, {
    key: 'proposal.approved',
    actorId: account.admin.id,
    teamId: account.teamId,
    ...data,
  })
  await expect
    .poll(
      async () => (await dashboard(service).listRecords('chat')).filter((call) => call.path === path).length,
      { timeout: 8000 },
    )
    .toBe(1)
  expect(await listEventKeys(engineer)).toEqual(['proposal.approved'])
})

it("NOT-51 notifies the schedule's owner of a batch, and both the owner and the team admins of a failed run", async () => {
  const data = { scheduleId: sessionId, scheduleName: 'Patch night' }
  const batchRoles = await listNotifiedRoles(({ engineer }) => ({
    key: 'maintenance.batch_created',
    actorId: null,
    teamId: engineer.teamId,
    ...data,
    sessionCount: 3,
    ownerId: engineer.id,
  }))
  expect(batchRoles).toEqual(['engineer'])
  const failedRunRoles = await listNotifiedRoles(({ engineer }) => ({
    key: 'maintenance.run_failed',
    actorId: null,
    teamId: engineer.teamId,
    ...data,
    reason: 'Missed',
    ownerId: engineer.id,
  }))
  expect(failedRunRoles).toEqual(['admin', 'lead', 'engineer'])
})

it("NOT-52 notifies the session's owner when a push fails", async () => {
  const data = { sessionId, psaTicketId: '4711', reason: 'No answer' }
  expect(
    await listNotifiedRoles(({ engineer }) => ({
      key: 'psa.push_failed',
      source: 'session',
      actorId: null,
      teamId: engineer.teamId,
      ...data,
      ownerId: engineer.id,
    })),
  ).toEqual(['engineer'])
})

it('NOT-53 notifies the inviter when the invited member joins', async () => {
  const roles = await listNotifiedRoles(({ lead, other }) => ({
    key: 'member.joined',
    actorId: other.id,
    teamId: other.teamId,
    memberName: other.fullName,
    inviterId: lead.id,
  }))
  expect(roles).toEqual(['lead'])
})
