import { expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, sharedService } from '#test/support/app.ts'
import { claimHandoff, escalateSession, pickUpSession } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { connectPsa } from '#test/support/psa.ts'
import { createDefaultPolicy, notifyUser, takeNextStep } from '#test/support/reminders.ts'

const service = await sharedService()
const { listRecords } = dashboard(service)
const pollOptions = { timeout: 30_000, interval: 50 }
const settle = (accountId: string) =>
  expect
    .poll(
      () =>
        service.sql(`select from deliveries where account_id = $1 and state in ('pending', 'retrying')`, [
          accountId,
        ]),
      pollOptions,
    )
    .toEqual([])

// Whom an escalation asks, and who of them, and of the admins, gets an e-mail when a colleague has taken it.
const asked = [
  'nobody',
  'the target',
  'an engineer on call',
  'the admin on call',
  'who was reminded',
] as const
const cases = asked.flatMap((who) => (['claim', 'pick-up'] as const).map((way) => ({ who, way })))

it.each(cases)(
  'NOT-110 after a $way, $who is mailed with the facts of the alert, and admins only if they were asked',
  async ({ who, way }) => {
    const account = await createAccount(service)
    const [engineer, other, colleague] = [
      await account.addColleague(),
      await account.addColleague(),
      await account.addColleague(),
    ]
    await connectPsa(service, account.admin)
    const onCall = who === 'the admin on call' ? account.admin : other
    if (who.includes('on call'))
      await account.admin.client.oncall.schedules.create({
        ...{ name: 'Nights', timezone: 'UTC' },
        rotations: [{ kind: 'daily', members: [onCall.id], handoff_time: '00:00', starts_on: '2020-01-01' }],
      })
    if (who === 'who was reminded') await createDefaultPolicy(account.admin, [[notifyUser(other)]])
    const { id } = await createAiSession(engineer, {
      ...{ problem_summary: 'VPN is down', psa_ticket_id: '4711', client_name: 'Contoso Dental' },
    })
    const { handoffId } = await escalateSession(engineer, id, {
      urgency: 'critical',
      ...(who === 'the target' ? { target_user_id: other.id } : {}),
    })
    if (who === 'who was reminded') await takeNextStep(service, handoffId)
    await settle(account.id)
    expectStatus(
      await (way === 'claim' ? claimHandoff(colleague, id, handoffId) : pickUpSession(colleague, id)),
      200,
    )
    await settle(account.id)
    const title = `${colleague.fullName} picked up the escalation: VPN is down`
    const listMails = async ({ email }: Person) =>
      (await listRecords('mail')).filter(({ to, text }) => to.includes(email) && text.includes(title))
    const isAdminAsked = who === 'nobody' || who === 'the admin on call'
    expect([(await listMails(account.admin)).length, (await listMails(other)).length]).toEqual(
      isAdminAsked ? [1, 0] : [0, 1],
    )
    const [{ text, html }] = await listMails(isAdminAsked ? account.admin : other)
    for (const shown of [
      'Urgency: Critical',
      'Client: Contoso Dental',
      'Ticket: #4711',
      `Taken by: ${colleague.fullName}`,
    ])
      expect(text).toContain(shown)
    expect(html).toMatch(/href="[^"]*4711"/)
    const row = (await account.admin.client.notifications.list()).find((item) => item.title === title)
    expect(row?.escalation).toMatchObject({
      urgency: 'critical',
      client_name: 'Contoso Dental',
      psa_ticket_id: '4711',
    })
  },
)

it('NOT-110 the e-mail that somebody has taken a critical case waits for the end of quiet hours or the digest', async () => {
  const account = await createAccount(service)
  const [engineer, target, colleague] = [
    await account.addColleague(),
    await account.addColleague(),
    await account.addColleague(),
  ]
  await target.client.notifications.preferences.replace({ digest: 'daily' })
  const { id } = await createAiSession(engineer)
  await escalateSession(engineer, id, { urgency: 'critical', target_user_id: target.id })
  await settle(account.id)
  expectStatus(await pickUpSession(colleague, id), 200)
  await settle(account.id)
  const mails = await service.sql(
    `select event_key, state from deliveries where account_id = $1 and lower(recipient) = lower($2) order by created_at, id`,
    [account.id, target.email],
  )
  expect(mails).toEqual([
    { event_key: 'session.escalated', state: 'delivered' },
    { event_key: 'handoff.claimed', state: 'held' },
  ])
})
