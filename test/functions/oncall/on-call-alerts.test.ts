import { expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, sharedService } from '#test/support/app.ts'
import { createEscalation, escalateSession } from '#test/support/escalations.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { someByDay } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import {
  countReminded,
  createDefaultPolicy,
  notifyUser,
  selectReminders,
  takeNextStep,
} from '#test/support/reminders.ts'

const service = await sharedService()
const { listRecords } = dashboard(service)
const pollOptions = { timeout: 30_000, interval: 50 }

const createSchedule = ({ client }: Person, member: Person, team_id: string | null) =>
  client.oncall.schedules.create({
    ...{ name: 'Nights', timezone: 'Europe/Berlin', team_id },
    rotations: [{ kind: 'daily', members: [member.id], handoff_time: '00:00', starts_on: '2020-01-01' }],
  })

const listAlerts = async ({ client }: Person) =>
  (await client.notifications.list()).filter(({ event_key }) => event_key === 'session.escalated')
const listMails = async ({ email }: Person) =>
  (await listRecords('mail')).filter(({ to, subject }) => to.includes(email) && / escalated: /.test(subject))

async function createScene() {
  const account = await createAccount(service)
  const [engineer, onCall] = [await account.addColleague(), await account.addColleague()]
  const path = `on-call-${crypto.randomUUID()}`
  const webhook_url = `${service.localOrigin}/chat/1/${path}`
  const config = { channel: 'chat1_webhook', webhook_url, events_enabled: ['session.escalated'] }
  expectStatus(await account.admin.call('POST', '/notifications/configs', config), 201)
  const listMessages = async () =>
    (await listRecords('chat')).filter((call) => call.path === `/chat/1/${path}` && call.accepted)
  return { account, admin: account.admin, engineer, onCall, listMessages }
}

// Where the schedule belongs to, which policy applies, and what else the person on call is.
const policies = ['no policy', 'only other people', 'first step', 'first step at once'] as const
const cases = ['team', 'account'].flatMap((owner) =>
  policies.flatMap((policy) => ['engineer', 'team admin', 'target'].map((role) => ({ owner, policy, role }))),
)

it.each(someByDay(cases, 7))(
  'ONC-33 an escalation tells who is on call at once and once: schedule of the $owner, $policy, $role',
  async ({ owner, policy, role }) => {
    const { admin, engineer, onCall, listMessages } = await createScene()
    const schedule = await createSchedule(admin, onCall, owner === 'team' ? engineer.teamId : null)
    if (role === 'team admin')
      await service.sql(`update users set team_role = 'admin' where id = $1`, [onCall.id])
    const targets = policy === 'only other people' ? notifyUser(admin) : { type: 'schedule', id: schedule.id }
    if (policy !== 'no policy')
      await admin.client.oncall.policies.create({
        ...{ name: 'Nights', is_default: true },
        steps: [
          {
            delay_minutes: policy === 'first step at once' ? 0 : 10,
            targets: [targets as { type: 'user'; id: string }],
          },
        ],
      })
    const input = { urgency: 'critical', ...(role === 'target' ? { target_user_id: onCall.id } : {}) }
    const { handoffId } = await createEscalation(engineer, input)
    if (policy === 'first step at once') await takeNextStep(service, handoffId)
    expect(await listAlerts(onCall)).toHaveLength(1)
    expect(await countReminded(service, handoffId, [onCall])).toEqual([0])
    await expect.poll(() => listMails(onCall), pollOptions).toHaveLength(1)
    await expect.poll(listMessages, pollOptions).toHaveLength(1)
    const shown = [(await listMails(onCall))[0].text, JSON.stringify((await listMessages())[0]?.body)]
    for (const text of shown) expect(text).toMatch(new RegExp(`On call.{1,60}${onCall.fullName}`))
    if (policy === 'first step at once')
      expect((await selectReminders(service, handoffId)).map(({ state }) => state)).toEqual(['sent'])
  },
)

it('ONC-33 tells the account’s people on call where nobody of the team is, never who escalated, nor the back-up of a policy', async () => {
  const { admin, engineer, onCall, account } = await createScene()
  const [other, backUp] = [await account.addColleague(), await account.addColleague()]
  await createSchedule(admin, engineer, engineer.teamId)
  await createSchedule(admin, onCall, null)
  const otherTeam = await admin.client.accounts.teams.create({ name: 'Projects' })
  await createSchedule(admin, other, otherTeam.id)
  const { body } = await createEscalation(engineer)
  expect(body.notified).toBe(2)
  const first = await createSchedule(admin, other, engineer.teamId)
  const second = await createSchedule(admin, backUp, engineer.teamId)
  await createDefaultPolicy(
    admin,
    [first, second].map(({ id }) => [{ type: 'schedule' as const, id }]),
  )
  const { id } = await createAiSession(engineer)
  const { handoffId } = await escalateSession(engineer, id)
  const counts = async () =>
    Promise.all([engineer, onCall, other, backUp].map(async (p) => (await listAlerts(p)).length))
  expect(await counts()).toEqual([0, 1, 1, 0])
  await takeNextStep(service, handoffId)
  await takeNextStep(service, handoffId)
  expect(await countReminded(service, handoffId, [other, backUp])).toEqual([1, 1])
})

it('ONC-34 a schedule that reaches nobody says so when it is created or changed', async () => {
  const { admin, onCall } = await createScene()
  const schedules = admin.client.oncall.schedules
  const empty = await schedules.create({ name: 'Empty', timezone: 'UTC' })
  expect(empty.hint).toMatch(/^Nobody is reached by this schedule/)
  const { id, hint } = await createSchedule(admin, onCall, null)
  expect(hint).toBeNull()
  await service.sql(
    `insert into mail_problems (address_hash, kind, occurred_at) values (app.address_hash($1), 'bounced', app.now())`,
    [onCall.email],
  )
  expect((await schedules.update({ schedule_id: id, name: 'Bounced' })).hint).toMatch(
    /^No e-mail reaches anybody/,
  )
  await service.sql('update users set is_active = false where id = $1', [onCall.id])
  expect((await schedules.update({ schedule_id: id, name: 'Gone' })).hint).toMatch(/^Nobody is reached/)
  expect(
    (
      await schedules.update({
        schedule_id: empty.id,
        rotations: [{ kind: 'daily', members: [admin.id], handoff_time: '00:00', starts_on: '2020-01-01' }],
      })
    ).hint,
  ).toBeNull()
})

it('ONC-17 refuses rounds that would follow each other without a pause', async () => {
  const { admin, onCall } = await createScene()
  const { policies } = admin.client.oncall
  const steps = [{ delay_minutes: 0, targets: [notifyUser(onCall)] }]
  await expectRefusal(policies.create({ name: 'At once', rounds: 2, steps }), 422)
  const policy = await policies.create({ name: 'At once', steps })
  await expectRefusal(policies.update({ policy_id: policy.id, rounds: 2 }), 422)
  await policies.update({
    ...{ policy_id: policy.id, rounds: 2 },
    steps: [...steps, { delay_minutes: 10, targets: [notifyUser(admin)] }],
  })
})
