import { expect, it } from 'vitest'
import { dashboard, sharedService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { createEscalation, pickUpSession } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { emitWithoutPublishing, escalationEvent, postSignedJob } from '#test/support/jobs.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createDefaultPolicy, notifyUser, takeNextStep } from '#test/support/reminders.ts'

const service = await sharedService()
const { listRecords } = dashboard(service)

const nights = { days: ['monday' as const, 'friday' as const], from: '22:00', to: '06:00' }
const weekend = { days: ['saturday' as const, 'sunday' as const], from: '00:00', to: '00:00' }

interface Hold {
  days?: number[]
  from?: string
  to?: string
  digest?: 'off' | 'hourly' | 'daily'
  zone?: string
}

/** Return until when an e-mail of `time` is held, as the database computes it. */
async function findHoldEnd(
  time: string,
  { days = [], from = '22:00', to = '06:00', digest = 'off', zone = 'Europe/Berlin' }: Hold,
) {
  const [row] = await service.sql<{ held: string | null }>(
    `select app.iso(app.mail_held_until(jsonb_populate_record(null::mail_preferences,
              jsonb_build_object('quiet_days', $1::int[], 'quiet_from', $2::text, 'quiet_to', $3::text, 'digest', $4::text, 'digest_time', '08:00')),
              $5, $6::timestamptz)) as held`,
    [days, from, to, digest, zone, time],
  )
  return row?.held ?? null
}

const everyDay = [0, 1, 2, 3, 4, 5, 6]

// 2026-11-23 is a Monday. Berlin is at UTC+1 in winter; its clock changes on 2026-03-29 and 2026-10-25.
const quietHours: [title: string, time: string, hold: Hold, heldUntil: string | null][] = [
  ['before quiet hours', '2026-11-23T20:59:59.999Z', { days: [1] }, null],
  ['at their start', '2026-11-23T21:00:00.000Z', { days: [1] }, '2026-11-24T05:00:00.000Z'],
  [
    'after midnight, of the day before',
    '2026-11-24T03:00:00.000Z',
    { days: [1] },
    '2026-11-24T05:00:00.000Z',
  ],
  ['at their end', '2026-11-24T05:00:00.000Z', { days: [1] }, null],
  ['on a day without quiet hours', '2026-11-24T22:00:00.000Z', { days: [1] }, null],
  [
    'within a day',
    '2026-11-23T12:00:00.000Z',
    { days: [1], from: '12:30', to: '13:30' },
    '2026-11-23T12:30:00.000Z',
  ],
  [
    'on a whole weekend',
    '2026-11-28T12:00:00.000Z',
    { days: [0, 6], from: '00:00', to: '00:00' },
    '2026-11-29T23:00:00.000Z',
  ],
  [
    'when the night has an hour less',
    '2026-03-28T23:00:00.000Z',
    { days: everyDay },
    '2026-03-29T04:00:00.000Z',
  ],
  [
    'when the night has an hour more',
    '2026-10-24T23:00:00.000Z',
    { days: everyDay },
    '2026-10-25T05:00:00.000Z',
  ],
  [
    'when they begin in the skipped hour',
    '2026-03-29T01:15:00.000Z',
    { days: [0], from: '02:15', to: '05:00' },
    '2026-03-29T03:00:00.000Z',
  ],
  [
    'in a zone with half hours',
    '2026-11-23T16:45:00.000Z',
    { days: [1], zone: 'Asia/Kolkata' },
    '2026-11-24T00:30:00.000Z',
  ],
  [
    'in a zone that does not exist',
    '2026-11-23T22:00:00.000Z',
    { days: everyDay, zone: 'Mars/Olympus' },
    null,
  ],
]
it.each(quietHours)('NOT-77 quiet hours hold an e-mail %s', async (_, time, hold, heldUntil) => {
  expect(await findHoldEnd(time, hold)).toBe(heldUntil)
})

it.each<[title: string, time: string, hold: Hold, heldUntil: string]>([
  ['to the full hour', '2026-11-23T12:00:00.000Z', { digest: 'hourly' }, '2026-11-23T13:00:00.000Z'],
  ['to the time of the day', '2026-11-23T06:59:59.000Z', { digest: 'daily' }, '2026-11-23T07:00:00.000Z'],
  ['to the next day', '2026-11-23T07:00:00.000Z', { digest: 'daily' }, '2026-11-24T07:00:00.000Z'],
  [
    'past quiet hours',
    '2026-11-23T20:30:00.000Z',
    { digest: 'hourly', days: [1] },
    '2026-11-24T05:00:00.000Z',
  ],
  [
    'over the change of the clock',
    '2026-10-24T07:00:00.000Z',
    { digest: 'daily' },
    '2026-10-25T07:00:00.000Z',
  ],
])('NOT-78 a digest holds an e-mail %s', async (_, time, hold, heldUntil) => {
  expect(await findHoldEnd(time, hold)).toBe(heldUntil)
})

/** Create a colleague whose e-mails are held until the next day. */
async function createSleeper(preferences: object = { digest: 'daily' }) {
  const account = await createAccount(service)
  const sleeper = await account.addColleague()
  await sleeper.client.notifications.preferences.replace(preferences)
  const escalate = (summary: string, urgency?: string) =>
    emitWithoutPublishing(service, account.id, {
      ...escalationEvent(summary, sleeper.id),
      actorId: account.admin.id,
      ...(urgency
        ? {
            details: {
              urgency,
              client_name: null,
              psa_ticket_id: null,
              reason: '',
              summary,
              what_was_tried: '',
              next_steps: '',
            },
          }
        : {}),
    } as Parameters<typeof emitWithoutPublishing>[2])
  return { account, sleeper, escalate }
}

interface DeliveryRow {
  id: string
  state: string
  purpose: string | null
  last_error: string | null
}
const selectMails = ({ email }: Person) =>
  service.sql<DeliveryRow>(
    'select id, state, purpose, last_error from deliveries where recipient = $1 order by created_at, id',
    [email],
  )

const endHold = ({ id }: Person) =>
  service.sql(`update deliveries set held_until = app.now() where user_id = $1 and state = 'held'`, [id])
const sweep = () => postSignedJob(service, '/jobs/notifications/sweep')

/** Send the digests that are due, and return all that the person has got. */
async function receiveDigests(person: Person) {
  await sweep()
  const countOpen = async () =>
    (await selectMails(person)).filter(({ purpose, state }) => purpose === 'digest' && state === 'pending')
      .length
  await expect.poll(countOpen, { timeout: 5000 }).toBe(0)
  return (await listRecords('mail')).filter(
    ({ to, subject }) => to[0] === person.email && subject.startsWith('Digest'),
  )
}

it('NOT-78 NOT-80 NOT-86 what was held arrives as one e-mail at its time, the oldest first', async () => {
  const { sleeper, escalate } = await createSleeper()
  await sleeper.client.identity.auth.updateMe({ timezone: 'Asia/Tokyo' })
  await escalate('The printer is offline')
  await escalate('The <b>scanner</b> is at http://evil.example')
  expect(await selectMails(sleeper)).toMatchObject([{ state: 'held' }, { state: 'held' }])
  expect(await sleeper.client.notifications.preferences.get()).toMatchObject({
    held_emails: 2,
    held_until: expect.stringMatching(/T23:00:00/),
  })
  expect(await receiveDigests(sleeper)).toEqual([])
  await endHold(sleeper)
  const [mail, ...others] = await receiveDigests(sleeper)
  expect(others).toEqual([])
  expect(mail.headers).toMatchObject({
    'Auto-Submitted': 'auto-generated',
    'X-Auto-Response-Suppress': 'All',
  })
  expect(mail.subject).toBe('Digest: 2 notifications')
  expect(mail.text).toMatch(/printer is offline.*\n.*\/pilot\/[\s\S]*scanner/)
  expect(mail.html).toContain('&lt;b&gt;scanner')
  expect(mail.html).not.toContain('evil.example')
  expect(mail.text).toContain(
    'Change your quiet hours and digests: https://app.supportflow.example/settings/emails',
  )
  expect(await selectMails(sleeper)).toMatchObject([
    { state: 'in_digest' },
    { state: 'in_digest' },
    { purpose: 'digest', state: 'delivered' },
  ])
})

it('NOT-87 leaves out of a digest what was read in the app, and escalations that somebody has taken', async () => {
  const { sleeper, account } = await createSleeper()
  const [owner, colleague] = [await account.addColleague(), await account.addColleague()]
  const sessions = []
  for (const summary of ['The printer is offline', 'The scanner is offline', 'The router is offline'])
    sessions.push(
      await createEscalation(owner, { target_user_id: sleeper.id, summary }, { problem_summary: summary }),
    )
  const [, , printer] = await sleeper.client.notifications.list()
  await sleeper.client.notifications.markRead({ notification_id: printer?.id ?? '' })
  expectStatus(await pickUpSession(colleague, sessions[2]?.id ?? ''), 200)
  await endHold(sleeper)
  const [mail] = await receiveDigests(sleeper)
  expect(mail.subject).toBe('Digest: 1 notification')
  expect(mail.text).toContain('scanner')
  expect(
    (await selectMails(sleeper)).map(({ state, last_error }) => [state, last_error]).slice(0, 3),
  ).toEqual([
    ['failed', 'It was read in the app'],
    ['in_digest', null],
    ['failed', 'Somebody has taken the escalation since'],
  ])
})

it('NOT-85 what is held follows a new time zone', async () => {
  const { sleeper, escalate } = await createSleeper()
  await sleeper.client.identity.auth.updateMe({ timezone: 'Asia/Tokyo' })
  await escalate('The printer is offline')
  await sleeper.client.identity.auth.updateMe({ timezone: 'Asia/Kolkata' })
  expect((await sleeper.client.notifications.preferences.get()).held_until).toMatch(/T02:30:00/)
})

it('NOT-80 names at most 50 events and the number of the others', async () => {
  const { sleeper, escalate } = await createSleeper()
  for (let n = 1; n <= 52; n++) await escalate(`Problem ${n}`)
  await endHold(sleeper)
  const [mail] = await receiveDigests(sleeper)
  expect(mail.subject).toBe('Digest: 52 notifications')
  expect(mail.text).toContain('Problem 50')
  expect(mail.text).not.toContain('Problem 51')
  expect(mail.text).toContain('2 more are in the app.')
})

it('NOT-80 32 processes that send digests at once send one', async () => {
  const { sleeper, escalate } = await createSleeper()
  for (const summary of ['One', 'Two', 'Three']) await escalate(summary)
  await endHold(sleeper)
  await runConcurrently(() => service.sql('select app.write_digests(100)'))
  const mails = await selectMails(sleeper)
  expect(mails.filter(({ purpose }) => purpose === 'digest')).toHaveLength(1)
  expect(mails.filter(({ state }) => state === 'in_digest')).toHaveLength(3)
})

it('NOT-80 an e-mail whose transaction ends after the digest gets a digest of its own', async () => {
  const { sleeper, escalate } = await createSleeper()
  await escalate('Early')
  await endHold(sleeper)
  await service.sql('select app.write_digests(100)')
  await escalate('Late')
  await endHold(sleeper)
  expect((await receiveDigests(sleeper)).map(({ subject }) => subject)).toEqual([
    'Digest: 1 notification',
    'Digest: 1 notification',
  ])
})

it.each(['high', 'critical'])('NOT-79 an escalation of urgency %s is sent at once', async (urgency) => {
  const { sleeper, escalate } = await createSleeper()
  await escalate('Everything is down', urgency)
  expect(await selectMails(sleeper)).toMatchObject([{ state: 'pending' }])
})

it('NOT-79 a reminder of an escalation policy is sent at once, and the app shows what is held', async () => {
  const { account, sleeper, escalate } = await createSleeper()
  await createDefaultPolicy(account.admin, [[notifyUser(sleeper)]])
  const owner = await account.addColleague()
  const { handoffId } = await createEscalation(owner, { urgency: 'low' })
  await takeNextStep(service, handoffId)
  expect(await selectMails(sleeper)).toEqual([expect.not.objectContaining({ state: 'held' })])
  await escalate('Held')
  expect((await sleeper.client.notifications.list()).map(({ event_key }) => event_key).sort()).toEqual([
    'escalation.reminded',
    'session.escalated',
  ])
})

it('NOT-81 sends the chosen events by e-mail, and no others', async () => {
  const { account, sleeper } = await createSleeper({ email_events: ['member.joined'] })
  const origin = { actorId: account.admin.id, teamId: null }
  await emitWithoutPublishing(service, account.id, {
    key: 'member.joined',
    ...origin,
    memberName: 'Sam',
    inviterId: sleeper.id,
  })
  await emitWithoutPublishing(service, account.id, {
    key: 'handoff.claimed',
    ...origin,
    sessionId: sleeper.id,
    sessionTitle: 'VPN',
    claimantName: 'Sam',
    engineerId: sleeper.id,
  })
  expect(await selectMails(sleeper)).toHaveLength(1)
  expect(await sleeper.client.notifications.list()).toHaveLength(2)
})

it('NOT-82 without quiet hours and digest, what is held is sent with the next sweep', async () => {
  const { sleeper, escalate } = await createSleeper()
  await escalate('Held')
  expect(await sleeper.client.notifications.preferences.replace({})).toMatchObject({
    held_emails: 1,
    digest: 'off',
    quiet_hours: null,
  })
  expect(await receiveDigests(sleeper)).toHaveLength(1)
  await escalate('Sent')
  expect((await selectMails(sleeper)).at(-1)).toMatchObject({ state: 'pending' })
})

it('NOT-83 a held e-mail does not count in the limit per day, and its digest counts once', async () => {
  const { account, sleeper, escalate } = await createSleeper()
  const countMails = () => service.sql('select sent from mail_counts where account_id = $1', [account.id])
  await escalate('One')
  await escalate('Two')
  const before = await countMails()
  await endHold(sleeper)
  await receiveDigests(sleeper)
  expect([before, await countMails()]).toEqual([[], [{ sent: 1 }]])
})

it('NOT-83 a deactivated user gets no digest', async () => {
  const { sleeper, escalate } = await createSleeper()
  await escalate('Held')
  await endHold(sleeper)
  await service.sql('update users set is_active = false where id = $1', [sleeper.id])
  await sweep()
  expect(await selectMails(sleeper)).toMatchObject([
    { state: 'failed', last_error: 'The recipient was deactivated' },
  ])
})

it("NOT-76 stores the caller's preferences, and nobody else's", async () => {
  const { account, sleeper } = await createSleeper({
    quiet_hours: nights,
    digest: 'hourly',
    email_events: ['handoff.claimed'],
    digest_time: '07:15',
  })
  const stored = await sleeper.client.notifications.preferences.get()
  expect(stored).toEqual({
    quiet_hours: nights,
    digest: 'hourly',
    email_events: ['handoff.claimed'],
    digest_time: '07:15',
    alert_steps: [
      { channel: 'web_push', delay_minutes: 0 },
      { channel: 'email', delay_minutes: 0 },
    ],
    timezone: 'UTC',
    held_emails: 0,
    held_until: null,
  })
  expect(await account.admin.client.notifications.preferences.get()).toMatchObject({
    quiet_hours: null,
    digest: 'off',
    email_events: [],
  })
  expect(await sleeper.client.notifications.preferences.replace({ quiet_hours: weekend })).toMatchObject({
    quiet_hours: { ...weekend, days: ['sunday', 'saturday'] },
  })
})

it.each([
  ['a day twice', { quiet_hours: { ...nights, days: ['monday', 'monday'] } }],
  ['no day', { quiet_hours: { ...nights, days: [] } }],
  ['a time that does not exist', { quiet_hours: { ...nights, from: '24:00' } }],
  [
    'quiet hours without end',
    {
      quiet_hours: {
        days: ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'],
        from: '00:00',
        to: '00:00',
      },
    },
  ],
  ['an unknown event', { email_events: ['session.exploded'] }],
  ['an event twice', { email_events: ['handoff.claimed', 'handoff.claimed'] }],
  ['an unknown digest', { digest: 'weekly' }],
])('NOT-76 refuses %s', async (_, body) => {
  const { admin } = await createAccount(service)
  const { status } = await admin.call('PUT', '/notifications/preferences', body)
  expect(status).toBe(422)
})
