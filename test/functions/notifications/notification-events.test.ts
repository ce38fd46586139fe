import { expect, it } from 'vitest'
import type { Event } from '../../../lib/events/events.ts'
import { eventKeyList } from '../../../lib/events/keys.ts'
import { emitInto } from '../../../lib/local/stack.ts'
import { desk, shared } from '../../support/app.ts'
import { type AccountOf, newAccount, type Person } from '../../support/people.ts'

const service = shared()
const sessionId = '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d15'
const problem = 'VPN drops every few minutes'

function escalation(by: Person, more: Partial<Extract<Event, { key: 'session.escalated' }>> = {}): Event {
  const common = { actorId: by.id, teamId: by.teamId, sessionId, engineerName: by.fullName, targetUserId: null }
  return { key: 'session.escalated', ...common, problemSummary: problem, psaTicketId: null, ...more }
}

const emit = (account: AccountOf, event: Event) => emitInto(service.settings, account.id, event)
const titles = async (person: Person) => (await person.call('GET', '/notifications')).body.map(({ title }: { title: string }) => title)
const heard = async (person: Person) => (await person.call('GET', '/notifications')).body.map((row: { event_key: string }) => row.event_key)

it('NOT-27 NOT-29 NOT-38 names the engineer, the problem and the ticket, when there is one, in the title', async () => {
  const account = await newAccount(service)
  const engineer = await account.colleague()
  await emit(account, escalation(engineer, { psaTicketId: '4711' }))
  await emit(account, escalation(engineer))
  expect(await titles(account.admin)).toEqual([
    `${engineer.fullName} escalated: ${problem}`,
    `${engineer.fullName} escalated: ${problem} (Ticket #4711)`,
  ])
})

it('NOT-28 cuts the problem after 70 characters in one line, and leaves a shorter one whole', async () => {
  const account = await newAccount(service)
  const engineer = await account.colleague()
  const exactly = 'x'.repeat(70)
  const head = `${engineer.fullName} escalated: `
  for (const [problemSummary, title] of [
    [`${exactly}y`, `${head}${exactly}…`],
    [exactly, `${head}${exactly}`],
    ['two\n lines\tof it', `${head}two lines of it`],
    [`${'é'.repeat(69)}👩‍🚀!`, `${head}${'é'.repeat(69)}👩…`],
  ] as const) {
    await emit(account, escalation(engineer, { problemSummary }))
    expect((await titles(account.admin))[0]).toBe(title)
  }
})

it('NOT-30 NOT-31 gives every team admin a row that leads to the pickup, and nobody else', async () => {
  const account = await newAccount(service)
  const [lead, engineer, viewer] = [
    await account.colleague({ teamRole: 'admin' }),
    await account.colleague(),
    await account.colleague({ role: 'viewer' }),
  ]
  const [otherTeam] = await service.sql<{ id: string }>(`insert into teams (account_id, name) values ($1, 'Other') returning id`, [
    account.id,
  ])
  const elsewhere = await account.colleague({ teamRole: 'admin', teamId: otherTeam?.id ?? null })
  const stranger = await newAccount(service)
  await emit(account, escalation(engineer))
  for (const person of [account.admin, lead]) {
    const { body } = await person.call('GET', '/notifications')
    expect(body).toMatchObject([{ event_key: 'session.escalated', link: `/pilot/${sessionId}?pickup=true`, body: problem }])
  }
  for (const person of [engineer, viewer, elsewhere, stranger.admin]) expect(await heard(person)).toEqual([])
})

it('NOT-39 tells the target engineer, and never the one who escalated', async () => {
  const account = await newAccount(service)
  const [lead, target] = [await account.colleague({ teamRole: 'admin' }), await account.colleague()]
  await emit(account, escalation(lead, { targetUserId: target.id }))
  expect(await heard(target)).toEqual(['session.escalated'])
  expect(await heard(account.admin)).toEqual(['session.escalated'])
  expect(await heard(lead)).toEqual([])
})

it('NOT-32 mails each recipient once, also one whom a config covers', async () => {
  const account = await newAccount(service)
  const [lead, engineer] = [await account.colleague({ teamRole: 'admin' }), await account.colleague()]
  const email_addresses = [lead.email.toUpperCase(), 'oncall@elsewhere.example']
  await account.admin.call('POST', '/notifications/configs', { channel: 'email', email_addresses, events_enabled: ['session.escalated'] })
  await emit(account, escalation(engineer, { problemSummary: `mailed ${account.id}` }))
  await expect
    .poll(async () => (await mailsAbout(account.id)).sort(), { timeout: 8000 })
    .toEqual([account.admin.email, ...email_addresses].sort())
})

async function mailsAbout(text: string): Promise<string[]> {
  return (await desk(service).read('mail')).filter((mail) => mail.subject.includes(text)).flatMap((mail) => mail.to)
}

it('NOT-33 goes through every config that holds the key and through no other', async () => {
  const account = await newAccount(service)
  const engineer = await account.colleague()
  const run = crypto.randomUUID()
  const at = (tool: 1 | 2, name: string) => ({
    channel: `chat${tool}_webhook`,
    webhook_url: `${service.local}/chat/${tool}/${run}-${name}`,
  })
  await account.admin.call('POST', '/notifications/configs', { ...at(1, 'on'), events_enabled: ['session.escalated', 'member.joined'] })
  await account.admin.call('POST', '/notifications/configs', { ...at(2, 'on'), events_enabled: ['session.escalated'] })
  await account.admin.call('POST', '/notifications/configs', { ...at(1, 'other'), events_enabled: ['member.joined'] })
  await account.admin.call('POST', '/notifications/configs', { ...at(2, 'none'), events_enabled: [] })
  expect(await emit(account, escalation(engineer))).toHaveLength(3)
  const hits = async () =>
    (await desk(service).read('chat')).filter(({ path }) => path.includes(run)).map(({ path }) => path.split('/').pop())
  await expect.poll(async () => (await hits()).length, { timeout: 8000 }).toBe(2)
  expect((await hits()).sort()).toEqual([`${run}-on`, `${run}-on`])
})

it('NOT-36 lists the ten event keys, each with a description', async () => {
  const { admin, colleague } = await newAccount(service)
  const viewer = await colleague({ role: 'viewer' })
  for (const person of [admin, viewer]) {
    const { body } = await person.call('GET', '/notifications/event-keys')
    expect(body.map(({ key }: { key: string }) => key)).toEqual(eventKeyList)
    expect(body).toHaveLength(10)
    expect(body.every(({ description }: { description: string }) => description.length > 20)).toBe(true)
  }
})

/** Who hears an event, by role in a small team. */
async function audience(event: (people: { admin: Person; lead: Person; engineer: Person; other: Person }) => Event): Promise<string[]> {
  const account = await newAccount(service)
  const people = {
    admin: account.admin,
    lead: await account.colleague({ teamRole: 'admin' }),
    engineer: await account.colleague(),
    other: await account.colleague(),
  }
  const { key } = event(people)
  await emit(account, event(people))
  const told: string[] = []
  for (const [name, person] of Object.entries(people)) if ((await heard(person)).includes(key)) told.push(name)
  return told
}

it('NOT-48 tells the originating engineer of a claim', async () => {
  const told = await audience(({ engineer, other }) => {
    const about = { sessionId, sessionTitle: 'VPN', claimantName: other.fullName, engineerId: engineer.id }
    return { key: 'handoff.claimed', actorId: other.id, teamId: other.teamId, ...about }
  })
  expect(told).toEqual(['engineer'])
})

it('NOT-49 tells the claimant of an assessment, or the team admins while nobody has claimed', async () => {
  const ready = (claimantId: string | null, teamId: string): Event => ({
    key: 'handoff.assessment_ready',
    actorId: null,
    teamId,
    sessionId,
    sessionTitle: 'VPN',
    claimantId,
  })
  expect(await audience(({ other }) => ready(other.id, other.teamId))).toEqual(['other'])
  expect(await audience(({ other }) => ready(null, other.teamId))).toEqual(['admin', 'lead'])
})

it('NOT-50 tells the team admins of a proposal and its submitter of the decision', async () => {
  const about = { proposalId: sessionId, flowName: 'Reset a printer' }
  expect(
    await audience(({ engineer }) => ({
      key: 'proposal.submitted',
      actorId: engineer.id,
      teamId: engineer.teamId,
      ...about,
      submitterName: engineer.fullName,
    })),
  ).toEqual(['admin', 'lead'])
  for (const key of ['proposal.approved', 'proposal.rejected'] as const) {
    const told = await audience(({ lead, engineer }) => ({
      key,
      actorId: lead.id,
      teamId: lead.teamId,
      ...about,
      submitterId: engineer.id,
      reason: 'No',
    }))
    expect(told).toEqual(['engineer'])
  }
})

it('NOT-34 sends the approval of a proposal through the configured channels', async () => {
  const account = await newAccount(service)
  const engineer = await account.colleague()
  const path = `/chat/1/${crypto.randomUUID()}`
  await account.admin.call('POST', '/notifications/configs', {
    channel: 'chat1_webhook',
    webhook_url: service.local + path,
    events_enabled: ['proposal.approved'],
  })
  const about = { proposalId: sessionId, flowName: 'Reset a printer', submitterId: engineer.id }
  await emit(account, { key: 'proposal.approved', actorId: account.admin.id, teamId: account.teamId, ...about })
  await expect.poll(async () => (await desk(service).read('chat')).filter((hit) => hit.path === path).length, { timeout: 8000 }).toBe(1)
  expect(await heard(engineer)).toEqual(['proposal.approved'])
})

it("NOT-51 tells a schedule's owner of a batch, and the team admins too of a run that failed", async () => {
  const about = { scheduleId: sessionId, scheduleName: 'Patch night' }
  const batch = await audience(({ engineer }) => ({
    key: 'maintenance.batch_created',
    actorId: null,
    teamId: engineer.teamId,
    ...about,
    sessionCount: 3,
    ownerId: engineer.id,
  }))
  expect(batch).toEqual(['engineer'])
  const run = await audience(({ engineer }) => ({
    key: 'maintenance.run_failed',
    actorId: null,
    teamId: engineer.teamId,
    ...about,
    reason: 'Missed',
    ownerId: engineer.id,
  }))
  expect(run).toEqual(['admin', 'lead', 'engineer'])
})

it("NOT-52 tells the session's owner that a push gave up", async () => {
  const about = { sessionId, psaTicketId: '4711', reason: 'No answer' }
  expect(
    await audience(({ engineer }) => ({
      key: 'psa.push_failed',
      source: 'session',
      actorId: null,
      teamId: engineer.teamId,
      ...about,
      ownerId: engineer.id,
    })),
  ).toEqual(['engineer'])
})

it('NOT-53 tells the inviter that a member joined', async () => {
  const told = await audience(({ lead, other }) => ({
    key: 'member.joined',
    actorId: other.id,
    teamId: other.teamId,
    memberName: other.fullName,
    inviterId: lead.id,
  }))
  expect(told).toEqual(['lead'])
})
