import { afterAll, expect, it } from 'vitest'
import { weekdays } from '#rules/oncall/schema.ts'
import { buildAlert, buildWebhook, createSource, sendTo, toPath } from '#test/support/alerts.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { createFlow } from '#test/support/flows.ts'
import { postSignedJob } from '#test/support/jobs.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await startOwnService()
const { advanceClock } = dashboard(service)
afterAll(() => service.close())

const waitUntilSettled = () => service.stack.localServer.qstash.waitUntilSettled()

async function createScene(input: object = {}) {
  const account = await createAccount(service)
  const { admin } = account
  const source = await createSource(service, admin, input)
  const listAlerts = async () => admin.client.alerts.list()
  const listCases = async () => admin.client.ai.sessions.list()
  const send = async (body: unknown) => {
    const answer = await source.send(body)
    await waitUntilSettled()
    return answer
  }
  return { ...account, source, send, listAlerts, listCases }
}

const listEvents = async (person: Person) =>
  (await person.client.notifications.list()).map(({ event_key }) => event_key).sort()

it('ALT-01 an alert of the Alertmanager opens a case of the user of its source', async () => {
  const { admin, send, listAlerts, listCases } = await createScene()
  expect(await send(buildWebhook(buildAlert('a1')))).toMatchObject({
    status: 200,
    body: { firing: 1, resolved: 0, refused: 0 },
  })
  const [session, ...others] = await listCases()
  expect(others).toEqual([])
  expect(session).toMatchObject({ title: 'Disk a1 is full', status: 'active', client_name: 'Contoso' })
  const detail = await admin.client.ai.sessions.get({ session_id: session?.id ?? '' })
  expect(detail).toMatchObject({ asset_name: 'SRV-FILE-01', user_id: admin.id })
  expect(detail.problem_summary).toContain('97% of C: are used.')
  expect(await listAlerts()).toMatchObject([
    { verdict: 'opened', fired_count: 1, ai_session_id: session?.id, severity: 'critical', status: 'firing' },
  ])
})

it('ALT-02 32 deliveries of an alert at once open one case, and repeated ones count once', async () => {
  const { source, listAlerts, listCases } = await createScene()
  const body = buildWebhook(buildAlert('a1'), buildAlert('a2'))
  const answers = await Promise.all(Array.from({ length: 32 }, () => source.send(body)))
  expect(answers.map(({ status }) => status)).toEqual(Array(32).fill(200))
  await waitUntilSettled()
  expect(await listCases()).toHaveLength(2)
  expect((await listAlerts()).map(({ fired_count, verdict }) => [fired_count, verdict])).toEqual([
    [1, 'opened'],
    [1, 'opened'],
  ])
})

it('ALT-03 an alert joins its open case, and opens a new one when that is closed', async () => {
  const { admin, send, listAlerts, listCases } = await createScene()
  await send(buildWebhook(buildAlert('a1')))
  await send(buildWebhook(buildAlert('a1', 'firing', { startsAt: '2026-11-29T16:00:00Z' })))
  expect(await listCases()).toHaveLength(1)
  const [first] = await listAlerts()
  expect(first).toMatchObject({ fired_count: 2, verdict: 'opened' })
  await admin.client.ai.sessions.abandon({ session_id: first?.ai_session_id ?? '' })
  await send(buildWebhook(buildAlert('a1', 'firing', { startsAt: '2026-11-29T17:00:00Z' })))
  expect(await listCases()).toHaveLength(2)
  expect((await listAlerts()).map(({ fired_count }) => fired_count)).toEqual([1, 2])
})

it('ALT-04 an alert that is over is noted once in its case, which stays open', async () => {
  const { admin, send, listAlerts } = await createScene()
  await send(buildWebhook(buildAlert('a1')))
  for (let n = 0; n < 2; n++)
    expect(
      await send(buildWebhook(buildAlert('a1', 'resolved'), buildAlert('unknown', 'resolved'))),
    ).toMatchObject({
      status: 200,
      body: { firing: 0, resolved: 2 },
    })
  const [alert, ...others] = await listAlerts()
  expect(others).toEqual([])
  expect(alert).toMatchObject({ status: 'resolved', resolved_at: expect.any(String), verdict: 'opened' })
  const session = await admin.client.ai.sessions.get({ session_id: alert?.ai_session_id ?? '' })
  expect(session.status).toBe('active')
  expect(session.evidence_items).toMatchObject([
    { source: 'alert', text: 'The monitoring reports that the alert is over: Disk a1 is full' },
  ])
})

it('ALT-05 a source with a flow prepares a session of it, with the alert as supporting data', async () => {
  const account = await createAccount(service)
  const { id: tree_id } = await createFlow(account.admin)
  const source = await createSource(service, account.admin, { tree_id })
  await source.send(buildWebhook(buildAlert('a1')))
  await waitUntilSettled()
  const [alert] = await account.admin.client.alerts.list({ source_id: source.id })
  const session_id = alert?.session_id ?? ''
  expect(await account.admin.client.sessions.get({ session_id })).toMatchObject({
    state: 'prepared',
    client_name: 'Contoso',
    target_label: 'SRV-FILE-01',
  })
  await source.send(buildWebhook(buildAlert('a1', 'resolved')))
  const items = await account.admin.client.sessions.notes.listSupportingData({ session_id })
  expect(items.map(({ title }) => title)).toEqual(['Disk a1 is full', 'Alert is over'])
})

it('ALT-06 generic JSON is read by the JSON pointers of its source, and Zabbix by its parameters', async () => {
  const mapping = { alerts: '/data/items', title: '/t~1x', status: '/state', severity: '/level' }
  const { send, listAlerts } = await createScene({ format: 'json', mapping })
  const items = [
    { 't/x': 'A\u0000\u202e is\n down', state: 'DOWN', level: 3 },
    { 't/x': 'B', state: 'up' },
    { other: 1 },
  ]
  expect(await send({ data: { items } })).toMatchObject({ body: { firing: 1, resolved: 1, refused: 1 } })
  expect(await listAlerts()).toMatchObject([{ title: 'A is down', severity: '3', verdict: 'opened' }])
  const zabbix = await createScene({ format: 'zabbix' })
  const event = { event_name: 'High load', event_value: '1', event_id: 7, trigger_id: '12', host_name: 'web' }
  await zabbix.send(event)
  await zabbix.send({ ...event, event_value: 0 })
  expect(await zabbix.listAlerts()).toMatchObject([
    { title: 'High load', asset_name: 'web', status: 'resolved', fired_count: 1 },
  ])
})

it('ALT-07 an unknown, replaced or switched-off address is 404, and its secret is stored as a hash', async () => {
  const { admin, accountId, source, listAlerts } = await createScene().then((scene) => ({
    ...scene,
    accountId: scene.admin.accountId,
  }))
  const body = buildWebhook(buildAlert('a1'))
  expect((await sendTo(service, `/alerts/${'A'.repeat(43)}`)(body)).status).toBe(404)
  const { url } = await admin.client.alerts.sources.rotate({ source_id: source.id })
  expect((await source.send(body)).status).toBe(404)
  const send = sendTo(service, toPath(url))
  expect((await send(body)).status).toBe(200)
  const rows = await service.sql(
    `select * from alert_sources s join audit_logs a using (account_id) where account_id = $1`,
    [accountId],
  )
  expect(JSON.stringify(rows)).not.toContain(url.split('/').at(-1))
  await admin.client.alerts.sources.update({ source_id: source.id, is_enabled: false })
  expect((await send(body)).status).toBe(404)
  expect(await listAlerts()).toHaveLength(1)
})

it('ALT-08 a body that cannot be read is 400, and the source says why', async () => {
  const { admin, source, send, listAlerts } = await createScene()
  const deep = `${'['.repeat(40)}${']'.repeat(40)}`
  for (const body of ['', 'x', '"x"', 'null', deep, {}, { alerts: {} }])
    expect((await send(body)).status, JSON.stringify(body)).toBe(400)
  const [listed] = await admin.client.alerts.sources.list()
  expect(listed).toMatchObject({
    id: source.id,
    last_error: 'The body must have a list of alerts at /alerts',
  })
  const many = Array.from({ length: 203 }, (_, n) => buildAlert(`m${n}`, 'resolved'))
  expect(await send(buildWebhook(...many))).toMatchObject({ body: { resolved: 200, refused: 3 } })
  expect((await send('x'.repeat(600_000))).status).toBe(413)
  expect(await listAlerts()).toEqual([])
})

it('ALT-09 opens no more cases per hour than the source may, and tries again after that', async () => {
  const { admin, send, listAlerts, listCases } = await createScene({ max_cases_per_hour: 2 })
  const storm = buildWebhook(...Array.from({ length: 5 }, (_, n) => buildAlert(`s${n}`)))
  await send(storm)
  expect(await listCases()).toHaveLength(2)
  const verdicts = async () => (await listAlerts()).map(({ verdict }) => verdict).sort()
  expect(await verdicts()).toEqual(['limited', 'limited', 'limited', 'opened', 'opened'])
  expect(await listEvents(admin)).toEqual(['alert.limited', 'alert.opened', 'alert.opened'])
  await send(storm)
  expect(await listCases()).toHaveLength(2)
  await advanceClock(3601)
  await send(storm)
  expect(await verdicts()).toEqual(['limited', 'opened', 'opened', 'opened', 'opened'])
})

it('ALT-10 ignores other severities than those of the source until the alert has one of them', async () => {
  const { send, listAlerts } = await createScene({ severities: ['Critical'] })
  const warning = buildAlert('a1', 'firing', { labels: { severity: 'warning' } })
  await send(buildWebhook(warning))
  expect(await listAlerts()).toMatchObject([
    { verdict: 'ignored', reason: 'Its severity is none of those of the source' },
  ])
  await send(buildWebhook(buildAlert('a1')))
  expect(await listAlerts()).toMatchObject([{ verdict: 'opened', reason: null, severity: 'critical' }])
})

it('ALT-11 says why an alert got no case, and tries again at its next report', async () => {
  const account = await createAccount(service)
  const colleague = await account.addColleague()
  const source = await createSource(service, account.admin, { user_id: colleague.id })
  await service.sql(`update users set is_active = false where id = $1`, [colleague.id])
  await source.send(buildWebhook(buildAlert('a1')))
  await waitUntilSettled()
  const { alerts } = account.admin.client
  expect(await alerts.list()).toMatchObject([
    { verdict: 'refused', reason: 'The user of the source is deactivated' },
  ])
  await alerts.sources.update({ source_id: source.id, user_id: account.admin.id })
  await source.send(buildWebhook(buildAlert('a1')))
  await waitUntilSettled()
  expect(await alerts.list()).toMatchObject([{ verdict: 'opened' }])
})

it('ALT-12 creates, tests, changes and deletes sources, and refuses what cannot work', async () => {
  const { admin, addColleague } = await createAccount(service)
  const viewer = await addColleague({ role: 'viewer' })
  const { sources } = admin.client.alerts
  const create = (input: object) => createSource(service, admin, input)
  await expectRefusal(create({ user_id: viewer.id }), 422)
  await expectRefusal(create({ tree_id: (await createFlow(admin, { status: 'draft' })).id }), 400)
  await expectRefusal(create({ format: 'json' }), 422)
  await expectRefusal(create({ format: 'zabbix', mapping: { title: '/x' } }), 422)
  await expectRefusal(create({ format: 'json', mapping: { title: 'x' } }), 422)
  const source = await create({})
  expect(await sources.test({ source_id: source.id })).toEqual({ firing: 1, resolved: 0, refused: 0 })
  await waitUntilSettled()
  expect(await admin.client.alerts.list()).toMatchObject([
    { verdict: 'opened', title: 'Test alert of Prometheus' },
  ])
  await expectRefusal(sources.update({ source_id: source.id, mapping: { title: '/x' } }), 422)
  expect(await sources.update({ source_id: source.id, max_cases_per_hour: 3 })).toMatchObject({
    name: 'Prometheus',
    max_cases_per_hour: 3,
  })
  await sources.delete({ source_id: source.id })
  expect(await admin.client.alerts.list()).toEqual([])
  expect((await admin.client.ai.sessions.list()).length).toBe(1)
})

it('ALT-13 accepts 600 calls of a source per minute, and 1,000 new alerts per hour', async () => {
  const { source, send } = await createScene()
  await service.sql(`update alert_sources set calls = 600, counted_since = app.now() where id = $1`, [
    source.id,
  ])
  const body = buildWebhook(buildAlert('a1'))
  expect((await send(body)).status).toBe(429)
  await advanceClock(61)
  await service.sql(
    `insert into alerts (account_id, source_id, fingerprint, title, digest, state, verdict, next_attempt_at)
     select account_id, id, 'n' || n, 'Full', 'd', 'done', 'limited', null from alert_sources, generate_series(1, 1000) n where id = $1`,
    [source.id],
  )
  expect(await send(body)).toMatchObject({ status: 200, body: { firing: 0, refused: 1 } })
  expect(await send(buildWebhook(buildAlert('n7')))).toMatchObject({ body: { firing: 1, refused: 0 } })
})

it('ALT-14 a message of a stored alert that comes twice, late or alone opens one case', async () => {
  const { source, listAlerts, listCases } = await createScene()
  const [row] = await service.sql<{ id: string }>(
    `insert into alerts (account_id, source_id, fingerprint, title, digest)
     select account_id, id, 'a1', 'Disk is full', 'd' from alert_sources where id = $1 returning id`,
    [source.id],
  )
  const message = { alert_id: row?.id, attempt: 1 }
  const answers = await Promise.all(
    Array.from({ length: 32 }, () => postSignedJob(service, '/jobs/alerts/open', message)),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(await listCases()).toHaveLength(1)
  expect(await listAlerts()).toMatchObject([{ verdict: 'opened' }])
})

it('ALT-14 an alert whose message was lost gets its case by the sweep', async () => {
  const { source, listAlerts } = await createScene()
  await service.sql(
    `insert into alerts (account_id, source_id, fingerprint, title, digest)
     select account_id, id, 'a1', 'Disk is full', 'd' from alert_sources where id = $1`,
    [source.id],
  )
  await advanceClock(61)
  await waitUntilSettled()
  await expect.poll(async () => (await listAlerts())[0]?.verdict).toBe('opened')
})

it('ALT-15 the user of the source is told of the case, masked if the account masks what leaves', async () => {
  const account = await createAccount(service)
  const colleague = await account.addColleague()
  await account.admin.call('PATCH', '/accounts/me/preferences', { mask_exports: true })
  const source = await createSource(service, account.admin, { user_id: colleague.id })
  const annotations = { summary: 'Login failed, password: Tr0mbone-77 of 10.1.2.3' }
  await source.send(buildWebhook(buildAlert('a1', 'firing', { annotations })))
  await waitUntilSettled()
  expect(await listEvents(colleague)).toEqual(['alert.opened'])
  expect(await listEvents(account.admin)).toEqual([])
  const [notification] = await colleague.client.notifications.list()
  expect(notification?.title).toContain('Alert: Login failed')
  expect(JSON.stringify(notification)).not.toMatch(/Tr0mbone|10\.1\.2\.3/)
  const [session] = await colleague.client.ai.sessions.list()
  expect(notification?.link).toBe(`/pilot/${session?.id}`)
  expect(session?.user_id).toBe(colleague.id)
})

it('ALT-16 alerts of one account are seen and closed by that account alone', async () => {
  const [first, second] = [await createScene(), await createScene()]
  await first.send(buildWebhook(buildAlert('a1')))
  await second.send(buildWebhook(buildAlert('a1', 'resolved'), buildAlert('a2')))
  expect(await first.listAlerts()).toMatchObject([{ title: 'Disk a1 is full', status: 'firing' }])
  expect(await second.listAlerts()).toMatchObject([{ title: 'Disk a2 is full' }])
})

it('ALT-17 the case is that of whoever is on call, and of the user of the source while nobody may have it', async () => {
  const { admin, addColleague } = await createAccount(service)
  const nina = await addColleague()
  const schedule = await admin.client.oncall.schedules.create({
    name: 'Nights',
    timezone: 'Europe/Berlin',
    rotations: [{ kind: 'daily', members: [nina.id], handoff_time: '00:00', starts_on: '2020-01-01' }],
  })
  const flow = await createFlow(admin, { visibility: 'private' })
  const source = await createSource(service, admin, { schedule_id: schedule.id })
  const open = async (fingerprint: string, changes: object = {}) => {
    await admin.client.alerts.sources.update({ source_id: source.id, ...changes })
    await source.send(buildWebhook(buildAlert(fingerprint)))
    await waitUntilSettled()
    const [alert] = await admin.client.alerts.list()
    return alert
  }
  expect(await open('a1')).toMatchObject({ verdict: 'opened' })
  expect(await nina.client.ai.sessions.list()).toMatchObject([{ title: 'Disk a1 is full', user_id: nina.id }])
  expect(await listEvents(nina)).toContain('alert.opened')
  expect(await listEvents(admin)).not.toContain('alert.opened')
  // She cannot see the flow.
  expect(await open('a2', { tree_id: flow.id })).toMatchObject({ verdict: 'opened' })
  expect(await admin.client.sessions.list({ state: 'prepared' })).toMatchObject([{ user_id: admin.id }])
  await service.sql('update users set is_active = false where id = $1', [nina.id])
  expect(await open('a3', { tree_id: null })).toMatchObject({ verdict: 'opened' })
  expect(await admin.client.ai.sessions.list()).toMatchObject([{ title: 'Disk a3 is full' }])
  await admin.client.oncall.schedules.delete({ schedule_id: schedule.id })
  expect(await admin.client.alerts.sources.list()).toMatchObject([{ schedule_id: null }])
  const unknown = admin.client.alerts.sources.update({
    source_id: source.id,
    schedule_id: crypto.randomUUID(),
  })
  expect((await expectRefusal(unknown, 422)).errors).toMatchObject([{ loc: ['body', 'schedule_id'] }])
})

it.each([
  ['high', 1, 0],
  ['critical', 1, 0],
  ['normal', 0, 1],
  ['low', 0, 1],
] as const)(
  'ALT-18 the case of an alert of urgency %s is told by e-mail, in quiet hours at once only if it is urgent',
  async (urgency, sent, held) => {
    const { admin, send, source, id } = await createScene({ urgency })
    const days = [...weekdays].filter((day) => day !== weekdays[(new Date().getUTCDay() + 3) % 7])
    await admin.client.notifications.preferences.replace({
      quiet_hours: { days, from: '00:00', to: '00:00' },
    })
    expect(source.urgency).toBe(urgency)
    await send(buildWebhook(buildAlert('a1')))
    const rows = await service.sql<{ state: string }>(
      `select state from deliveries where account_id = $1 and event_key = 'alert.opened'`,
      [id],
    )
    expect(rows.map(({ state }) => state)).toEqual([
      ...Array(sent).fill('delivered'),
      ...Array(held).fill('held'),
    ])
    const mail = (await dashboard(service).listRecords('mail')).find(({ to }) => to.includes(admin.email))
    expect(mail !== undefined).toBe(sent === 1)
    if (mail)
      for (const text of [
        'Alert: Disk a1 is full',
        'Contoso',
        '97% of C:',
        'SRV-FILE-01',
        'Open the session',
      ])
        expect(mail.text + mail.subject).toContain(text)
  },
)
