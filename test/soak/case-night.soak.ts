import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAiSession, insertFix } from '#test/support/ai.ts'
import { dashboard, type OwnService, startOwnService } from '#test/support/app.ts'
import {
  claimHandoff,
  escalateSession,
  openEscalationStream,
  pickUpSession,
} from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { connectPsa, type PsaProvider, psaProviders } from '#test/support/psa.ts'
import { createDefaultPolicy } from '#test/support/reminders.ts'

// One case from the ticket to its end, as a technician, a colleague and a client live it. Every text that a
// person got is printed, because only a reader can judge whether the alert alone says what to do first.

const pollOptions = { timeout: 30_000, interval: 100 }
const ticketNumbers = { connectwise: 4690, halopsa: 4691 }

interface Text {
  /** Who got it, and by which way. */
  to: string
  text: string
}

interface Case {
  texts: Text[]
  ticket: { status: string; board_id: string; notes: { text: string; internal: boolean }[] }
  closedStatus: string
  liveEvents: string[]
  pushStates: string[]
}

async function playCase(service: OwnService, provider: PsaProvider): Promise<Case> {
  const { listRecords, clearRecords } = dashboard(service)
  await clearRecords('mail')
  await clearRecords('chat')
  const account = await createAccount(service)
  const { admin } = account
  const [engineer, colleague] = [await account.addColleague(), await account.addColleague()]
  const { ticketId, closedStatus, readTicket } = await connect(service, admin, provider)
  const webhook_url = `${service.localOrigin}/chat/1/case-${provider}`
  const config = {
    channel: 'chat1_webhook',
    webhook_url,
    events_enabled: ['session.escalated', 'handoff.assessment_ready'],
  }
  expectStatus(await admin.call('POST', '/notifications/configs', config), 201)
  const { id: schedule } = await admin.client.oncall.schedules.create({
    ...{ name: 'Night', timezone: 'Europe/Berlin' },
    rotations: [{ kind: 'daily', members: [colleague.id], handoff_time: '00:00', starts_on: '2020-01-01' }],
  })
  await createDefaultPolicy(admin, [[{ type: 'schedule', id: schedule }]], 3)
  const stream = await openEscalationStream(service, admin)

  const session = await createAiSession(engineer, {
    psa_ticket_id: ticketId,
    problem_summary: 'VPN of the branch in Lodz drops every minute',
  })
  const tried = { applied_at: '2026-01-01T00:00:00Z', verified_at: '2026-01-01T00:05:00Z' }
  await insertFix(service, session, {
    title: 'Restart the tunnel',
    status: 'applied_failed',
    failure_reason: 'It dropped again',
    ...tried,
  })
  expectStatus(
    await engineer.call('POST', `/ai-sessions/${session.id}/facts`, {
      key: 'firmware',
      value: 'Updated to 7.4 at 22:10',
    }),
    201,
  )
  const { handoffId } = await escalateSession(engineer, session.id, {
    ...{ target_user_id: colleague.id, urgency: 'high', reason: 'I have no rights on the firewall' },
    ...{
      summary: 'Twelve people cannot work',
      what_was_tried: 'Restarted the tunnel twice',
      next_steps: 'Roll the firmware back to 7.2',
    },
  })
  await expect
    .poll(async () => (await listRecords('mail')).some(({ to }) => to.includes(colleague.email)), pollOptions)
    .toBe(true)
  await service.stack.localServer.qstash.waitUntilSettled()
  expectStatus(await claimHandoff(colleague, session.id, handoffId), 200)
  expectStatus(await pickUpSession(colleague, session.id), 200)
  const fix = await insertFix(service, session, {
    title: 'Roll the firmware back',
    status: 'applied_success',
    ...tried,
  })
  const resolution = {
    outcome: 'resolved',
    notes: 'The new firmware dropped tunnels. 7.2 is stable.',
    follow_up: 'Ask the vendor for a fix',
  }
  const path = `/ai-sessions/${session.id}/resolve`
  const refused = await colleague.call('POST', path, resolution)
  if (refused.status === 409)
    expectStatus(await colleague.call('POST', path, { ...resolution, accept_proposals: true }), 200)
  else expectStatus(refused, 200)
  expect(fix).toBeTruthy()
  await expect.poll(async () => (await readTicket()).status, pollOptions).toBe(closedStatus)
  await service.stack.localServer.qstash.waitUntilSettled()
  const ticket = await readTicket()
  const pushes = (await colleague.call('GET', `/integrations/psa/pushes?source_id=${session.id}`)).body
  await expect.poll(() => stream.events('handoff_closed').length, pollOptions).toBeGreaterThan(0)
  const liveEvents = ['handoff_created', 'handoff_claimed', 'handoff_closed'].filter(
    (name) => stream.events(name as 'handoff_closed').length > 0,
  )
  stream.disconnect()
  const names = new Map(
    [admin, engineer, colleague].map(({ email }, index) => [
      email,
      ['admin', 'engineer', 'colleague'][index] ?? '',
    ]),
  )
  const mails = (await listRecords('mail')).map(({ to, subject, text }) => ({
    to: `e-mail to ${to.map((address: string) => names.get(address) ?? address)}`,
    text: `${subject}\n${text}`,
  }))
  const messages = (await listRecords('chat')).map(({ body }) => ({
    to: 'chat channel',
    text: listBlockTexts(body).join('\n'),
  }))
  const notes = ticket.notes.map(({ text, internal }) => ({
    to: `note on the ticket for ${internal ? 'colleagues' : 'the client'}`,
    text,
  }))
  const texts = [...mails, ...messages, ...notes].reverse()
  return {
    texts,
    ticket,
    closedStatus,
    liveEvents,
    pushStates: pushes.map(({ state }: { state: string }) => state),
  }
}

/** Connect the account, and give the board of an open ticket its status for resolved cases. */
async function connect(service: OwnService, admin: Person, provider: PsaProvider) {
  await connectPsa(service, admin, provider)
  const ticketId = String(ticketNumbers[provider])
  const readTicket = async (): Promise<Case['ticket']> => {
    const { body } = await admin.call('GET', `/integrations/psa/tickets/${ticketId}/context`)
    return { ...body.ticket, notes: body.notes }
  }
  const { boards } = expectStatus(await admin.call('POST', '/integrations/psa/connection/test'), 200).body
  const { board_id } = await readTicket()
  const { statuses } = boards.find(({ id }: { id: string }) => id === board_id)
  const [open, closed] = ['New', 'Closed'].map((name) =>
    statuses.find((status: { name: string }) => status.name === name),
  )
  expectStatus(
    await admin.call('PATCH', `/integrations/psa/tickets/${ticketId}`, { status_id: open.id }),
    200,
  )
  const resolved_statuses = [{ board_id, status_id: closed.id }]
  expectStatus(await admin.call('PUT', '/integrations/psa/connection', { resolved_statuses }), 200)
  return { ticketId, closedStatus: closed.name as string, readTicket }
}

function listBlockTexts(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const texts = Object.entries(value).flatMap(([key, item]) =>
    key === 'text' && typeof item === 'string'
      ? [item]
      : key === 'text' || key !== 'url'
        ? listBlockTexts(item)
        : [],
  )
  return texts
}

describe.each(['node', 'cloudflare'] as const)('a case on %s', (platform) => {
  let service: OwnService
  beforeAll(async () => {
    service = await startOwnService({}, { platform })
  }, 120_000)
  afterAll(() => service.close())

  it.each(psaProviders)(
    'with a ticket of %s ends as a technician expects',
    { timeout: 180_000 },
    async (provider) => {
      const { texts, ticket, closedStatus, liveEvents, pushStates } = await playCase(service, provider)
      console.log(texts.map(({ to, text }) => `\n━━ ${provider}, ${platform}: ${to}\n${text}`).join('\n'))
      expect(ticket.status).toBe(closedStatus)
      expect(liveEvents).toEqual(['handoff_created', 'handoff_claimed', 'handoff_closed'])
      expect(new Set(pushStates)).toEqual(new Set(['pushed']))
      const find = (to: RegExp, part: string) =>
        texts.find((item) => to.test(item.to) && item.text.includes(part))?.text ?? ''
      const alert = find(/e-mail to colleague/, 'escalated:')
      for (const shown of [
        'For: ',
        'High',
        '#469',
        'Roll the firmware back to 7.2',
        'Restart the tunnel: did not work',
        '7.4 at 22:10',
        'On call: ',
      ])
        expect(alert).toContain(shown)
      expect(alert).toMatch(/https?:\/\/\S+469\d/)
      expect(find(/chat channel/, 'picked up the escalation')).not.toBe('')
      const note = find(/note on the ticket for colleagues/, 'Outcome: resolved')
      for (const shown of ['Roll the firmware back', '7.2 is stable', 'Ask the vendor for a fix', 'Time'])
        expect(note).toContain(shown)
      expect(note).not.toMatch(/\bproposed\b|\bOpen\b|\b0 s\b/)
      const forClient = find(/note on the ticket for the client/, 'Roll the firmware back')
      expect(forClient).not.toMatch(/dropped tunnels|Ask the vendor/)
    },
  )
})
