import { expect, it } from 'vitest'
import { openAccountScope, openPlatformDb } from '#db/scope.ts'
import { sendDue } from '#functions/analytics/reports/service.ts'
import type { WeeklyReport } from '#rules/reports/weekly.ts'
import { dashboard, sharedService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { postSignedJob } from '#test/support/jobs.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createReportScene } from '#test/support/reports.ts'

const service = await sharedService()
const { listRecords } = dashboard(service)

const week = '2026-W43'
const readReport = async (person: Person, teamId: string, inWeek = week) =>
  (await person.client.analytics.reports.getWeekly({ team_id: teamId, week: inWeek })) as WeeklyReport
const at = (day: number, time: string) => `2026-10-${day}T${time}Z`

it('RPT-01 counts what a team started, resolved and escalated in a week of its time zone', async () => {
  const { account, insertSessions, insertAiSessions } = await createReportScene(service)
  // Monday 19 October, 0:00 in Berlin is 22:00 UTC of the day before. The clock goes back on Sunday 25
  // October, so that day has 25 hours.
  await insertSessions([
    { flow: 'VPN', startedAt: at(18, '21:59:59.999'), outcome: 'resolved' },
    { flow: 'VPN', startedAt: at(18, '22:00:00'), outcome: 'resolved' },
    { flow: 'VPN', startedAt: at(25, '22:59:59.999'), outcome: 'escalated' },
    { flow: 'VPN', startedAt: at(25, '23:00:00'), outcome: 'resolved' },
    { flow: 'VPN', startedAt: at(22, '10:00:00'), outcome: 'unresolved' },
    { flow: 'VPN', startedAt: at(22, '11:00:00'), outcome: 'unresolved' },
    { flow: 'VPN', startedAt: at(22, '10:00:00'), isOfTeam: false },
  ])
  await insertAiSessions([
    { createdAt: at(20, '10:00:00'), resolvedAt: at(21, '10:00:00') },
    { createdAt: at(20, '10:00:00'), escalatedAt: at(20, '11:00:00') },
    { createdAt: at(12, '10:00:00'), resolvedAt: at(13, '10:00:00') },
    {
      createdAt: at(20, '10:00:00'),
      resolvedAt: at(21, '10:00:00'),
      escalatedAt: at(20, '11:00:00'),
      isOfTeam: false,
    },
  ])
  const other = await account.addColleague({ teamId: null })
  const report = await readReport(other, account.teamId)
  expect(report).toMatchObject({
    team: { id: account.teamId, name: 'Test team' },
    week,
    timezone: 'Europe/Berlin',
    starts_on: '2026-10-19',
    ends_on: '2026-10-25',
    sessions: { started: 4, completed: 4, resolved: 1, escalated: 1 },
    ai_sessions: { started: 2, resolved: 1, escalated: 1 },
  })
  expect(report.by_day).toHaveLength(7)
  expect(report.by_day.filter(({ started, resolved }) => started + resolved > 0)).toEqual([
    { date: '2026-10-19', day: 'monday', started: 1, resolved: 1 },
    { date: '2026-10-20', day: 'tuesday', started: 2, resolved: 0 },
    { date: '2026-10-21', day: 'wednesday', started: 0, resolved: 1 },
    { date: '2026-10-22', day: 'thursday', started: 2, resolved: 0 },
    { date: '2026-10-25', day: 'sunday', started: 1, resolved: 0 },
  ])
})

it('RPT-02 measures the median and the 90th percentile of the time to claim, and counts what nobody claimed', async () => {
  const { account, insertAiSessions } = await createReportScene(service)
  const minutes = (count: number) => `2026-10-20T10:${String(count).padStart(2, '0')}:00Z`
  await insertAiSessions([
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20].map((count) => ({
      createdAt: minutes(0),
      escalatedAt: minutes(0),
      claimedAt: minutes(count),
    })),
    { createdAt: minutes(0), escalatedAt: minutes(0) },
  ])
  const { time_to_claim } = await readReport(account.admin, account.teamId)
  expect(time_to_claim).toEqual({ claimed: 11, unclaimed: 1, median_seconds: 360, p90_seconds: 600 })
})

it('RPT-03 names the flows that help and those that do not, and judges none with fewer than 3 sessions', async () => {
  const { account, insertSessions } = await createReportScene(service)
  const run = (flow: string, outcomes: string[]) =>
    outcomes.map((outcome) => ({ flow, startedAt: at(20, '10:00:00'), outcome }))
  await insertSessions([
    ...run('Good', ['resolved', 'resolved', 'resolved', 'unresolved']),
    ...run('Better', ['resolved', 'resolved', 'resolved', 'resolved']),
    ...run('Middling', ['resolved', 'resolved', 'unresolved', 'cancelled']),
    ...run('Bad', ['unresolved', 'escalated', 'resolved']),
    ...run('New', ['unresolved', 'unresolved']),
  ])
  const { helpful_flows, unhelpful_flows } = await readReport(account.admin, account.teamId)
  expect(helpful_flows.map(({ name, completed, resolved }) => [name, completed, resolved])).toEqual([
    ['Better', 4, 4],
    ['Good', 4, 3],
  ])
  expect(unhelpful_flows.map(({ name, completed, resolved }) => [name, completed, resolved])).toEqual([
    ['Bad', 3, 1],
  ])
})

it('RPT-04 names the busiest hours of the week by the clock of the team', async () => {
  const { account, insertSessions, insertAiSessions } = await createReportScene(service, 'Asia/Kolkata')
  await insertSessions(
    ['04:00:00', '04:15:00', '03:31:00', '05:00:00'].map((time) => ({
      flow: 'VPN',
      startedAt: at(20, time),
    })),
  )
  await insertAiSessions([{ createdAt: at(21, '05:05:00') }, { createdAt: at(21, '05:10:00') }])
  const { busiest_hours, by_hour } = await readReport(account.admin, account.teamId)
  expect(busiest_hours).toEqual([
    { day: 'tuesday', hour: 9, started: 3 },
    { day: 'wednesday', hour: 10, started: 2 },
    { day: 'tuesday', hour: 10, started: 1 },
  ])
  expect(by_hour).toHaveLength(24)
  expect(by_hour[10]).toEqual({ hour: 10, started: 3 })
})

it('RPT-05 reports the last week that has ended, for engineers of the account, and refuses a week that does not exist', async () => {
  const { account } = await createReportScene(service)
  const { reports } = account.admin.client.analytics
  const [expected] = await service.sql<{ week: string }>(
    `select to_char((app.now() at time zone 'Europe/Berlin')::date - 7, 'IYYY-"W"IW') as week`,
  )
  expect(((await reports.getWeekly({ team_id: account.teamId })) as WeeklyReport).week).toBe(expected?.week)
  for (const invalid of ['2026-W00', '2026-W54', '2025-W53', '2026-47', '2026-W7', 'x'])
    await expectRefusal(reports.getWeekly({ team_id: account.teamId, week: invalid }), 422)
  expect((await readReport(account.admin, account.teamId, '2026-W53')).starts_on).toBe('2026-12-28')
  const viewer = await account.addColleague({ role: 'viewer' })
  await expectRefusal(viewer.client.analytics.reports.getWeekly({ team_id: account.teamId }), 403)
  const stranger = (await createAccount(service)).admin
  await expectRefusal(stranger.client.analytics.reports.getWeekly({ team_id: account.teamId }), 404)
  await expectRefusal(stranger.client.analytics.reports.subscribe({ team_id: account.teamId }), 404)
})

const getReport = (person: Person, format: string) =>
  fetch(`${service.api}/api/v1/reports/weekly?team_id=${person.teamId}&week=${week}&format=${format}`, {
    headers: { authorization: `Bearer ${person.token}` },
  })

it('RPT-06 returns a report as a page, PDF and CSV with file names', async () => {
  const { account, insertSessions } = await createReportScene(service)
  await insertSessions(
    Array.from({ length: 3 }, () => ({
      flow: '=HYPERLINK("http://evil.example") <b>',
      startedAt: at(20, '10:00:00'),
    })),
  )
  const [html, pdf, csv] = await Promise.all(
    ['html', 'pdf', 'csv'].map((format) => getReport(account.admin, format)),
  )
  const types = [html, pdf, csv].map((response) => [response?.status, response?.headers.get('content-type')])
  expect(types).toEqual([
    [200, 'text/html; charset=utf-8'],
    [200, 'application/pdf'],
    [200, 'text/csv; charset=utf-8'],
  ])
  expect(csv?.headers.get('content-disposition')).toContain('test-team-2026-w43.csv')
  const page = await html?.text()
  expect(page).toContain('&lt;b&gt;')
  expect(page).not.toContain('<b>')
  expect(Buffer.from((await pdf?.arrayBuffer()) ?? new ArrayBuffer()).subarray(0, 5)).toEqual(
    Buffer.from('%PDF-'),
  )
  const bytes = Buffer.from((await csv?.arrayBuffer()) ?? new ArrayBuffer())
  expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
  expect(bytes.toString()).toContain(`"'=HYPERLINK(""http://evil.example"") <b>","completed",3\r\n`)
})

/** Subscribe a person to the report of the own team, so that `count` reports are due now. */
const subscribeToDue = (person: Person, count: number) =>
  service.sql(
    `insert into report_subscriptions (account_id, team_id, user_id, created_at)
     select $1, $2, $3, max(due_at) - $4 * interval '1 week' + interval '12 hours'
       from generate_series(0, 1) ago, app.team_week($2, null, ago), lateral (select ends_at + interval '8 hours' as due_at) d where due_at <= app.now()`,
    [person.accountId, person.teamId, person.id, count],
  )
const selectMails = ({ accountId }: Person) =>
  service.sql<{ recipient: string; week: string; state: string }>(
    `select d.recipient, r.week, d.state from deliveries d join weekly_reports r on r.id = d.report_id where d.account_id = $1 order by r.week, d.recipient`,
    [accountId],
  )
/** List the weeks that are due at a time for a team. */
const listDue = async (teamId: string, now: string) =>
  (
    await service.sql<{ week: string; due_at: string }>(
      'select week, app.iso(due_at) as due_at from app.due_weekly_reports(10000, $2) where team_id = $1',
      [teamId, now],
    )
  ).map(({ week, due_at }) => [week, due_at])

it.each([
  ['Europe/Berlin', '2026-10-26T07:00:00.000Z'],
  ['America/New_York', '2026-10-26T12:00:00.000Z'],
  ['Asia/Kolkata', '2026-10-26T02:30:00.000Z'],
  ['Mars/Olympus', '2026-10-26T08:00:00.000Z'],
])('RPT-07 a report is due on Monday at 8:00 in %s', async (timezone, dueAt) => {
  const { account } = await createReportScene(service, timezone)
  await service.sql(
    `insert into report_subscriptions (account_id, team_id, user_id, created_at) values ($1, $2, $3, '2026-10-21T00:00:00Z')`,
    [account.id, account.teamId, account.admin.id],
  )
  expect(await listDue(account.teamId, new Date(Date.parse(dueAt) - 1).toISOString())).toEqual([])
  expect(await listDue(account.teamId, dueAt)).toEqual([['2026-W43', dueAt]])
})

it('RPT-08 after an outage the reports of up to four weeks are due, the oldest first, and none from before the subscription', async () => {
  const { account } = await createReportScene(service, 'UTC')
  await service.sql(
    `insert into report_subscriptions (account_id, team_id, user_id, created_at) values ($1, $2, $3, '2026-10-12T09:00:00Z')`,
    [account.id, account.teamId, account.admin.id],
  )
  const weeksAt = async (now: string) => (await listDue(account.teamId, now)).map(([week]) => week)
  expect(await weeksAt('2026-10-30T00:00:00Z')).toEqual(['2026-W42', '2026-W43'])
  expect(await weeksAt('2026-11-24T00:00:00Z')).toEqual(['2026-W44', '2026-W45', '2026-W46', '2026-W47'])
  await service.sql(
    `insert into weekly_reports (account_id, team_id, week, due_at, content)
     select $1, $2, '2026-W' || 43 + n, '2026-10-26T08:00:00Z'::timestamptz + n * interval '1 week', '{}' from generate_series(0, 3) n`,
    [account.id, account.teamId],
  )
  expect(await weeksAt('2026-11-22T23:00:00Z')).toEqual([])
  expect(await weeksAt('2026-11-23T08:00:00Z')).toEqual(['2026-W47'])
})

it('RPT-09 four processes at once send each subscriber one e-mail per team and week', async () => {
  const { account } = await createReportScene(service)
  const colleague = await account.addColleague()
  for (const person of [account.admin, colleague]) await subscribeToDue(person, 2)
  const database = openTestDatabase(service.settings.DATABASE_PLATFORM_URL)
  const ctx = {
    platform: openPlatformDb(database, 'test', () => {}),
    openAccountScope: (accountId: string) => openAccountScope(database, accountId, null, () => {}),
  }
  await runConcurrently(() => sendDue(ctx, { budgetMs: 20_000, now: Date.now }), 4)
  await sendDue(ctx, { budgetMs: 20_000, now: Date.now })
  const mails = await selectMails(account.admin)
  const weeks = [...new Set(mails.map(({ week }) => week))]
  expect(weeks).toHaveLength(2)
  expect(mails.map(({ recipient, week }) => [week, recipient])).toEqual(
    weeks.flatMap((week) => [account.admin.email, colleague.email].toSorted().map((email) => [week, email])),
  )
})

/** Send what is due, and return the reports that a person has got. */
async function receiveReports(person: Person) {
  await postSignedJob(service, '/jobs/notifications/sweep')
  const countOpen = async () => (await selectMails(person)).filter(({ state }) => state === 'pending').length
  await expect.poll(countOpen, { timeout: 30_000 }).toBe(0)
  return (await listRecords('mail')).filter(
    ({ to, subject }) => to[0] === person.email && subject.startsWith('Weekly report'),
  )
}

it('RPT-10 e-mails the report to who subscribed, with bars, numbers and a link, and not to viewers and the deactivated', async () => {
  const { account, insertAiSessions } = await createReportScene(service)
  const [monday] = await service.sql<{ starts_at: string }>(
    'select app.iso(starts_at) as starts_at from app.team_week($1, null, 1)',
    [account.teamId],
  )
  await insertAiSessions(
    [0, 7].map((days) => ({
      createdAt: new Date(Date.parse(monday?.starts_at ?? '') + days * 86_400_000 + 7_200_000).toISOString(),
    })),
  )
  const [reader, viewer, gone] = [
    await account.addColleague(),
    await account.addColleague(),
    await account.addColleague(),
  ]
  for (const person of [reader, viewer, gone]) await subscribeToDue(person, 1)
  await service.sql(`update users set role = 'viewer' where id = $1`, [viewer.id])
  await service.sql('update users set is_active = false where id = $1', [gone.id])
  const [mail, ...others] = await receiveReports(reader)
  expect(others).toEqual([])
  expect(mail.subject).toMatch(/^Weekly report: Test team, 20\d\d-W\d\d$/)
  expect(mail.text).toMatch(
    /Resolved: 0\n[\s\S]*Started per day\nMon: 1\nTue: 0\n[\s\S]*Flows that help\nNone this week\./,
  )
  expect(mail.html).toMatch(/<td class="bar" width="100%"/)
  expect(mail.text).toContain(`/reports/weekly?team_id=${account.teamId}&week=`)
  expect((await selectMails(reader)).map(({ recipient }) => recipient)).toEqual([reader.email])
})

it('RPT-11 a link and one click end the subscription of this report alone, and the person can subscribe again', async () => {
  const { account } = await createReportScene(service)
  const reader = await account.addColleague()
  const { reports } = reader.client.analytics
  const otherTeam = await account.admin.client.accounts.teams.create({ name: 'Night shift' })
  await subscribeToDue(reader, 1)
  expect((await reports.subscribe({ team_id: otherTeam.id })).team_name).toBe('Night shift')
  const [mail] = await receiveReports(reader)
  const url = new URL(/Unsubscribe from this report: (\S+)/.exec(mail.text)?.[1] ?? '')
  expect(mail.headers).toMatchObject({
    'List-Unsubscribe': `<${url}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
  const link = service.api + url.pathname
  expect(await (await fetch(link)).text()).toContain('You will no longer get this weekly report.')
  expect(await reports.listSubscriptions()).toHaveLength(2)
  expect((await fetch(link, { method: 'POST' })).status).toBe(200)
  expect((await reports.listSubscriptions()).map(({ team_id }) => team_id)).toEqual([otherTeam.id])
  expect(
    await service.sql('select 1 from mail_suppressions where address_hash = app.address_hash($1)', [
      reader.email,
    ]),
  ).toEqual([])
  expect((await fetch(link, { method: 'DELETE' })).status).toBe(204)
  expect(await reports.listSubscriptions()).toHaveLength(2)
  for (const team_id of [account.teamId, otherTeam.id]) await reports.unsubscribe({ team_id })
  expect(await reports.listSubscriptions()).toEqual([])
  expect((await fetch(`${link}x`, { method: 'POST' })).status).toBe(400)
})

it('a user who is erased leaves no subscription and no presence', async () => {
  const { account } = await createReportScene(service)
  const reader = await account.addColleague()
  await reader.client.analytics.reports.subscribe({ team_id: account.teamId })
  await service.sql(
    `insert into presence (account_id, resource_type, resource_id, user_id, tab_id, mode, expires_at)
     values ($1, 'session', uuidv7(), $2, '', 'viewing', app.now() + interval '1 minute')`,
    [account.id, reader.id],
  )
  await service.sql('select app.erase_user($1)', [reader.id])
  for (const table of ['report_subscriptions', 'presence'])
    expect(await service.sql(`select 1 from ${table} where user_id = $1`, [reader.id])).toEqual([])
})

it('RPT-12 an admin sets the time zone of a team, or takes that of the account', async () => {
  const { account } = await createReportScene(service)
  const { accounts } = account.admin.client
  await service.sql(`update accounts set timezone = 'Asia/Tokyo' where id = $1`, [account.id])
  const getZone = async () => (await readReport(account.admin, account.teamId)).timezone
  expect(
    await accounts.teams.rename({ team_id: account.teamId, timezone: 'America/New_York' }),
  ).toMatchObject({
    name: 'Test team',
    timezone: 'America/New_York',
  })
  expect(await getZone()).toBe('America/New_York')
  await accounts.teams.rename({ team_id: account.teamId, timezone: null })
  expect(await getZone()).toBe('Asia/Tokyo')
  await expectRefusal(accounts.teams.rename({ team_id: account.teamId, timezone: 'Mars/Olympus' }), 422)
})

it('RPT-15 compares a week with the one before, and names what was open, slow, unfinished and waited at its end', async () => {
  const { account, insertSessions, insertAiSessions } = await createReportScene(service)
  const hours = (count: number) => ({
    startedAt: at(20, '08:00:00'),
    completedAt: at(20, `${String(8 + count).padStart(2, '0')}:00:00`),
  })
  await insertSessions([
    ...[1, 2, 3].map((count) => ({ flow: 'Slow', ...hours(count) })),
    { flow: 'Late', startedAt: at(24, '08:00:00'), completedAt: at(27, '08:00:00') },
    { flow: 'Late', startedAt: at(24, '09:00:00'), completedAt: at(27, '08:00:00') },
    { flow: 'Late', startedAt: at(24, '10:00:00'), completedAt: at(27, '08:00:00') },
    { flow: 'Slow', startedAt: at(13, '08:00:00'), completedAt: at(13, '09:00:00') },
  ])
  await insertAiSessions([
    { createdAt: at(20, '10:00:00'), escalatedAt: at(20, '11:00:00'), claimedAt: at(20, '11:05:00') },
    { createdAt: at(14, '10:00:00'), escalatedAt: at(14, '11:00:00'), claimedAt: at(14, '11:10:00') },
    { createdAt: at(21, '10:00:00'), resolvedAt: at(26, '10:00:00') },
  ])
  // Claimed after the end of the week, which is Sunday 23:00 UTC.
  await service.sql(
    `update ai_handoffs set claimed_at = '2026-10-26T10:00:00Z', closed_at = null where account_id = $1 and created_at = '2026-10-20T11:00:00Z'`,
    [account.id],
  )
  const report = await readReport(account.admin, account.teamId)
  expect(report).toMatchObject({
    previous: { started: 2, resolved: 1, escalated: 1, median_seconds: 600 },
    open: { sessions: 3, ai_sessions: 3 },
    waiting: [{ waits_for: 'colleague', count: 1, longest_seconds: 5 * 86_400 + 12 * 3600 }],
    slow_flows: [{ name: 'Slow', completed: 3, median_seconds: 7200 }],
    unfinished_flows: [{ name: 'Late', started: 3 }],
  })
  expect(report.summary[0]).toBe('8 sessions were started, 6 more than the week before.')
  const later = await readReport(account.admin, account.teamId, '2026-W44')
  expect(later.waiting).toEqual([{ waits_for: 'claimant', count: 1, longest_seconds: expect.any(Number) }])
  expect(later.open).toEqual({ sessions: 0, ai_sessions: 2 })
})

it('RPT-16 says something of a week in which nothing happened', async () => {
  const { account } = await createReportScene(service)
  const { summary } = await readReport(account.admin, account.teamId)
  expect(summary).toEqual([
    'A quiet week: no session was started or ended. The week before 0 sessions were started and 0 resolved.',
    'At the end of the week no case was open.',
  ])
})
