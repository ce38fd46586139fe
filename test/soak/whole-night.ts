import type { Fault } from '#local/vendors/faults.ts'
import { createAiSession } from '#test/support/ai.ts'
import { buildAlert, buildWebhook, createSource } from '#test/support/alerts.ts'
import { dashboard, type OwnService } from '#test/support/app.ts'
import { subscribeBrowser } from '#test/support/browsers.ts'
import { insertSignedConfig, linkPerson, sendPress, writePress } from '#test/support/chat-presses.ts'
import { escalateSession, pickUpSession } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createLastingAccount } from '#test/support/maintenance.ts'
import type { Person } from '#test/support/people.ts'
import { giveNumber, setUpGateway } from '#test/support/phone.ts'
import { connectPsa } from '#test/support/psa.ts'
import { createDefaultPolicy, notifyUser } from '#test/support/reminders.ts'
import { agentIds, connectRunner } from '#test/support/runner.ts'

// A night from 22:00 to 6:00 as four people live it: Olga owns the firm, Lena leads the team, Joe is new, and
// Nina is on call. Two clients have trouble, a vendor fails whenever somebody needs it, Nina sleeps through one
// case and then leaves, Lena approves and claims from the chat, and the monitoring reports 500 alerts.

export const names = ['Olga', 'Lena', 'Joe', 'Nina'] as const
export type Name = (typeof names)[number]
export const alertCount = 500
export const maxCasesOfAlerts = 20

export interface Night {
  service: OwnService
  accountId: string
  people: Record<Name, Person>
  /** The AI sessions of the three escalations. */
  cases: Record<'printer' | 'website' | 'mailbox', string>
  /** Refused attempts to run a script elsewhere or once more. */
  refusedRuns: string[]
  /** The handover that Lena reads at dawn. */
  handover: string
}

const minuteMs = 60_000
const readClock = ({ stack }: OwnService) => Date.now() + stack.localServer.clock.offsetMs()

/** Play the night. What people do is at minutes since 22:00. */
export async function playWholeNight(service: OwnService): Promise<Night> {
  const scene = await openNight(service)
  const { people, at, failing, press, accountId } = scene
  const { Olga, Lena, Joe, Nina } = people
  const escalate = async (id: string, input: object) =>
    (await escalateSession(Joe, id, input as Record<string, unknown>)).handoffId
  const cases = { printer: '', website: '', mailbox: '' }

  await at(5)
  const printer = await failing({ service: 'openai', mode: 'error' }, () =>
    createAiSession(Joe, {
      problem_summary: 'The print server of Northwind prints nothing',
      client_name: 'Northwind',
      asset_name: 'SRV-PRINT-01',
      psa_ticket_id: '4690',
    }),
  )
  cases.printer = printer.id
  const { refusedRuns } = await runApproved(scene, printer.id)

  await at(30)
  await failing({ service: 'resend', mode: 'down' }, async () => {
    await escalate(printer.id, {
      urgency: 'critical',
      reason: 'I may not restart the server',
      what_was_tried: 'Restarted the spooler by script; the queue is stuck again',
      next_steps: 'Restart the server',
    })
    await at(33)
  })
  await at(36)
  expectStatus(await pickUpSession(Nina, printer.id), 200)

  await at(45)
  const website = await createAiSession(Joe, {
    problem_summary: 'The website of Contoso answers 502',
    client_name: 'Contoso & Sons',
    asset_name: 'web-02',
    psa_ticket_id: '4691',
  })
  cases.website = website.id
  await failing({ service: 'chat1', mode: 'error' }, async () => {
    await escalate(website.id, { urgency: 'high', reason: 'I have no rights on the proxy' })
    await at(48)
  })
  // Nina sleeps through the first step; the second one reaches Lena, who claims in the chat.
  await failing({ service: 'qstash', mode: 'down' }, () => at(58))
  await at(72)
  await press('claim', 'Contoso')

  await at(90)
  await failing({ service: 'redis', mode: 'down' }, async () => {
    expectStatus(await Olga.call('DELETE', `/accounts/me/members/${Nina.id}`), 204)
    await at(93)
  })
  await at(100)
  expectStatus(await pickUpSession(Lena, printer.id), 200)

  await at(150)
  await storm(scene)
  await at(180)
  expectStatus(
    await Lena.call('POST', `/ai-sessions/${printer.id}/resolve`, {
      outcome: 'resolved',
      notes: 'The server needed a restart after the update.',
      resolution: 'Printing works again since we restarted the print server.',
      accept_proposals: true,
    }),
    200,
  )
  const mailbox = await createAiSession(Joe, { problem_summary: 'A mailbox of Northwind is full' })
  cases.mailbox = mailbox.id
  await at(210)
  await failing({ service: 'psa', mode: 'error' }, () => escalate(mailbox.id, { urgency: 'normal' }))
  await failing({ service: 'postgres', mode: 'down' }, () => at(214))
  await at(445)
  expectStatus(await pickUpSession(Lena, website.id), 200)
  expectStatus(await pickUpSession(Lena, mailbox.id), 200)
  await at(480)
  const { body } = expectStatus(await Lena.call('GET', '/ai-sessions/handover'), 200)
  return {
    service,
    accountId,
    people,
    cases,
    refusedRuns,
    handover: body.summary.map(({ text }: { text: string }) => text).join('\n'),
  }
}

type Scene = Awaited<ReturnType<typeof openNight>>

async function openNight(service: OwnService) {
  const { advanceClock, listRecords } = dashboard(service)
  // 22:00 of a winter's day in Berlin.
  const today = Date.parse(`${new Date(readClock(service)).toISOString().slice(0, 10)}T21:00:00Z`)
  const start = today > readClock(service) ? today : today + 1440 * minuteMs
  await advanceClock(Math.ceil((start - readClock(service)) / 1000))
  const account = await createLastingAccount(service)
  const { admin: Olga } = account
  const people: Record<Name, Person> = {
    Olga,
    Lena: await account.addColleague({ teamRole: 'admin' }),
    Joe: await account.addColleague(),
    Nina: await account.addColleague(),
  }
  for (const name of names)
    await service.sql(`update users set full_name = $2, timezone = 'Europe/Berlin' where id = $1`, [
      people[name].id,
      name,
    ])
  await service.sql(`update sign_ins set expires_at = '2100-01-01' where account_id = $1`, [account.id])
  await connectPsa(service, Olga)
  await connectRunner(service, Olga)
  await setUpGateway(service, Olga)
  await giveNumber(service, people.Nina)
  await subscribeBrowser(service, people.Nina)
  await people.Nina.client.notifications.preferences.replace({
    alert_steps: [
      { channel: 'web_push', delay_minutes: 0 },
      { channel: 'email', delay_minutes: 0 },
      { channel: 'sms', delay_minutes: 10 },
    ],
  })
  const config = await insertSignedConfig(service, Olga)
  await service.sql('update notification_configs set events_enabled = $2 where id = $1', [
    config.id,
    JSON.stringify(['session.escalated', 'approval.requested']),
  ])
  const chatUser = await linkPerson(service, config, people.Lena)
  const nights = await Olga.client.oncall.schedules.create({
    name: 'Nights',
    timezone: 'Europe/Berlin',
    rotations: [
      {
        kind: 'daily',
        members: [people.Nina.id, people.Lena.id],
        handoff_time: '22:00',
        starts_on: new Date(start).toISOString().slice(0, 10),
      },
    ],
  })
  await createDefaultPolicy(
    Olga,
    [[{ type: 'schedule', id: nights.id }], [notifyUser(people.Lena), { type: 'channel', id: config.id }]],
    2,
  )
  const at = async (minute: number) => {
    // The sweep takes what is due for 5 seconds.
    for (let left = (start + minute * minuteMs - readClock(service)) / 1000; left > 0; left -= 60) {
      await advanceClock(Math.ceil(Math.min(left, 60))).catch((error: unknown) => {
        // Without its database, cron fails.
        if (!service.stack.localServer.faults.list().some((fault) => fault.service === 'postgres'))
          throw error
      })
    }
    if (service.stack.localServer.faults.list().length === 0)
      await service.stack.localServer.qstash.waitUntilSettled()
  }
  const failing = async <T>(fault: Fault, act: () => Promise<T>): Promise<T> => {
    service.stack.localServer.faults.set(fault)
    try {
      return await act()
    } finally {
      service.stack.localServer.faults.clear()
    }
  }
  /** Lena presses a button of the newest message that has it and these words. */
  const press = async (kind: string, words: string) => {
    const messages = await listRecords('chat')
    const button = messages
      .filter(({ accepted, body }) => accepted && JSON.stringify(body).includes(words))
      .flatMap(({ body }) => findButtons(body))
      .find(({ action_id }) => action_id === kind)
    if (!button) throw new Error(`No message about ${words} has the button ${kind}`)
    const fields = { kind, deliveryId: button.value ?? '', user: chatUser }
    expectStatus(await sendPress(service, config, writePress(config, fields)), 200)
    await service.stack.localServer.qstash.waitUntilSettled()
  }
  return { service, accountId: account.id, people, nights, config, at, failing, press }
}

const findButtons = (body: unknown): { action_id: string; value?: string }[] =>
  ((body as { blocks?: { type: string; elements?: [] }[] }).blocks ?? [])
    .filter(({ type }) => type === 'actions')
    .flatMap(({ elements = [] }) => elements)

/** Joe asks to restart the spooler, Lena approves in the chat, and the runner fails once before it runs. */
async function runApproved({ people, at, failing, press }: Scene, id: string) {
  const { Joe } = people
  const fields = {
    name: 'Restart the spooler',
    language: 'powershell',
    script_body: 'Restart-Service Spooler\n',
    risk: 'medium',
  }
  const template = expectStatus(await Joe.call('POST', '/script-templates', fields), 201).body
  const run = { script_template_id: template.id, agent_id: agentIds.online }
  const path = `/ai-sessions/${id}/runner-runs`
  const start = (fields: object = {}) => Joe.call('POST', path, { ...run, ...fields })
  const refusedRuns: string[] = []
  const refuse = async (fields: object = {}) => {
    const { body } = expectStatus(await start(fields), 409)
    refusedRuns.push(body.code)
  }
  await refuse()
  expectStatus(await Joe.call('POST', `${path}/approvals`, { ...run, comment: 'Only the spooler' }), 201)
  await at(8)
  await press('approve', 'Restart the spooler')
  await refuse({ agent_id: agentIds.ofOtherClient })
  await refuse({ agent_id: agentIds.ofOtherClient, client_name: 'Contoso & Sons' })
  await failing({ service: 'runner', mode: 'error' }, async () => {
    expectStatus(await start(), 202)
    await at(9)
  })
  await at(14)
  await refuse()
  return { refusedRuns }
}

/** The monitoring reports 500 alerts twice, and that the first twenty are over. */
async function storm({ service, people, nights }: Scene) {
  const source = await createSource(service, people.Olga, {
    user_id: people.Lena.id,
    schedule_id: nights.id,
    max_cases_per_hour: maxCasesOfAlerts,
  })
  const fingerprints = Array.from({ length: alertCount }, (_, n) => `disk-${n}`)
  const startsAt = new Date(readClock(service)).toISOString()
  for (const status of ['firing', 'firing', 'resolved'] as const) {
    const reported = status === 'resolved' ? fingerprints.slice(0, maxCasesOfAlerts) : fingerprints
    for (let n = 0; n < reported.length; n += 200) {
      const alerts = reported.slice(n, n + 200).map((name) => buildAlert(name, status, { startsAt }))
      expectStatus(await source.send(buildWebhook(...alerts)), 200)
    }
    await service.stack.localServer.qstash.waitUntilSettled()
  }
}
