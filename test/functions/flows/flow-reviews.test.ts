import { describe, expect, it } from 'vitest'
import { createKey } from '#test/support/api-keys.ts'
import { dashboard, sharedService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, printerFlow } from '#test/support/flows.ts'
import { postSignedJob } from '#test/support/jobs.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'
import { createSession } from '#test/support/sessions.ts'

const service = await sharedService()

const sweep = () => postSignedJob(service, '/jobs/notifications/sweep')
const setMonths = (account: TestAccount, flow_review_months: number | null) =>
  account.admin.call('PATCH', '/accounts/me', { flow_review_months })
const readReview = async (person: Person, id: string) =>
  expectStatus(await person.call('GET', `/trees/${id}/review`), 200).body
const patchReview = (person: Person, id: string, body: object) =>
  person.call('PATCH', `/trees/${id}/review`, body)
const confirm = (person: Person, id: string) => person.call('POST', `/trees/${id}/review/confirm`)
/** Set when a flow was first published, which is what its first review follows. */
const setPublished = (id: string, time: string) =>
  service.sql('update trees set published_at = $2 where id = $1', [id, time])
const makeOverdue = (...ids: string[]) =>
  service.sql(
    `update trees set review_months = 6, published_at = app.now() - interval '7 months' where id = any ($1::uuid[])`,
    [ids],
  )
const listEvents = (accountId: string) =>
  service.sql<{ title: string; body: string; caused_by: string | null }>(
    `select title, body, caused_by from events where account_id = $1 and key = 'flow.review_due' order by id`,
    [accountId],
  )
const listTitles = async (person: Person) =>
  (await person.call('GET', '/notifications')).body
    .filter(({ event_key }: { event_key: string }) => event_key === 'flow.review_due')
    .map(({ title }: { title: string }) => title)
const names = ({ body }: { body: { name: string }[] }) => body.map(({ name }) => name).toSorted()

describe('FLO-72 the day of a review', () => {
  it('follows the interval of the account, or of the flow, and an evergreen, private or unpublished flow has none', async () => {
    const account = await createAccount(service)
    const { id } = await createFlow(account.admin)
    await setPublished(id, '2026-01-31T12:00:00Z')
    const readDay = async () => (await readReview(account.admin, id)).due_on
    expect(await readDay()).toBeNull()
    expectStatus(await setMonths(account, 1), 200)
    expect(await readDay()).toBe('2026-02-28')
    expect(expectStatus(await patchReview(account.admin, id, { months: 12 }), 200).body).toMatchObject({
      months: 12,
      due_on: '2027-01-31',
      is_overdue: false,
    })
    await setMonths(account, 2)
    expect(await readDay()).toBe('2027-01-31')
    await setMonths(account, null)
    expect(await readDay()).toBe('2027-01-31')
    await patchReview(account.admin, id, { is_evergreen: true })
    expect(await readDay()).toBeNull()
    await patchReview(account.admin, id, { is_evergreen: false })
    expect(await readDay()).toBe('2027-01-31')
    for (const change of [{ visibility: 'private' }, { visibility: 'team', status: 'draft' }]) {
      expectStatus(await account.admin.call('PUT', `/trees/${id}`, change), 200)
      expect(await readDay()).toBeNull()
    }
    expectStatus(await account.admin.call('PUT', `/trees/${id}`, { status: 'published' }), 200)
    expect(await readDay()).toBe('2027-01-31')
  })

  it('is one of the time zone of the account, and follows it', async () => {
    const account = await createAccount(service)
    await setMonths(account, 1)
    const { id } = await createFlow(account.admin)
    await setPublished(id, '2026-03-01T20:00:00Z')
    expect((await readReview(account.admin, id)).due_on).toBe('2026-04-01')
    await account.admin.call('PATCH', '/accounts/me', { timezone: 'Asia/Tokyo' })
    expect((await readReview(account.admin, id)).due_on).toBe('2026-04-02')
    const [row] = await service.sql(
      'select app.iso(review_notice_at) as notice_at from trees where id = $1',
      [id],
    )
    expect(row).toEqual({ notice_at: '2026-04-01T23:00:00.000Z' })
  })

  it('does not move when a new version is published, nor when the flow runs', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createFlow(admin)
    await makeOverdue(id)
    await createSession(admin, { tree_id: id })
    expectStatus(await admin.call('PUT', `/trees/${id}`, { tree_structure: printerFlow() }), 200)
    expect(await readReview(admin, id)).toMatchObject({ is_overdue: true, reviewed_at: null })
  })
})

describe('FLO-73 a review', () => {
  it('is confirmed by the owner, the author and the admins, and by nobody else', async () => {
    const account = await createAccount(service)
    const [author, owner, other] = [
      await account.addColleague(),
      await account.addColleague(),
      await account.addColleague(),
    ]
    const { id } = await createFlow(author)
    expect((await readReview(author, id)).owner).toEqual({ id: author.id, name: author.fullName })
    expectStatus(await patchReview(author, id, { owner_id: owner.id, months: 3 }), 200)
    expectStatus(await confirm(other, id), 403)
    const key = await createKey(service, account)
    expect((await key.call('POST', `/trees/${id}/review/confirm`)).status).toBe(403)
    for (const person of [owner, author, account.admin]) {
      const { body } = expectStatus(await confirm(person, id), 200)
      expect(body).toMatchObject({ reviewed_by: { id: person.id }, is_overdue: false })
      expect(body.due_on > body.reviewed_at.slice(0, 10)).toBe(true)
    }
    const [entry] = await service.sql<{ actor_id: string; changes: object }>(
      `select actor_id, changes from audit_logs where account_id = $1 and action = 'flow_review.updated' order by id desc limit 1`,
      [account.id],
    )
    expect(entry).toMatchObject({
      actor_id: account.admin.id,
      changes: { reviewed_by: { to: account.admin.id } },
    })
    await service.sql(`update users set role = 'viewer' where id = $1`, [owner.id])
    expectStatus(await confirm(owner, id), 403)
    await service.sql(`update users set role = 'engineer' where id = $1`, [owner.id])
    expectStatus(await confirm(owner, id), 200)
  })

  it('has an owner who can work and sees the flow; whoever may not change the flow changes nothing', async () => {
    const account = await createAccount(service)
    const stranger = await createAccount(service)
    const [colleague, viewer, elsewhere] = [
      await account.addColleague(),
      await account.addColleague(),
      await account.addColleague(),
    ]
    await service.sql(`update users set role = 'viewer' where id = $1`, [viewer.id])
    await service.sql('update users set team_id = null, team_role = null where id = $1', [elsewhere.id])
    const { id } = await createFlow(account.admin)
    expectStatus(await account.admin.call('PUT', `/trees/${id}`, { visibility: 'team' }), 200)
    for (const owner_id of [viewer.id, elsewhere.id, stranger.admin.id, crypto.randomUUID()]) {
      const refused = expectStatus(await patchReview(account.admin, id, { owner_id }), 422)
      expect(refused.body.errors[0].loc).toEqual(['body', 'owner_id'])
    }
    expectStatus(await patchReview(colleague, id, { owner_id: colleague.id }), 403)
    expectStatus(await patchReview(elsewhere, id, { owner_id: elsewhere.id }), 404)
    expectStatus(await patchReview(account.admin, id, { months: 61 }), 422)
    expectStatus(await setMonths(account, 0), 422)
    const { body: unchanged } = expectStatus(await patchReview(account.admin, id, {}), 200)
    expect(unchanged).toMatchObject({ owner: { id: account.admin.id }, months: null })
    expectStatus(await account.admin.call('PUT', `/trees/${id}`, { status: 'draft' }), 200)
    expect(expectStatus(await confirm(account.admin, id), 409).body.code).toBe('wrong_state')
  })

  it('shows what happened since the last one', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createFlow(admin)
    const session = await createSession(admin, { tree_id: id })
    await admin.client.sessions.steps.complete({ session_id: session.id, outcome: 'unresolved' })
    const replay = { base_version: 1, runs: 1, unchanged: 1, ends_elsewhere: 0, asks_new: 0, breaks: 0 }
    await createSession(admin, { tree_id: id })
    expect((await readReview(admin, id)).since_review).toEqual({
      runs: 2,
      ended: 1,
      resolved: 0,
      replay: null,
      open_findings: 0,
    })
    const change = { tree_structure: printerFlow(), name: 'Printer', replay: true }
    expectStatus(await admin.call('PUT', `/trees/${id}`, change), 200)
    expect((await readReview(admin, id)).since_review.replay).toMatchObject({ ...replay, runs: 1 })
    await service.sql(`update trees set reviewed_at = app.now() + interval '1 second' where id = $1`, [id])
    expect((await readReview(admin, id)).since_review).toMatchObject({ runs: 0, ended: 0, replay: null })
  })
})

describe('FLO-75 whoever reviews flows', () => {
  it('is told once on the day and once a week later, in one message, however many processes sweep', async () => {
    const account = await createAccount(service)
    const [owner, other] = [await account.addColleague(), await account.addColleague()]
    const flows = [
      await createFlow(owner, { name: 'VPN' }),
      await createFlow(owner, { name: 'Disk' }),
      await createFlow(other, { name: 'Mail' }),
    ]
    await createSession(owner, { tree_id: flows[0]?.id })
    await makeOverdue(...flows.map(({ id }) => id))
    await runConcurrently(sweep, 4)
    await sweep()
    expect((await listEvents(account.id)).map(({ title }) => title).toSorted()).toEqual([
      '2 flows need a review',
      'Is this flow still right? Mail',
    ])
    expect(await listTitles(owner)).toEqual(['2 flows need a review'])
    expect(await listTitles(account.admin)).toEqual([])
    const [event] = await service.sql<{ body: string }>(
      `select body from events where account_id = $1 and caused_by = $2`,
      [account.id, owner.id],
    )
    expect(event?.body).toMatch(/^Due \d+ \w+ 2\d{3}: /)
    expect(event?.body).toContain('VPN. Run once since the last review.')
    expect(event?.body).toContain('Disk. Not run since the last review.')
    await service.sql(`update trees set review_notice_at = app.now() where account_id = $1`, [account.id])
    await sweep()
    await service.sql(
      `update trees set review_notice_at = app.now() where account_id = $1 and review_notice_at is not null`,
      [account.id],
    )
    await sweep()
    expect(await listTitles(owner)).toHaveLength(2)
  })

  it('of many flows reads the ten that are overdue longest', async () => {
    const { admin, id: accountId } = await createAccount(service)
    const ids = []
    for (let n = 0; n < 12; n++) ids.push((await createFlow(admin, { name: `Flow ${n}` })).id)
    await makeOverdue(...ids)
    await service.sql(`update trees set published_at = published_at - interval '1 month' where id = $1`, [
      ids[11],
    ])
    await sweep()
    const [event] = await listEvents(accountId)
    expect(event?.title).toBe('12 flows need a review')
    expect(event?.body.split('\n')).toHaveLength(11)
    expect(event?.body).toMatch(/^Due [\w ]+: Flow 11\./)
    expect(event?.body).toMatch(/\n2 more are in the app\.$/)
  })

  it('is an admin of the team or account if its owner cannot work, does not see it, or was taken off', async () => {
    const account = await createAccount(service)
    const [viewer, moved, author] = [
      await account.addColleague(),
      await account.addColleague(),
      await account.addColleague(),
    ]
    const [first, second, third] = [
      await createFlow(viewer, { name: 'First', visibility: 'team' }),
      await createFlow(author, { name: 'Second', visibility: 'team' }),
      await createFlow(author, { name: 'Third', visibility: 'team' }),
    ]
    expectStatus(await patchReview(account.admin, second.id, { owner_id: moved.id }), 200)
    expectStatus(await patchReview(account.admin, third.id, { owner_id: null }), 200)
    await service.sql(`update users set role = 'viewer' where id = $1`, [viewer.id])
    await service.sql('update users set team_id = null, team_role = null where id = $1', [moved.id])
    await makeOverdue(first.id, second.id, third.id)
    await sweep()
    for (const person of [viewer, moved, author]) expect(await listTitles(person)).toEqual([])
    expect(await listTitles(account.admin)).toEqual(['3 flows need a review'])
  })

  it('is told at once when they become the owner of an overdue flow', async () => {
    const account = await createAccount(service)
    const next = await account.addColleague()
    const { id } = await createFlow(account.admin)
    await makeOverdue(id)
    await sweep()
    expectStatus(await patchReview(account.admin, id, { owner_id: next.id }), 200)
    await sweep()
    expect(await listTitles(next)).toHaveLength(1)
  })
})

describe('FLO-76 an overdue review', () => {
  it('is shown in the flow, the list, the run and the weekly report until it is confirmed', async () => {
    const account = await createAccount(service)
    const { admin } = account
    const flow = await createFlow(admin, { name: 'Overdue' })
    await createFlow(admin, { name: 'Fresh' })
    await setMonths(account, 60)
    await makeOverdue(flow.id)
    expect(names(await admin.call('GET', '/trees?review=overdue'))).toEqual(['Overdue'])
    expectStatus(await admin.call('GET', '/trees?review=late'), 422)
    const { body: shown } = await admin.call('GET', `/trees/${flow.id}`)
    expect(shown.review).toMatchObject({ owner: { id: admin.id }, is_overdue: true, months: 6 })
    const session = await createSession(admin, { tree_id: flow.id })
    expect(session).toMatchObject({ flow_overdue_since: shown.review.due_on })
    const readWeek = async () =>
      (await admin.call('GET', `/reports/weekly?team_id=${account.teamId}`)).body as {
        overdue_reviews: object
        summary: string[]
      }
    const report = await readWeek()
    expect(report.overdue_reviews).toEqual({
      count: 1,
      flows: [{ tree_id: flow.id, name: 'Overdue', due_on: shown.review.due_on }],
    })
    expect(report.summary.at(-1)).toMatch(
      /^The review of 1 flow is overdue: “Overdue” since \d+ \w+ \d{4}\.$/,
    )
    expectStatus(await confirm(admin, flow.id), 200)
    expect(names(await admin.call('GET', '/trees?review=overdue'))).toEqual([])
    expect((await admin.call('GET', `/sessions/${session.id}`)).body.flow_overdue_since).toBeNull()
    expect((await readWeek()).overdue_reviews).toEqual({ count: 0, flows: [] })
  })

  it('is null for a flow that ships with the service, and shown of no flow that the reader does not see', async () => {
    const account = await createAccount(service)
    const colleague = await account.addColleague()
    const [starter] = await service.sql<{ id: string }>(
      `select id from trees where account_id = app.platform_account() and status = 'published' and deleted_at is null limit 1`,
      [],
    )
    expect((await account.admin.call('GET', `/trees/${starter?.id}`)).body.review).toBeNull()
    expectStatus(await account.admin.call('GET', `/trees/${starter?.id}/review`), 404)
    expectStatus(await confirm(account.admin, starter?.id ?? ''), 403)
    const hidden = await createFlow(account.admin, { visibility: 'team' })
    await makeOverdue(hidden.id)
    await service.sql('update users set team_id = null, team_role = null where id = $1', [colleague.id])
    expect(names(await colleague.call('GET', '/trees?review=overdue'))).toEqual([])
    expectStatus(await colleague.call('GET', `/trees/${hidden.id}/review`), 404)
    expectStatus(await confirm(colleague, hidden.id), 404)
  })
})

it('FLO-74 the mail lists each flow with its link', async () => {
  const account = await createAccount(service)
  const { id } = await createFlow(account.admin, { name: 'Reset the switch' })
  await account.admin.call('PATCH', '/accounts/me/preferences', { mask_exports: true })
  await makeOverdue(id)
  await sweep()
  await dashboard(service).waitForLink(account.admin.email, /api\/v1(\/review-links\/[\w.-]+)/)
})
