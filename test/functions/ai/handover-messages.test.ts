import { expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, sharedService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { escalateSession } from '#test/support/escalations.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { postSignedJob } from '#test/support/jobs.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'

const service = await sharedService()
const { listRecords } = dashboard(service)

const sweep = () => postSignedJob(service, '/jobs/notifications/sweep')
const makeDue = (teamId: string, ago = '1 minute') =>
  service.sql('update teams set handover_at = app.now() - $2::interval where id = $1', [teamId, ago])
const listMessages = (accountId: string) =>
  service.sql<{ title: string; body: string; link: string }>(
    `select title, body, link from events where account_id = $1 and key = 'handover.due' order by id`,
    [accountId],
  )
const setTime = ({ admin, teamId }: TestAccount, handover_time: string | null) =>
  admin.client.accounts.teams.rename({ team_id: teamId, handover_time })
const listTitles = async (person: Person) =>
  (await person.call('GET', '/notifications')).body.map(({ title }: { title: string }) => title) as string[]

it('HND-33 sends the handover of a team once, however many processes sweep, to who is on call and to its channels', async () => {
  const account = await createAccount(service)
  const [engineer, onCall] = [await account.addColleague(), await account.addColleague()]
  const session = await createAiSession(engineer, { problem_summary: 'VPN drops' })
  await escalateSession(engineer, session.id, { next_steps: 'Check the MTU. Password: Winter2026!' })
  const inWork = await createAiSession(engineer, { problem_summary: 'Printer is slow' })
  const rotation = {
    kind: 'daily' as const,
    members: [onCall.id],
    handoff_time: '00:00',
    starts_on: '2020-01-01',
  }
  await account.admin.client.oncall.schedules.create({
    name: 'Network',
    timezone: 'UTC',
    rotations: [rotation],
  })
  const webhook_url = `${service.localOrigin}/chat/1/${crypto.randomUUID()}`
  await account.admin.call('POST', '/notifications/configs', {
    channel: 'chat1_webhook',
    webhook_url,
    events_enabled: ['handover.due'],
  })
  await account.admin.call('PATCH', '/accounts/me/preferences', { mask_exports: true })
  await setTime(account, '07:30')
  await makeDue(account.teamId)
  await runConcurrently(sweep, 4)
  await sweep()
  const [message, ...others] = await listMessages(account.id)
  expect(others).toEqual([])
  expect(message).toMatchObject({
    title: 'Shift handover: Test team',
    link: `/handover?team_id=${account.teamId}`,
  })
  expect(message?.body).toMatch(/: 2 open cases of the team, 1 waits for a colleague/)
  expect(message?.body).toContain(`/pilot/${inWork.id}`)
  expect(message?.body).toMatch(
    new RegExp(`escalated by ${engineer.fullName}, nobody has claimed it\\..* http\\S+/pilot/${session.id}`),
  )
  expect(message?.body).not.toContain('Winter2026')
  expect(message?.body).toContain(`On call by Network: ${onCall.fullName}`)
  expect(await listTitles(onCall)).toContain('Shift handover: Test team')
  expect(await listTitles(engineer)).not.toContain('Shift handover: Test team')
  const isSent = async () =>
    (await listRecords('chat')).some(({ body }) => JSON.stringify(body).includes(`/pilot/${session.id}`))
  await expect.poll(isSent, { timeout: 30_000 }).toBe(true)
})

it('ONC-47 the handover that is sent has the times of the team and of each reader', async () => {
  const account = await createAccount(service)
  const [here, there] = [await account.addColleague(), await account.addColleague()]
  await service.sql(`update users set timezone = 'Asia/Kathmandu' where id = $1`, [there.id])
  await service.sql(`update users set timezone = 'Europe/Paris' where id = $1`, [here.id])
  await account.admin.client.accounts.teams.rename({ team_id: account.teamId, timezone: 'Europe/Berlin' })
  for (const { id } of [here, there])
    await account.admin.client.oncall.schedules.create({
      name: 'Network',
      timezone: 'UTC',
      rotations: [
        {
          kind: 'daily',
          members: [id, account.admin.id],
          handoff_time: new Date(Date.now() + 3_600_000).toISOString().slice(11, 16),
          starts_on: '2026-01-01',
        },
      ],
    })
  await service.sql(
    `update on_call_schedules set rotations = jsonb_set(rotations, '{0,members}', jsonb_build_array($2::text)) where account_id = $1`,
    [account.id, there.id],
  )
  await service.sql(
    `insert into on_call_overrides (account_id, schedule_id, user_id, created_by, starts_at, ends_at)
     select account_id, id, $2, $2, app.now() - interval '1 hour', app.now() + interval '1 hour' from on_call_schedules
      where account_id = $1 order by id limit 1`,
    [account.id, here.id],
  )
  await setTime(account, '07:30')
  await makeDue(account.teamId)
  await sweep()
  const [message] = await listMessages(account.id)
  const zones = String.raw`\d+ \w+ \d{4}, \d\d:\d\d \(Europe/Berlin, Europe/Paris\), \d+ \w+ \d{4}, \d\d:\d\d \(Asia/Kathmandu\)`
  expect(message?.body).toMatch(new RegExp(`^Since ${zones}:`))
  expect(message?.body).toMatch(
    new RegExp(
      `On call by Network: ${here.fullName} until ${zones}, then ${there.fullName} from ${zones}\\.`,
    ),
  )
})

it('HND-34 sends no handover more than two hours late, none twice on a day, and plans the next one by the clock of the team', async () => {
  const account = await createAccount(service)
  await account.admin.client.accounts.teams.rename({ team_id: account.teamId, timezone: 'Asia/Kolkata' })
  await setTime(account, '07:30')
  const readNext = async () =>
    (
      await service.sql<{ at: string }>(`select app.iso(handover_at) as at from teams where id = $1`, [
        account.teamId,
      ])
    )[0]?.at ?? ''
  expect(await readNext()).toMatch(/T02:00:00\.000Z$/)
  await makeDue(account.teamId, '121 minutes')
  await sweep()
  expect(await listMessages(account.id)).toHaveLength(0)
  expect(await readNext()).toMatch(/T02:00:00\.000Z$/)
  expect(Date.parse(await readNext())).toBeGreaterThan(Date.now())
  for (let time = 0; time < 2; time++) {
    await makeDue(account.teamId)
    await sweep()
  }
  expect(await listMessages(account.id)).toHaveLength(1)
})

it('HND-35 an account admin sets the time of a handover, or ends it', async () => {
  const account = await createAccount(service)
  const lead = await account.addColleague({ teamRole: 'admin' })
  expect(await setTime(account, '23:05')).toMatchObject({ handover_time: '23:05' })
  await account.admin.client.accounts.teams.rename({ team_id: account.teamId, name: 'North' })
  expect((await account.admin.client.accounts.teams.list())[0]).toMatchObject({
    name: 'North',
    handover_time: '23:05',
  })
  for (const time of ['24:00', '7:30', '07:30:00', '']) await expectRefusal(setTime(account, time), 422)
  await expectRefusal(
    lead.client.accounts.teams.rename({ team_id: account.teamId, handover_time: '08:00' }),
    403,
  )
  expect(await setTime(account, null)).toMatchObject({ handover_time: null })
  expect(await service.sql('select handover_at from teams where id = $1', [account.teamId])).toEqual([
    { handover_at: null },
  ])
})
