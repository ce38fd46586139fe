import { afterAll, describe, expect, it } from 'vitest'
import type { Event } from '#rules/events/events.ts'
import { dashboard, type OwnService, startOwnService } from '#test/support/app.ts'
import { createGatedScene } from '#test/support/approvals.ts'
import { endBrowser, signInAgain, subscribeBrowser } from '#test/support/browsers.ts'
import { claimHandoff, createEscalation } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { escalationEvent } from '#test/support/jobs.ts'
import { entries } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const details = {
  client_name: null,
  psa_ticket_id: null,
  reason: '',
  summary: 'The VPN is down',
  what_was_tried: '',
  next_steps: '',
}
const origin = { actorId: null, teamId: null }
const schedule = { scheduleId: crypto.randomUUID(), scheduleName: 'Nights' }
const memberOf = ({ id, fullName: name }: Person) => ({ id, name })

/** Each event that is sent at once or waits for an answer, to one person. */
const alerts: Record<string, (person: Person) => Event> = {
  'session.escalated': ({ id }) =>
    ({ ...escalationEvent('The VPN is down', id), details: { ...details, urgency: 'critical' } }) as Event,
  'escalation.reminded': ({ id }) => ({
    ...origin,
    key: 'escalation.reminded',
    sessionId: crypto.randomUUID(),
    handoffId: crypto.randomUUID(),
    problemSummary: 'The VPN is down',
    psaTicketId: null,
    ...{ round: 1, step: 1, rounds: 1, waitingSeconds: 300, toldIds: [], toldNames: [] },
    userIds: [id],
    details: { ...details, urgency: 'low' },
  }),
  'approval.requested': ({ id }) => ({
    ...origin,
    key: 'approval.requested',
    approvalId: crypto.randomUUID(),
    sessionId: crypto.randomUUID(),
    caseKind: 'session',
    requesterName: 'Robin Miller',
    subjectTitle: 'Restart the server',
    userIds: [id],
  }),
  'oncall.changed': (person) => ({
    ...{ ...origin, ...schedule },
    key: 'oncall.changed',
    member: memberOf(person),
    previous: null,
    isDeleted: false,
    userIds: [person.id],
  }),
  'oncall.shift_starts': (person) => ({
    ...{ ...origin, ...schedule },
    key: 'oncall.shift_starts',
    member: { ...memberOf(person), timezone: 'UTC' },
    startsAt: new Date().toISOString(),
    endsAt: null,
  }),
}

type Channel = 'web_push' | 'email'
interface Scene {
  admin: Person
  colleague: Person
  person: Person
  browser: Awaited<ReturnType<typeof subscribeBrowser>>
}
const members = '/accounts/me/members'

/**
 * What can happen between the first step and the second, and why the second is then left out, by its channel.
 */
const meanwhiles: Record<
  string,
  {
    happen(service: OwnService, scene: Scene): Promise<unknown>
    web_push: string | null
    email: string | null
  }
> = {
  nothing: { happen: async () => {}, web_push: null, email: null },
  'was read in the app': {
    happen: (_, { person }) => person.client.notifications.markAllRead(),
    web_push: 'It was read in the app',
    email: 'It was read in the app',
  },
  'was deactivated': {
    happen: async (_, { admin, person }) =>
      expectStatus(await admin.call('DELETE', `${members}/${person.id}`), 204),
    web_push: 'The recipient has left or can no longer work',
    email: 'The recipient has left or can no longer work',
  },
  'became a viewer': {
    happen: async (_, { admin, person }) =>
      expectStatus(await admin.call('PATCH', `${members}/${person.id}`, { role: 'viewer' }), 200),
    web_push: 'The recipient has left or can no longer work',
    email: 'The recipient has left or can no longer work',
  },
  'signed out': {
    happen: async (_, { person }) =>
      expectStatus(await person.call('DELETE', `/auth/me/sessions/${person.signInId}`), 204),
    web_push: 'The browser has signed out, or takes no more messages',
    email: null,
  },
  'ended every sign-in': {
    happen: (service, { person }) =>
      service.sql(`update sign_ins set ended_at = app.now() where user_id = $1`, [person.id]),
    web_push: 'The browser has signed out, or takes no more messages',
    email: null,
  },
  'has an expired sign-in': {
    happen: (service, { person }) =>
      service.sql(`update sign_ins set expires_at = app.now() where user_id = $1`, [person.id]),
    web_push: 'The browser has signed out, or takes no more messages',
    email: null,
  },
  'removed the browser': {
    happen: (_, { person, browser }) =>
      person.client.notifications.pushSubscriptions.delete({ subscription_id: browser.rowId }),
    web_push: 'The browser has signed out, or takes no more messages',
    email: null,
  },
  'switched it off in the browser': {
    happen: (service, { browser }) => endBrowser(service, browser.id),
    web_push: 'The browser takes no more messages',
    email: null,
  },
}

/** The second channel waits five minutes. */
const stepsOf = (later: Channel) => {
  const first: Channel = later === 'email' ? 'web_push' : 'email'
  return [
    { channel: first, delay_minutes: 0 },
    { channel: later, delay_minutes: 5 },
  ]
}

async function createScene(service: OwnService, later: Channel): Promise<Scene> {
  const account = await createAccount(service)
  const person = await account.addColleague()
  const browser = await subscribeBrowser(service, person)
  await person.client.notifications.preferences.replace({ alert_steps: stepsOf(later) })
  return { admin: account.admin, colleague: await account.addColleague(), person, browser }
}

const selectDeliveries = (service: OwnService, { id }: Person) =>
  service.sql<{ channel: Channel; state: string; last_error: string | null; attempts: number }>(
    `select channel, state, last_error, attempts from deliveries where user_id = $1 and event_id is not null order by channel`,
    [id],
  )

describe.each(entries)('on %s', async (platform) => {
  const service = await startOwnService({}, { platform })
  const { advanceClock, listRecords } = dashboard(service)
  afterAll(() => service.close())
  const settle = () => service.stack.localServer.qstash.waitUntilSettled()

  // All scenes wait together: the clock is one.
  it('NOT-118 NOT-120 each alert takes the steps of its person, and leaves out the second when the person has left it, by every channel and way', async () => {
    const scenes = []
    for (const [key, createEvent] of Object.entries(alerts))
      for (const [name, meanwhile] of Object.entries(meanwhiles))
        for (const later of ['web_push', 'email'] as const) {
          const scene = await createScene(service, later)
          await service.stack.emitEvent(scene.admin.accountId, createEvent(scene.person))
          scenes.push({ ...scene, title: `${key} ${later} ${name}`, later, meanwhile })
        }
    await settle()
    const first = await Promise.all(scenes.map(({ person }) => selectDeliveries(service, person)))
    const wrongFirst = scenes.filter(({ later }, n) => {
      const states = Object.fromEntries((first[n] ?? []).map(({ channel, state }) => [channel, state]))
      return states[later] !== 'pending' || Object.values(states).join() === 'pending,pending'
    })
    expect(wrongFirst.map(({ title }) => title)).toEqual([])
    for (const scene of scenes) await scene.meanwhile.happen(service, scene)
    await advanceClock(400)
    await settle()
    const wrong = []
    for (const { person, later, meanwhile, title } of scenes) {
      const found = (await selectDeliveries(service, person)).find(({ channel }) => channel === later)
      const error = meanwhile[later]
      if (found?.state !== (error ? 'failed' : 'delivered') || found.last_error !== error)
        wrong.push({ title, found })
    }
    expect(wrong).toEqual([])
    expect((await listRecords('push')).filter(({ accepted, refused }) => accepted && refused)).toEqual([])
  }, 300_000)

  it('NOT-120 leaves out the later step of an escalation that was claimed and a request that was decided', async () => {
    const escalated = await createScene(service, 'email')
    const escalation = await createEscalation(escalated.colleague, {
      target_user_id: escalated.person.id,
      urgency: 'critical',
    })
    const gated = await createGatedScene(service)
    await subscribeBrowser(service, gated.admin)
    await gated.admin.client.notifications.preferences.replace({ alert_steps: stepsOf('email') })
    const { body: approval } = expectStatus(await gated.request(), 201)
    await settle()
    expectStatus(await claimHandoff(escalated.admin, escalation.id, escalation.handoffId), 200)
    expectStatus(await gated.decide(gated.admin, approval.id), 200)
    await advanceClock(400)
    await settle()
    const errorsOf = async (person: Person, key: string) =>
      (
        await service.sql<{ last_error: string | null }>(
          `select last_error from deliveries where user_id = $1 and event_key = $2 order by channel desc`,
          [person.id, key],
        )
      ).map(({ last_error }) => last_error)
    expect(await errorsOf(escalated.person, 'session.escalated')).toEqual([
      null,
      'Somebody has taken the escalation since',
    ])
    expect(await errorsOf(gated.admin, 'approval.requested')).toEqual([
      null,
      'The request was decided or has ended since',
    ])
  })

  it('NOT-119 sends the first step that can reach the person at once, and the next one as soon as all browsers have failed', async () => {
    const account = await createAccount(service)
    const [without, ended] = [await account.addColleague(), await account.addColleague()]
    for (const person of [without, ended])
      await person.client.notifications.preferences.replace({ alert_steps: stepsOf('email') })
    const browser = await subscribeBrowser(service, ended)
    await endBrowser(service, browser.id)
    for (const person of [without, ended])
      await service.stack.emitEvent(account.id, alerts['session.escalated']?.(person) as Event)
    await settle()
    expect(await selectDeliveries(service, without)).toMatchObject([{ channel: 'email', state: 'delivered' }])
    expect(await selectDeliveries(service, ended)).toMatchObject([
      { channel: 'email', state: 'delivered' },
      { channel: 'web_push', state: 'failed', attempts: 1 },
    ])
    expect(await service.sql('select from push_subscriptions where id = $1', [browser.rowId])).toEqual([])
  })

  it('NOT-119 repeats a message that a push service refuses for a while, and every browser gets it once', async () => {
    const account = await createAccount(service)
    const person = await account.addColleague()
    const first = await subscribeBrowser(service, person)
    const second = await subscribeBrowser(service, await signInAgain(service, person))
    await dashboard(service).setFault({ service: 'push', mode: 'error', times: 1 })
    await service.stack.emitEvent(account.id, alerts['session.escalated']?.(person) as Event)
    await settle()
    await advanceClock(60)
    await settle()
    const got = (await listRecords('push')).filter(({ accepted }) => accepted)
    for (const { id } of [first, second]) expect(got.filter(({ browser }) => browser === id)).toHaveLength(1)
    const attempts = (await selectDeliveries(service, person)).map(({ channel, ...rest }) => [
      channel,
      rest.attempts,
    ])
    expect(attempts.toSorted()).toEqual([
      ['email', 1],
      ['web_push', 1],
      ['web_push', 2],
    ])
  })
})
