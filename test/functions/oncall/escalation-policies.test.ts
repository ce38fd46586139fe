import pg from 'pg'
import { expect, it } from 'vitest'
import { insertConfig } from '#test/contract/fixture-rows.ts'
import { insertOnCallSchedule } from '#test/contract/fixtures-oncall.ts'
import { sharedService } from '#test/support/app.ts'
import { concurrentCallers, countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { claimHandoff, createEscalation, escalateSession, pickUpSession } from '#test/support/escalations.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { postDeliveryJob, postSignedJob } from '#test/support/jobs.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import {
  countReminded,
  createDefaultPolicy,
  makeReminderDue,
  notifyUser,
  postReminder,
  selectReminders,
  takeNextStep,
} from '#test/support/reminders.ts'

const service = await sharedService()

async function createPeople() {
  const account = await createAccount(service)
  const [owner, first, second] = [
    await account.addColleague(),
    await account.addColleague(),
    await account.addColleague(),
  ]
  return { account, admin: account.admin, owner, first, second }
}
const step = (...targets: { type: 'user' | 'schedule' | 'channel'; id: string }[]) => [
  { delay_minutes: 5, targets },
]

it('ONC-11 takes the steps of the policy in order and in rounds, each after its delay', async () => {
  const { admin, owner, first, second } = await createPeople()
  await createDefaultPolicy(admin, [[notifyUser(first)], [notifyUser(first), notifyUser(second)]], 2)
  const { handoffId } = await createEscalation(owner)
  const [waiting] = await selectReminders(service, handoffId)
  if (waiting) await postReminder(service, waiting)
  expect(await countReminded(service, handoffId, [first, second])).toEqual([0, 0])
  const counts: number[][] = []
  for (let n = 0; n < 4; n++) {
    await takeNextStep(service, handoffId)
    counts.push(await countReminded(service, handoffId, [first, second]))
  }
  expect(counts).toEqual([
    [1, 0],
    [2, 1],
    [3, 1],
    [4, 2],
  ])
  const reminders = await selectReminders(service, handoffId)
  expect(reminders.map(({ round, step, state }) => [round, step, state])).toEqual([
    [1, 1, 'sent'],
    [1, 2, 'sent'],
    [2, 1, 'sent'],
    [2, 2, 'sent'],
  ])
})

it('ONC-12 notifies users, the user on call at that time and channels, with personal e-mails', async () => {
  const { admin, owner, first, second } = await createPeople()
  const [schedule, config] = [await insertOnCallSchedule(service, second), await insertConfig(service, admin)]
  await createDefaultPolicy(admin, [
    [notifyUser(first), { type: 'schedule', id: schedule }, { type: 'channel', id: config }],
  ])
  const { handoffId } = await createEscalation(owner, { urgency: 'critical' })
  await takeNextStep(service, handoffId)
  expect(await countReminded(service, handoffId, [first, second, admin])).toEqual([1, 1, 0])
  const [reminder] = await selectReminders(service, handoffId)
  const deliveries = await service.sql(
    'select channel, recipient, config_id from deliveries where event_id = $1 order by recipient',
    [reminder?.event_id],
  )
  expect(deliveries).toHaveLength(3)
  expect(deliveries).toContainEqual({ channel: 'chat1_webhook', recipient: null, config_id: config })
  for (const { email } of [first, second])
    expect(deliveries).toContainEqual({ channel: 'email', recipient: email, config_id: null })
  expect((await first.client.notifications.list())[0]).toMatchObject({
    event_key: 'escalation.reminded',
    title: expect.stringMatching(/^Nobody has taken this yet: /),
    escalation: { urgency: 'critical' },
  })
})

it.each(['claim', 'pick-up', 'resolve'] as const)('ONC-13 notifies nobody after a %s', async (end) => {
  const { admin, owner, first, second } = await createPeople()
  await createDefaultPolicy(admin, [[notifyUser(second)]], 3)
  const { id, handoffId } = await createEscalation(owner)
  await takeNextStep(service, handoffId)
  if (end === 'claim') await claimHandoff(first, id, handoffId)
  else await pickUpSession(first, id)
  if (end === 'resolve') await first.call('POST', `/ai-sessions/${id}/resolve`, { outcome: 'resolved' })
  await takeNextStep(service, handoffId)
  expect(await countReminded(service, handoffId, [second])).toEqual([1])
  expect((await selectReminders(service, handoffId)).map(({ state }) => state)).toEqual(['sent', 'stopped'])
})

it('ONC-13 an earlier escalation of a session that was escalated again notifies nobody', async () => {
  const { admin, owner, first, second } = await createPeople()
  await createDefaultPolicy(admin, [[notifyUser(second)]])
  const { id, handoffId } = await createEscalation(owner)
  await pickUpSession(first, id)
  await service.sql('update ai_sessions set user_id = picked_up_by_id where id = $1', [id])
  const { handoffId: later } = await escalateSession(first, id)
  for (const handoff of [handoffId, later]) await takeNextStep(service, handoff)
  expect(await countReminded(service, handoffId, [second])).toEqual([0])
  expect(await countReminded(service, later, [second])).toEqual([1])
})

it('ONC-14 notifies each receiver once, however often the message of a step arrives at once', async () => {
  const { admin, owner, first } = await createPeople()
  await createDefaultPolicy(admin, [[notifyUser(first)]], 2)
  const { handoffId } = await createEscalation(owner)
  const reminder = await makeReminderDue(service, handoffId)
  if (!reminder) throw new Error('No reminder')
  await runConcurrently(() => postReminder(service, reminder), 8)
  expect(await countReminded(service, handoffId, [first])).toEqual([1])
  expect(await selectReminders(service, handoffId)).toHaveLength(2)
})

it('ONC-14 repeats a step whose worker crashed, and goes on with the next step after the last attempt', async () => {
  const { admin, owner, first } = await createPeople()
  await createDefaultPolicy(admin, [[notifyUser(first)]], 3)
  const { handoffId } = await createEscalation(owner)
  const due = await makeReminderDue(service, handoffId)
  await service.sql(`update escalation_reminders set attempts = 1, leased_until = app.now() where id = $1`, [
    due?.id,
  ])
  if (due) await postReminder(service, { ...due, attempts: 1 })
  expect(await countReminded(service, handoffId, [first])).toEqual([1])
  const next = await makeReminderDue(service, handoffId)
  await service.sql(
    `update escalation_reminders set attempts = max_attempts, leased_until = app.now() - interval '1 second' where id = $1`,
    [next?.id],
  )
  await postSignedJob(service, '/jobs/notifications/sweep')
  expect((await selectReminders(service, handoffId)).map(({ state }) => state)).toEqual([
    'sent',
    'failed',
    'waiting',
  ])
})

it('ONC-15 uses the default policy of the team, else that of the account, and keeps its steps as they were', async () => {
  const { account, admin, owner, first, second } = await createPeople()
  await createDefaultPolicy(admin, [[notifyUser(second)]])
  const input = { name: 'Team', team_id: account.teamId, is_default: true }
  const policy = await admin.client.oncall.policies.create({ ...input, steps: step(notifyUser(first)) })
  const ofTeam = await createEscalation(owner)
  const loner = await account.addColleague({ teamId: null })
  const ofAccount = await createEscalation(loner)
  await admin.client.oncall.policies.delete({ policy_id: policy.id })
  for (const { handoffId } of [ofTeam, ofAccount]) await takeNextStep(service, handoffId)
  expect(await countReminded(service, ofTeam.handoffId, [first, second])).toEqual([1, 0])
  expect(await countReminded(service, ofAccount.handoffId, [first, second])).toEqual([0, 1])
  await createDefaultPolicy(admin, [[notifyUser(second)]]).then(
    () => expect.unreachable(),
    ({ status }) => expect(status).toBe(409),
  )
})

it('ONC-16 does not remind the engineer who escalated, deactivated users and viewers, and goes on without receivers', async () => {
  const { admin, owner, first, second } = await createPeople()
  await createDefaultPolicy(admin, [[notifyUser(owner), notifyUser(first), notifyUser(second)]], 2)
  const { handoffId } = await createEscalation(owner)
  await service.sql('update users set is_active = false where id = $1', [first.id])
  await service.sql(`update users set role = 'viewer' where id = $1`, [second.id])
  await takeNextStep(service, handoffId)
  expect(await countReminded(service, handoffId, [owner, first, second])).toEqual([0, 0, 0])
  expect(await makeReminderDue(service, handoffId)).toMatchObject({ round: 2 })
})

const listStates = async (person: Person, sessionId: string) =>
  (await person.client.oncall.reminders.list({ session_id: sessionId })).map(({ round, step, state }) => [
    round,
    step,
    state,
  ])

it('WIR-67 the reminders of an escalation have a second page', async () => {
  const { admin, owner, first } = await createPeople()
  await createDefaultPolicy(admin, [[notifyUser(first)]], 2)
  const { id, handoffId } = await createEscalation(owner)
  await takeNextStep(service, handoffId)
  const pages: number[] = []
  for await (const page of admin.client.oncall.reminders.list({ session_id: id, limit: 1 }).pages())
    pages.push(page.length)
  expect(pages).toEqual([1, 1])
})

const selectUnreached = (person: Person) =>
  service.sql<{ title: string; body: string }>(
    `select title, body from notifications where user_id = $1 and event_key = 'escalation.unreached' order by created_at, id`,
    [person.id],
  )

it.each([
  'schedule without rotations',
  'schedule before its first day',
  'inactive user',
  'viewer',
  'engineer',
  'deleted channel',
] as const)('ONC-25 goes on to the next step at once after a step that reaches nobody: %s', async (kind) => {
  const { account, admin, owner, first, second } = await createPeople()
  const schedule = await insertOnCallSchedule(service, second)
  const config = await insertConfig(service, admin)
  const targets = {
    'schedule without rotations': { type: 'schedule' as const, id: schedule },
    'schedule before its first day': { type: 'schedule' as const, id: schedule },
    'inactive user': notifyUser(second),
    viewer: notifyUser(second),
    engineer: notifyUser(owner),
    'deleted channel': { type: 'channel' as const, id: config },
  }
  await createDefaultPolicy(admin, [[targets[kind]], [notifyUser(first)]])
  if (kind === 'schedule without rotations')
    await service.sql(`update on_call_schedules set rotations = '[]' where id = $1`, [schedule])
  if (kind === 'schedule before its first day')
    await service.sql(
      `update on_call_schedules set rotations = jsonb_set(rotations, '{0,starts_on}', '"2090-01-01"') where id = $1`,
      [schedule],
    )
  if (kind === 'inactive user')
    await service.sql('update users set is_active = false where id = $1', [second.id])
  if (kind === 'viewer') await service.sql(`update users set role = 'viewer' where id = $1`, [second.id])
  if (kind === 'deleted channel')
    await service.sql('delete from notification_configs where id = $1', [config])
  const { id, handoffId } = await createEscalation(owner)
  await takeNextStep(service, handoffId)
  await expect.poll(() => countReminded(service, handoffId, [first])).toEqual([1])
  expect(await listStates(account.admin, id)).toEqual([
    [1, 2, 'sent'],
    [1, 1, 'unreached'],
  ])
  expect(await selectUnreached(admin)).toEqual([
    {
      title: expect.stringMatching(/^No one was on call: /),
      body: expect.stringMatching(/step 1 of the escalation policy/),
    },
  ])
  expect(await selectUnreached(first)).toEqual([])
})

it('ONC-26 tells the admins once when a whole policy reaches nobody, and waits before its next round', async () => {
  const { admin, owner, first } = await createPeople()
  await createDefaultPolicy(admin, [[notifyUser(owner)], [notifyUser(owner)]], 2)
  const { id, handoffId } = await createEscalation(owner)
  await takeNextStep(service, handoffId)
  await expect.poll(async () => (await selectReminders(service, handoffId)).length).toBe(3)
  const isLater = `select next_attempt_at > app.now() + interval '9 minutes' as is_later from escalation_reminders where state = 'waiting' and id = $1`
  const [round2] = (await selectReminders(service, handoffId)).slice(-1)
  expect(await service.sql(isLater, [round2?.id])).toEqual([{ is_later: true }])
  await takeNextStep(service, handoffId)
  await expect
    .poll(() => listStates(admin, id))
    .toEqual([
      [2, 2, 'unreached'],
      [2, 1, 'unreached'],
      [1, 2, 'unreached'],
      [1, 1, 'unreached'],
    ])
  expect((await selectUnreached(admin)).map(({ body }) => /by (step \d|the whole)/.exec(body)?.[1])).toEqual([
    'step 1',
    'the whole',
  ])
  expect(await selectUnreached(first)).toEqual([])
})

it('ONC-30 the audit log of the account has each step that reached nobody, once, with its session', async () => {
  const { admin, owner } = await createPeople()
  await createDefaultPolicy(admin, [[notifyUser(owner)], [notifyUser(owner)]], 1)
  const { id, handoffId } = await createEscalation(owner)
  await takeNextStep(service, handoffId)
  const listEntries = async () =>
    expectStatus(await admin.call('GET', '/accounts/me/audit-logs'), 200)
      .body.filter(({ action }: { action: string }) => action === 'escalation.unreached')
      .map(({ resource_type, resource_id, changes }: Record<string, unknown>) => [
        resource_type,
        resource_id,
        changes,
      ])
  await expect.poll(async () => (await listEntries()).length).toBe(2)
  expect(await listEntries()).toEqual([
    ['ai_session', id, { round: 1, step: 2 }],
    ['ai_session', id, { round: 1, step: 1 }],
  ])
})

it('ONC-26 of 32 messages of a step that reaches nobody at once, one tells the admins', async () => {
  const { admin, owner } = await createPeople()
  await createDefaultPolicy(admin, [[notifyUser(owner)]], 1)
  const { handoffId } = await createEscalation(owner)
  const reminder = await makeReminderDue(service, handoffId)
  if (!reminder) throw new Error('No reminder')
  await runConcurrently(() => postReminder(service, reminder), concurrentCallers)
  expect(await selectUnreached(admin)).toHaveLength(1)
  expect(await selectReminders(service, handoffId)).toMatchObject([{ state: 'unreached' }])
})

it('ONC-17 refuses targets of another account, endless policies and a schedule that a policy uses', async () => {
  const { account, admin, first } = await createPeople()
  const stranger = (await createAccount(service)).admin
  const { policies, schedules } = admin.client.oncall
  const schedule = await insertOnCallSchedule(service, admin)
  const foreign = [
    notifyUser(stranger),
    { type: 'schedule' as const, id: await insertOnCallSchedule(service, stranger) },
    { type: 'channel' as const, id: await insertConfig(service, stranger) },
    { type: 'schedule' as const, id: first.id },
  ]
  for (const target of foreign) await expectRefusal(policies.create({ name: 'X', steps: step(target) }), 404)
  const viewer = await account.addColleague({ role: 'viewer' })
  await expectRefusal(policies.create({ name: 'X', steps: step(notifyUser(viewer)) }), 422)
  const valid = step(notifyUser(first))
  await expectRefusal(policies.create({ name: 'X', rounds: 6, steps: valid }), 422)
  await expectRefusal(
    policies.create({ name: 'X', steps: Array.from({ length: 11 }, () => valid).flat() }),
    422,
  )
  await expectRefusal(
    policies.create({ name: 'X', steps: [{ delay_minutes: -1, targets: [notifyUser(first)] }] }),
    422,
  )
  const { id, name } = await policies.create({ name: 'X', steps: step({ type: 'schedule', id: schedule }) })
  const error = await expectRefusal(schedules.delete({ schedule_id: schedule }), 409)
  expect(error.body).toMatchObject({ code: 'in_use', policies: [{ id, name }] })
  await policies.delete({ policy_id: id })
  await schedules.delete({ schedule_id: schedule })
})

it('ONC-18 lets team admins change the policies of their team only', async () => {
  const account = await createAccount(service)
  const teamAdmin = await account.addColleague({ teamRole: 'admin' })
  const ofAccount = await createDefaultPolicy(account.admin, [[notifyUser(teamAdmin)]])
  const { policies } = teamAdmin.client.oncall
  await expectRefusal(policies.update({ policy_id: ofAccount.id, rounds: 2 }), 403)
  await expectRefusal(policies.delete({ policy_id: ofAccount.id }), 403)
  await expectRefusal(createDefaultPolicy(teamAdmin, [[notifyUser(teamAdmin)]]), 403)
  const ours = await policies.create({
    name: 'Ours',
    team_id: account.teamId,
    steps: step(notifyUser(teamAdmin)),
  })
  expect(await policies.update({ policy_id: ours.id, rounds: 2 })).toMatchObject({ rounds: 2, version: 2 })
  await policies.delete({ policy_id: ours.id })
})

it('ONC-13 a step that is due while a claim is being stored waits for it, and notifies nobody', async () => {
  const { admin, owner, first } = await createPeople()
  await createDefaultPolicy(admin, [[notifyUser(first)]])
  const { id, handoffId } = await createEscalation(owner)
  const reminder = await makeReminderDue(service, handoffId)
  if (!reminder) throw new Error('No reminder')
  const connection = new pg.Client(service.settings.DATABASE_PLATFORM_URL)
  await connection.connect()
  try {
    await connection.query('begin')
    await connection.query(`update ai_sessions set status = 'claimed' where id = $1`, [id])
    await connection.query('update ai_handoffs set claimed_by = $2, claimed_at = app.now() where id = $1', [
      handoffId,
      first.id,
    ])
    const step = postReminder(service, reminder)
    const isWaiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%escalation_follow_ups%' and pid <> pg_backend_pid()`
    await expect.poll(async () => (await service.sql(isWaiting)).length, { interval: 20 }).toBeGreaterThan(0)
    await connection.query('commit')
    expect(await step).toBe(200)
  } finally {
    await connection.end()
  }
  expect(await countReminded(service, handoffId, [first])).toEqual([0])
  expect(await selectReminders(service, handoffId)).toMatchObject([{ state: 'stopped' }])
})

it('ONC-13 of 32 claims and a step at once, one claim wins, and the step notifies once or is stopped', async () => {
  const { account, admin, owner, first } = await createPeople()
  await createDefaultPolicy(admin, [[notifyUser(first)]], 2)
  const { id, handoffId } = await createEscalation(owner)
  const engineers = await Promise.all(Array.from({ length: concurrentCallers }, () => account.addColleague()))
  const reminder = await makeReminderDue(service, handoffId)
  const claims = engineers.map((engineer) => claimHandoff(engineer, id, handoffId))
  if (reminder) await postReminder(service, reminder)
  expect(countByStatus(await Promise.all(claims))).toEqual({ 200: 1, 409: concurrentCallers - 1 })
  const [reminded = 0] = await countReminded(service, handoffId, [first])
  const states = (await selectReminders(service, handoffId)).map(({ state }) => state)
  expect(states).toEqual(reminded === 1 ? ['sent', 'waiting'] : ['stopped'])
  if (reminded === 1) await takeNextStep(service, handoffId)
  expect(await countReminded(service, handoffId, [first])).toEqual([reminded])
})

it.each(['claim', 'pick-up', 'acknowledgement'] as const)(
  'ONC-23 sends no late message of a reminder after a %s',
  async (taken) => {
    const { admin, owner, first, second } = await createPeople()
    const config = await insertConfig(service, admin)
    await createDefaultPolicy(admin, [[notifyUser(second), { type: 'channel', id: config }]])
    const { id, handoffId } = await createEscalation(owner)
    await takeNextStep(service, handoffId)
    const [reminder] = await selectReminders(service, handoffId)
    const selectDeliveries = () =>
      service.sql<{ id: string; state: string; last_error: string | null }>(
        'select id, state, last_error from deliveries where event_id = $1 order by id',
        [reminder?.event_id],
      )
    await expect
      .poll(async () => (await selectDeliveries()).map(({ state }) => state))
      .not.toContain('pending')
    // As after a first attempt that the vendor refused.
    await service.sql(
      `update deliveries set state = 'retrying', attempts = 1, leased_until = null, next_attempt_at = app.now(), batch_key = null where event_id = $1`,
      [reminder?.event_id],
    )
    if (taken === 'claim') await claimHandoff(first, id, handoffId)
    else if (taken === 'pick-up') await pickUpSession(first, id)
    else
      await service.sql(
        'update escalation_follow_ups set acknowledged_at = app.now() where handoff_id = $1',
        [handoffId],
      )
    for (const delivery of await selectDeliveries()) await postDeliveryJob(service, delivery.id, 2)
    const late = expect.objectContaining({
      state: 'failed',
      last_error: 'Somebody has taken the escalation since',
    })
    expect(await selectDeliveries()).toEqual([late, late])
  },
)
