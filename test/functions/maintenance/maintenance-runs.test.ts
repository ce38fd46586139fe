import { afterAll, expect, it } from 'vitest'
import { createKey } from '#test/support/api-keys.ts'
import { startOwnService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import {
  buildTargets,
  createSchedule,
  listMaintenanceNotifications,
  listRuns,
  makeScheduleDue,
  runMaintenanceTick,
} from '#test/support/maintenance.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { answerStep } from '#test/support/sessions.ts'

// A tick runs the due schedules of every account, so this file needs its own service.
const service = await startOwnService()
afterAll(() => service.close())

const schedulesPath = '/maintenance-schedules'
const countSessions = async ({ accountId }: Person) =>
  (await service.sql('select from sessions where account_id = $1', [accountId])).length
/** Make a schedule due and run a tick. Return the due time and the last run of the schedule. */
const runWhenDue = async (person: Person, id: string, minutesAgo = 1) => {
  const due_at = await makeScheduleDue(service, id, minutesAgo)
  await runMaintenanceTick(service)
  return { due_at, last_run: (await person.call('GET', `${schedulesPath}/${id}`)).body.last_run }
}

it('MNT-03 creates one session per target for the owner of a due schedule, and notifies the owner', async () => {
  const account = await createAccount(service)
  const engineer = await account.addColleague()
  const { id, tree_id, next_run_at } = await createSchedule(engineer)
  const { due_at } = await runWhenDue(engineer, id)
  const [run, ...otherRuns] = await listRuns(account.admin, id)
  expect([run, otherRuns]).toMatchObject([
    { schedule_id: id, due_at, trigger: 'scheduled', status: 'created', error: null, session_count: 2 },
    [],
  ])
  expect(Date.parse(run.started_at)).toBeGreaterThanOrEqual(Date.parse(due_at))
  const sessions = (await engineer.call('GET', `/sessions?batch_id=${run.batch_ids[0]}`)).body
  expect(sessions.map(({ target_label }: { target_label: string }) => target_label).sort()).toEqual([
    'SRV-0',
    'SRV-1',
  ])
  for (const session of sessions)
    expect(session).toMatchObject({
      user_id: engineer.id,
      team_id: account.teamId,
      tree_id,
      state: 'prepared',
      account_id: account.id,
    })
  expect((await engineer.call('GET', `${schedulesPath}/${id}`)).body).toMatchObject({
    next_run_at,
    last_run: { id: run.id, status: 'created' },
  })
  expect(
    (await listMaintenanceNotifications(engineer)).map(({ event_key, body }) => [event_key, body]),
  ).toEqual([['maintenance.batch_created', '2 sessions are waiting.']])
  expect(await listMaintenanceNotifications(account.admin)).toEqual([])
})

it('KEY-08 runs the schedule of a key, until the key is revoked', async () => {
  const account = await createAccount(service)
  const key = await createKey(service, account, { team_id: account.teamId })
  const { id } = await createSchedule(key)
  expect((await runWhenDue(key, id)).last_run).toMatchObject({ status: 'created', error: null })
  expectStatus(await account.admin.call('DELETE', `/api-keys/${key.id}`), 204)
  expect((await runWhenDue(account.admin, id, 0)).last_run).toMatchObject({
    status: 'failed',
    error: 'The owner of the schedule is deactivated',
  })
})

it('MNT-03 creates no sessions for a paused schedule', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createSchedule(admin, { is_active: false })
  await runMaintenanceTick(service)
  expect([await listRuns(admin, id), await countSessions(admin)]).toEqual([[], 0])
})

it('MNT-10 splits a run with more than 100 targets into batches of at most 100', async () => {
  const { admin } = await createAccount(service)
  const getBatchSizes = async (run: { batch_ids: string[] }) =>
    Promise.all(
      run.batch_ids.map(
        async (batchId) => (await service.sql('select from sessions where batch_id = $1', [batchId])).length,
      ),
    )
  for (const [targetCount, expectedSizes] of [
    [250, [100, 100, 50]],
    [100, [100]],
    [500, [100, 100, 100, 100, 100]],
  ] as const) {
    const { id } = await createSchedule(admin, {}, buildTargets(targetCount))
    await runWhenDue(admin, id)
    const [run] = await listRuns(admin, id)
    expect([run.session_count, await getBatchSizes(run)]).toEqual([targetCount, expectedSizes])
  }
})

it('counts the sessions of a run by state and outcome', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createSchedule(admin, {}, buildTargets(3))
  await runWhenDue(admin, id)
  const [{ batch_ids }] = await listRuns(admin, id)
  const [first, second] = (await admin.call('GET', `/sessions?batch_id=${batch_ids[0]}`)).body
  await answerStep(admin, (await admin.call('POST', `/sessions/${first.id}/start`)).body, 'done')
  await admin.call('POST', `/sessions/${first.id}/complete`, { outcome: 'resolved' })
  await admin.call('PATCH', `/sessions/${second.id}`, { state: 'abandoned' })
  expect(await listRuns(admin, id)).toMatchObject([
    {
      by_state: { prepared: 1, in_progress: 0, completed: 1, abandoned: 1 },
      by_outcome: { resolved: 1, unresolved: 0, escalated: 0, cancelled: 0 },
    },
  ])
})

it('runs a schedule on request, even a paused one, and the caller owns the sessions', async () => {
  const account = await createAccount(service)
  const engineer = await account.addColleague()
  const { id } = await createSchedule(engineer, { is_active: false })
  const { status, body } = await account.admin.call('POST', `${schedulesPath}/${id}/run`)
  expect([status, body.session_count, body.batch_ids.length]).toEqual([201, 2, 1])
  expect(await listRuns(engineer, id)).toMatchObject([
    { id: body.run_id, trigger: 'manual', status: 'created', batch_ids: body.batch_ids },
  ])
  expect((await engineer.call('GET', `/sessions?batch_id=${body.batch_ids[0]}`)).body[0].user_id).toBe(
    account.admin.id,
  )
  expect(await listMaintenanceNotifications(engineer)).toMatchObject([
    { event_key: 'maintenance.batch_created' },
  ])
  // Another caller within 10 seconds would get 409.
  await service.sql(
    "update maintenance_runs set started_at = started_at - interval '1 minute' where schedule_id = $1",
    [id],
  )
  const key = { 'idempotency-key': 'one' }
  const [first, repeated] = [
    await engineer.call('POST', `${schedulesPath}/${id}/run`, undefined, key),
    await engineer.call('POST', `${schedulesPath}/${id}/run`, undefined, key),
  ]
  expect([first.status, repeated.body]).toEqual([201, first.body])
  expect(await listRuns(engineer, id)).toHaveLength(2)
})

it('MNT-11 makes one run of 32 concurrent requests: each caller gets their own run again, and others get 409', async () => {
  const account = await createAccount(service)
  const callers = [
    account.admin,
    ...(await Promise.all([1, 2, 3].map(() => account.addColleague({ role: 'admin' })))),
  ]
  const { id } = await createSchedule(account.admin)
  const path = `${schedulesPath}/${id}/run`
  const responses = await runConcurrently((caller) => (callers[caller % 4] as Person).call('POST', path))
  expect(countByStatus(responses)).toEqual({ 200: 7, 201: 1, 409: 24 })
  const [run, ...otherRuns] = await listRuns(account.admin, id)
  expect([otherRuns, await countSessions(account.admin)]).toEqual([[], 2])
  const created = { run_id: run.id, batch_ids: run.batch_ids, session_count: 2 }
  for (const { status, body } of responses) {
    if (status === 409) expect(body).toMatchObject({ code: 'already_started', run_id: run.id })
    else expect(body).toEqual(created)
  }
  await service.sql(
    "update maintenance_runs set started_at = started_at - interval '11 seconds' where schedule_id = $1",
    [id],
  )
  expect((await account.admin.call('POST', path)).status).toBe(201)
})

it('returns 400 with the reason when a manual run fails, and creates nothing', async () => {
  const { admin } = await createAccount(service)
  const { id, tree_id } = await createSchedule(admin, {}, [
    ...buildTargets(101),
    { label: 'BARE', variables: { server: 'not a host' } },
  ])
  const runInvalid = async () => {
    const { status, body } = await admin.call('POST', `${schedulesPath}/${id}/run`)
    return [status, body.code, body.detail]
  }
  expect(await runInvalid()).toEqual([400, 'invalid_targets', expect.stringMatching(/^BARE: Server: /)])
  await admin.call('PUT', `/trees/${tree_id}`, { status: 'draft' })
  expect(await runInvalid()).toEqual([400, 'not_published', expect.any(String)])
  expect([await listRuns(admin, id), await countSessions(admin)]).toEqual([[], 0])
})

it('refuses a manual run when the caller no longer sees the target list', async () => {
  const account = await createAccount(service)
  const owner = await account.addColleague()
  const list = await account.admin.client.maintenance.targetLists.create({
    name: 'Servers',
    targets: buildTargets(1),
  })
  const { id } = await createSchedule(owner, { target_list_id: list.id })
  const team = await account.admin.client.accounts.teams.create({ name: 'Night shift' })
  await account.admin.client.accounts.teams.assignMember({
    team_id: team.id,
    user_id: owner.id,
    team_role: 'member',
  })
  const { status, body } = await owner.call('POST', `${schedulesPath}/${id}/run`)
  expect([status, body.code]).toEqual([400, 'no_target_list'])
})

it('MNT-14 records three failed runs with their reason, and notifies the owner and the admin once, and again a day later', async () => {
  const account = await createAccount(service)
  const engineer = await account.addColleague()
  const { id, tree_id } = await createSchedule(engineer)
  await account.admin.call('PUT', `/trees/${tree_id}`, { status: 'draft' })
  for (let n = 0; n < 3; n++) {
    await service.sql(
      "update maintenance_runs set due_at = due_at - interval '1 hour' where schedule_id = $1",
      [id],
    )
    expect((await runWhenDue(engineer, id)).last_run).toMatchObject({
      status: 'failed',
      error: 'Only a published flow can be run',
    })
    await runMaintenanceTick(service)
  }
  expect([(await listRuns(engineer, id)).length, await countSessions(engineer)]).toEqual([3, 0])
  for (const person of [engineer, account.admin])
    expect(await listMaintenanceNotifications(person)).toMatchObject([
      { event_key: 'maintenance.run_failed', body: 'Only a published flow can be run' },
    ])
  await service.sql("update maintenance_runs set due_at = due_at - interval '1 day' where schedule_id = $1", [
    id,
  ])
  await runWhenDue(engineer, id)
  expect(await listMaintenanceNotifications(engineer)).toHaveLength(2)
  await account.admin.call('PUT', `/trees/${tree_id}`, { status: 'published' })
  await service.sql(
    "update maintenance_runs set due_at = due_at - interval '1 hour' where schedule_id = $1",
    [id],
  )
  expect((await runWhenDue(engineer, id)).last_run).toMatchObject({ status: 'created' })
})

it.each([
  [
    'the flow is deleted',
    'Flow not found',
    async (_: Person, { tree_id }: { tree_id: string }, admin: Person) =>
      admin.call('DELETE', `/trees/${tree_id}`),
  ],
  [
    'a target lacks an answer',
    'BARE: Server: an answer is required (and 1 more)',
    async (owner: Person, { target_list_id }: { target_list_id: string }) =>
      owner.call('PUT', `/target-lists/${target_list_id}`, {
        targets: [...buildTargets(150), { label: 'BARE' }, { label: 'NONE' }],
      }),
  ],
  [
    'the owner is deactivated',
    'The owner of the schedule is deactivated',
    async ({ id }: Person) => service.sql('update users set is_active = false where id = $1', [id]),
  ],
  [
    'the owner is a viewer',
    'The owner of the schedule is a viewer and may not run flows',
    async ({ id }: Person) => service.sql(`update users set role = 'viewer' where id = $1`, [id]),
  ],
  [
    'the owner left the team',
    'The owner of the schedule is no longer in its team',
    async ({ id }: Person) =>
      service.sql('update users set team_id = null, team_role = null where id = $1', [id]),
  ],
  [
    'the flow is private to another user',
    'The owner of the schedule can no longer see the flow',
    async (_: Person, { tree_id }: { tree_id: string }, { id }: Person) =>
      service.sql(`update trees set visibility = 'private', author_id = $2 where id = $1`, [tree_id, id]),
  ],
  [
    'the subscription has lapsed',
    'The subscription of the account has lapsed',
    async ({ accountId }: Person) =>
      service.sql(`update accounts set subscription_status = 'unpaid' where id = $1`, [accountId]),
  ],
  [
    'the feature is off',
    'Maintenance schedules are switched off for the account',
    async ({ accountId }: Person) =>
      service.sql(
        `insert into feature_overrides (account_id, feature, enabled) values ($1, 'maintenance_schedules', false)`,
        [accountId],
      ),
  ],
] as const)('records a failed run and notifies the admin when %s', async (_, error, causeFailure) => {
  const account = await createAccount(service)
  const owner = await account.addColleague()
  const schedule = await createSchedule(owner)
  await causeFailure(owner, schedule, account.admin)
  const due_at = await makeScheduleDue(service, schedule.id)
  await runMaintenanceTick(service)
  const runs = await service.sql(
    'select due_at, status, error, started_at from maintenance_runs where schedule_id = $1',
    [schedule.id],
  )
  expect(runs).toEqual([{ due_at: new Date(due_at), status: 'failed', error, started_at: expect.any(Date) }])
  expect(await countSessions(owner)).toBe(0)
  const notifications = await service.sql('select body from notifications where user_id = $1', [
    account.admin.id,
  ])
  expect(notifications).toEqual([{ body: error }])
})
