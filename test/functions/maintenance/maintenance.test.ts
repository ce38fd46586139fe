import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { createSchedule, listRuns, makeScheduleDue, scheduleBody } from '#test/support/maintenance.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { insertPlatformFlow, proceduralFlowFields } from '#test/support/sessions.ts'

const service = await sharedService()
const schedulesPath = '/maintenance-schedules'
/** Post an invalid schedule. Return the status, and the error code or the invalid fields. */
const postInvalidSchedule = async (person: Person, fields: Record<string, unknown>) => {
  const { status, body } = await person.call('POST', schedulesPath, await scheduleBody(person, fields))
  return [status, body.code ?? body.errors?.map(({ loc }: { loc: string[] }) => loc.join('.')).join()]
}

it('stores a schedule, returns its next runs, and deletes it', async () => {
  const { admin, teamId } = await createAccount(service)
  const schedule = await createSchedule(admin, { cron: ' 30  2 * * * ', timezone: 'Europe/Berlin' })
  expect(schedule).toMatchObject({
    team_id: teamId,
    created_by: admin.id,
    cron: '30 2 * * *',
    is_active: true,
    last_run: null,
  })
  expect(schedule.tree_name).toMatch(/^Printer offline/)
  const { next_runs, ...detail } = (await admin.call('GET', `${schedulesPath}/${schedule.id}`)).body
  expect([detail, next_runs.length, next_runs[0]]).toEqual([schedule, 5, schedule.next_run_at])
  for (const [n, time] of next_runs.entries())
    if (n > 0) expect(Date.parse(time)).toBeGreaterThan(Date.parse(next_runs[n - 1]))
  expect(Date.parse(schedule.next_run_at)).toBeGreaterThan(Date.now())
  expect((await admin.call('GET', schedulesPath)).body).toEqual([schedule])
  expectStatus(await admin.call('DELETE', `${schedulesPath}/${schedule.id}`), 204)
  expectStatus(await admin.call('GET', `${schedulesPath}/${schedule.id}`), 404)
})

it('MNT-01 lets engineers and admins change schedules, and viewers only read them', async () => {
  const account = await createAccount(service)
  const [engineer, viewer] = [await account.addColleague(), await account.addColleague({ role: 'viewer' })]
  const body = await scheduleBody(engineer)
  const { id } = (await engineer.call('POST', schedulesPath, body)).body
  expectStatus(await account.admin.call('PATCH', `${schedulesPath}/${id}`, { name: 'Renamed' }), 200)
  expect((await viewer.call('GET', schedulesPath)).body).toHaveLength(1)
  const [scheduleUrl, listUrl] = [`${schedulesPath}/${id}`, `/target-lists/${body.target_list_id}`]
  expect([
    (await viewer.call('GET', scheduleUrl)).status,
    (await viewer.call('GET', `${scheduleUrl}/runs`)).status,
  ]).toEqual([200, 200])
  for (const [method, url, requestBody] of [
    ['POST', schedulesPath, body],
    ['PATCH', scheduleUrl, { name: 'x' }],
    ['DELETE', scheduleUrl, undefined],
    ['POST', `${scheduleUrl}/run`, undefined],
    ['POST', '/target-lists/', { name: 'x', targets: [{ label: 'x' }] }],
    ['PUT', listUrl, { name: 'x' }],
    ['DELETE', listUrl, undefined],
  ] as const)
    expect([url, (await viewer.call(method, url, requestBody)).status]).toEqual([url, 403])
})

it('lets the team read a schedule, and only its owner and admins change, run or delete it', async () => {
  const account = await createAccount(service)
  const [owner, teammate, outsider] = [
    await account.addColleague(),
    await account.addColleague(),
    await account.addColleague({ teamId: null }),
  ]
  const { id } = await createSchedule(owner)
  expect([
    (await teammate.call('GET', `${schedulesPath}/${id}`)).status,
    (await outsider.call('GET', `${schedulesPath}/${id}`)).status,
  ]).toEqual([200, 404])
  expect([
    (await outsider.call('GET', schedulesPath)).body,
    (await outsider.call('GET', `${schedulesPath}/${id}/runs`)).status,
  ]).toEqual([[], 404])
  expectStatus(await teammate.call('PATCH', `${schedulesPath}/${id}`, { is_active: false }), 403)
  expect([
    (await teammate.call('POST', `${schedulesPath}/${id}/run`)).status,
    (await teammate.call('DELETE', `${schedulesPath}/${id}`)).status,
  ]).toEqual([403, 403])
  const lead = await account.addColleague({ teamRole: 'admin' })
  expect((await lead.call('PATCH', `${schedulesPath}/${id}`, { is_active: false })).body).toMatchObject({
    is_active: false,
    next_run_at: null,
  })
})

it('MNT-04 accepts only a published maintenance flow of the caller’s team', async () => {
  const [account, otherAccount] = [await createAccount(service), await createAccount(service)]
  const { admin } = account
  const createWithFlow = async (fields: Record<string, unknown>) =>
    postInvalidSchedule(admin, { tree_id: (await createFlow(admin, fields)).id })
  expect(await createWithFlow(proceduralFlowFields({ tree_type: 'procedural' }))).toEqual([
    400,
    'wrong_flow_type',
  ])
  expect(await createWithFlow({})).toEqual([400, 'wrong_flow_type'])
  expect(await createWithFlow(proceduralFlowFields({ status: 'draft' }))).toEqual([400, 'not_published'])
  expect(
    await postInvalidSchedule(admin, {
      tree_id: (await createFlow(otherAccount.admin, proceduralFlowFields())).id,
    }),
  ).toEqual([404, undefined])
  const platformFlowId = await insertPlatformFlow(
    service,
    'maintenance',
    proceduralFlowFields().tree_structure,
  )
  expect(await postInvalidSchedule(admin, { tree_id: platformFlowId })).toEqual([400, 'not_own_team'])
  expect((await admin.call('GET', schedulesPath)).body).toEqual([])
})

it('accepts only a target list that the caller can see', async () => {
  const [account, otherAccount] = [await createAccount(service), await createAccount(service)]
  const north = (await account.admin.call('POST', '/teams', { name: 'North' })).body
  const engineer = await account.addColleague()
  const [otherAccountBody, otherTeamBody] = [
    await scheduleBody(otherAccount.admin),
    await scheduleBody(await account.addColleague({ teamId: north.id })),
  ]
  const { id } = await createSchedule(engineer)
  for (const target_list_id of [
    otherAccountBody.target_list_id,
    otherTeamBody.target_list_id,
    crypto.randomUUID(),
  ]) {
    expect(await postInvalidSchedule(engineer, { target_list_id })).toEqual([422, 'body.target_list_id'])
    const rejected = await engineer.call('PATCH', `${schedulesPath}/${id}`, { target_list_id })
    expect([rejected.status, rejected.body.errors?.[0].loc]).toEqual([422, ['body', 'target_list_id']])
  }
})

it('MNT-05 MNT-06 rejects an invalid or too frequent cron, and an unknown time zone', async () => {
  const { admin } = await createAccount(service)
  for (const cron of [
    '@daily',
    '0 0 2 * * *',
    '0 2 * *',
    '0 2 15W * *',
    '0 0 30 2 *',
    '*/4 * * * *',
    '0,58 0,23 * * *',
    '\u0000',
  ])
    expect([cron, ...(await postInvalidSchedule(admin, { cron }))]).toEqual([
      cron,
      422,
      expect.stringContaining('body.cron'),
    ])
  for (const timezone of ['Europe/Atlantis', '+01:00', 'Mars/Olympus'])
    expect(await postInvalidSchedule(admin, { timezone })).toEqual([422, 'body.timezone'])
  const { id } = await createSchedule(admin, { cron: '*/5 * * * *' })
  expectStatus(await admin.call('PATCH', `${schedulesPath}/${id}`, { cron: '* * * * *' }), 422)
  expectStatus(await admin.call('PATCH', `${schedulesPath}/${id}`, { tree_id: crypto.randomUUID() }), 422)
})

it('MNT-12 returns a warning for a cron that limits both day fields', async () => {
  const { admin } = await createAccount(service)
  const schedule = await createSchedule(admin, { cron: '0 2 8-14 * 2' })
  const changed = await admin.call('PATCH', `${schedulesPath}/${schedule.id}`, { cron: '0 2 * * 2#2' })
  expect([schedule.warnings, changed.body.warnings]).toEqual([[expect.stringContaining('2#2')], []])
})

it('moves the next run when the cron or time zone changes, and returns no next run while paused', async () => {
  const { admin } = await createAccount(service)
  const schedule = await createSchedule(admin)
  const updateSchedule = async (changes: unknown) =>
    (await admin.call('PATCH', `${schedulesPath}/${schedule.id}`, changes)).body
  expect(await updateSchedule({})).toEqual(schedule)
  expect((await updateSchedule({ name: 'Other' })).next_run_at).toBe(schedule.next_run_at)
  const rescheduled = await updateSchedule({ cron: '45 5 * * *', timezone: 'Asia/Kathmandu' })
  expect(rescheduled.next_run_at.slice(10)).toBe('T00:00:00.000Z')
  expect(await updateSchedule({ is_active: false })).toMatchObject({ is_active: false, next_run_at: null })
  expect((await admin.call('GET', `${schedulesPath}/${schedule.id}`)).body.next_runs).toEqual([])
  expect((await updateSchedule({ is_active: true })).next_run_at).toBe(rescheduled.next_run_at)
  expect(await listRuns(admin, schedule.id)).toEqual([])
})

it('records a due run as missed when the schedule is paused', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createSchedule(admin, { is_active: false })
  await service.sql(
    `update maintenance_schedules set is_active = true, next_run_at = app.now() + interval '1 hour' where id = $1`,
    [id],
  )
  const due_at = await makeScheduleDue(service, id)
  expect(
    (await admin.call('PATCH', `${schedulesPath}/${id}`, { is_active: false })).body.last_run,
  ).toMatchObject({
    due_at,
    status: 'missed',
  })
  expect(await listRuns(admin, id)).toMatchObject([
    { error: 'The schedule was paused before it ran', batch_ids: [], started_at: null },
  ])
})

it('refuses to change the times of a schedule with more due times than one request reads, but changes its name', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createSchedule(admin, { cron: '*/5 * * * *' })
  const updateSchedule = (changes: object) => admin.call('PATCH', `${schedulesPath}/${id}`, changes)
  await makeScheduleDue(service, id, 10_000 * 5 + 1)
  await service.sql('update maintenance_schedules set timed_since = next_run_at where id = $1', [id])
  const { status, body } = await updateSchedule({ is_active: false })
  expect([status, body.code]).toEqual([409, 'schedule_busy'])
  expectStatus(await updateSchedule({ name: 'Other' }), 200)
})

it('returns 409 with the schedules that use a target list when the list is deleted', async () => {
  const { admin } = await createAccount(service)
  const { id, name, target_list_id } = await createSchedule(admin)
  const { status, body } = await admin.call('DELETE', `/target-lists/${target_list_id}`)
  expect([status, body.code, body.schedules]).toEqual([409, 'in_use', [{ id, name }]])
  await admin.call('DELETE', `${schedulesPath}/${id}`)
  expectStatus(await admin.call('DELETE', `/target-lists/${target_list_id}`), 204)
})

it('returns 403 when the plan does not include schedules', async () => {
  const { id, admin } = await createAccount(service)
  await service.sql(`update accounts set plan = 'free', subscription_status = 'active' where id = $1`, [id])
  const { status, body } = await admin.call('GET', schedulesPath)
  expect([status, body.code]).toEqual([403, 'feature_disabled'])
})
