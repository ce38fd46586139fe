import { expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newFlow } from '../../support/flows.ts'
import { makeDue, newSchedule, runsOf, scheduleBody } from '../../support/maintenance.ts'
import { newAccount, type Person } from '../../support/people.ts'
import { platformFlow, stepFlow } from '../../support/sessions.ts'

const service = shared()
const path = '/maintenance-schedules'
const refusal = async (person: Person, change: Record<string, unknown>) => {
  const { status, body } = await person.call('POST', path, await scheduleBody(person, change))
  return [status, body.code ?? body.errors?.map(({ loc }: { loc: string[] }) => loc.join('.')).join()]
}

it('keeps a schedule and says when it runs next', async () => {
  const { admin, teamId } = await newAccount(service)
  const schedule = await newSchedule(admin, { cron: ' 30  2 * * * ', timezone: 'Europe/Berlin' })
  expect(schedule).toMatchObject({ team_id: teamId, created_by: admin.id, cron: '30 2 * * *', is_active: true, last_run: null })
  expect(schedule.tree_name).toMatch(/^Printer offline/)
  const { next_runs, ...got } = (await admin.call('GET', `${path}/${schedule.id}`)).body
  expect([got, next_runs.length, next_runs[0]]).toEqual([schedule, 5, schedule.next_run_at])
  for (const [n, time] of next_runs.entries()) if (n > 0) expect(Date.parse(time)).toBeGreaterThan(Date.parse(next_runs[n - 1]))
  expect(Date.parse(schedule.next_run_at)).toBeGreaterThan(Date.now())
  expect((await admin.call('GET', path)).body).toEqual([schedule])
  expectStatus(await admin.call('DELETE', `${path}/${schedule.id}`), 204)
  expectStatus(await admin.call('GET', `${path}/${schedule.id}`), 404)
})

it('MNT-01 lets engineers and admins write, and viewers read', async () => {
  const account = await newAccount(service)
  const [engineer, viewer] = [await account.colleague(), await account.colleague({ role: 'viewer' })]
  const body = await scheduleBody(engineer)
  const { id } = (await engineer.call('POST', path, body)).body
  expectStatus(await account.admin.call('PATCH', `${path}/${id}`, { name: 'Renamed' }), 200)
  expect((await viewer.call('GET', path)).body).toHaveLength(1)
  const [one, list] = [`${path}/${id}`, `/target-lists/${body.target_list_id}`]
  expect([(await viewer.call('GET', one)).status, (await viewer.call('GET', `${one}/runs`)).status]).toEqual([200, 200])
  for (const [method, where, given] of [
    ['POST', path, body],
    ['PATCH', one, { name: 'x' }],
    ['DELETE', one, undefined],
    ['POST', `${one}/run`, undefined],
    ['POST', '/target-lists/', { name: 'x', targets: [{ label: 'x' }] }],
    ['PUT', list, { name: 'x' }],
    ['DELETE', list, undefined],
  ] as const)
    expect([where, (await viewer.call(method, where, given)).status]).toEqual([where, 403])
})

it('is seen by its team, and changed and run by who made it and admins', async () => {
  const account = await newAccount(service)
  const [maker, teammate, stranger] = [await account.colleague(), await account.colleague(), await account.colleague({ teamId: null })]
  const { id } = await newSchedule(maker)
  expect([(await teammate.call('GET', `${path}/${id}`)).status, (await stranger.call('GET', `${path}/${id}`)).status]).toEqual([200, 404])
  expect([(await stranger.call('GET', path)).body, (await stranger.call('GET', `${path}/${id}/runs`)).status]).toEqual([[], 404])
  expectStatus(await teammate.call('PATCH', `${path}/${id}`, { is_active: false }), 403)
  expect([(await teammate.call('POST', `${path}/${id}/run`)).status, (await teammate.call('DELETE', `${path}/${id}`)).status]).toEqual([
    403, 403,
  ])
  const lead = await account.colleague({ teamRole: 'admin' })
  expect((await lead.call('PATCH', `${path}/${id}`, { is_active: false })).body).toMatchObject({ is_active: false, next_run_at: null })
})

it('MNT-04 takes a published maintenance flow of the own team alone', async () => {
  const [account, other] = [await newAccount(service), await newAccount(service)]
  const { admin } = account
  const of = async (change: Record<string, unknown>) => refusal(admin, { tree_id: (await newFlow(admin, change)).id })
  expect(await of(stepFlow({ tree_type: 'procedural' }))).toEqual([400, 'not_maintenance'])
  expect(await of({})).toEqual([400, 'not_maintenance'])
  expect(await of(stepFlow({ status: 'draft' }))).toEqual([400, 'flow_not_published'])
  expect(await refusal(admin, { tree_id: (await newFlow(other.admin, stepFlow())).id })).toEqual([404, undefined])
  const starter = await platformFlow(service, 'maintenance', stepFlow().tree_structure)
  expect(await refusal(admin, { tree_id: starter })).toEqual([400, 'not_own_team'])
  expect((await admin.call('GET', path)).body).toEqual([])
})

it('takes a target list that the caller sees alone', async () => {
  const [account, other] = [await newAccount(service), await newAccount(service)]
  const north = (await account.admin.call('POST', '/teams', { name: 'North' })).body
  const engineer = await account.colleague()
  const [foreign, hidden] = [await scheduleBody(other.admin), await scheduleBody(await account.colleague({ teamId: north.id }))]
  const { id } = await newSchedule(engineer)
  for (const target_list_id of [foreign.target_list_id, hidden.target_list_id, crypto.randomUUID()]) {
    expect(await refusal(engineer, { target_list_id })).toEqual([422, 'body.target_list_id'])
    const changed = await engineer.call('PATCH', `${path}/${id}`, { target_list_id })
    expect([changed.status, changed.body.errors?.[0].loc]).toEqual([422, ['body', 'target_list_id']])
  }
})

it('MNT-05 MNT-06 refuses a cron that is none, or too often, and a zone that is none', async () => {
  const { admin } = await newAccount(service)
  for (const cron of ['@daily', '0 0 2 * * *', '0 2 * *', '0 2 L * *', '0 0 30 2 *', '*/4 * * * *', '0,58 0,23 * * *', '\u0000'])
    expect([cron, ...(await refusal(admin, { cron }))]).toEqual([cron, 422, expect.stringContaining('body.cron')])
  for (const timezone of ['Europe/Atlantis', '+01:00', 'Mars/Olympus'])
    expect(await refusal(admin, { timezone })).toEqual([422, 'body.timezone'])
  const { id } = await newSchedule(admin, { cron: '*/5 * * * *' })
  expectStatus(await admin.call('PATCH', `${path}/${id}`, { cron: '* * * * *' }), 422)
  expectStatus(await admin.call('PATCH', `${path}/${id}`, { tree_id: crypto.randomUUID() }), 422)
})

it('follows a change of its time, and stands still while it is paused', async () => {
  const { admin } = await newAccount(service)
  const schedule = await newSchedule(admin)
  const change = async (given: unknown) => (await admin.call('PATCH', `${path}/${schedule.id}`, given)).body
  expect(await change({})).toEqual(schedule)
  expect((await change({ name: 'Other' })).next_run_at).toBe(schedule.next_run_at)
  const moved = await change({ cron: '45 5 * * *', timezone: 'Asia/Kathmandu' })
  expect(moved.next_run_at.slice(10)).toBe('T00:00:00.000Z')
  expect(await change({ is_active: false })).toMatchObject({ is_active: false, next_run_at: null })
  expect((await admin.call('GET', `${path}/${schedule.id}`)).body.next_runs).toEqual([])
  expect((await change({ is_active: true })).next_run_at).toBe(moved.next_run_at)
  expect(await runsOf(admin, schedule.id)).toEqual([])
})

it('records what was due and is paused before it ran', async () => {
  const { admin } = await newAccount(service)
  const { id } = await newSchedule(admin, { is_active: false })
  await service.sql(`update maintenance_schedules set is_active = true, next_run_at = app.now() + interval '1 hour' where id = $1`, [id])
  const due_at = await makeDue(service, id)
  expect((await admin.call('PATCH', `${path}/${id}`, { is_active: false })).body.last_run).toMatchObject({ due_at, status: 'missed' })
  expect(await runsOf(admin, id)).toMatchObject([{ error: 'The schedule was paused before it ran', batch_ids: [], started_at: null }])
})

it('keeps a target list that schedules run on, and names them', async () => {
  const { admin } = await newAccount(service)
  const { id, name, target_list_id } = await newSchedule(admin)
  const { status, body } = await admin.call('DELETE', `/target-lists/${target_list_id}`)
  expect([status, body.code, body.schedules]).toEqual([409, 'in_use', [{ id, name }]])
  await admin.call('DELETE', `${path}/${id}`)
  expectStatus(await admin.call('DELETE', `/target-lists/${target_list_id}`), 204)
})

it('is off where the plan has it off', async () => {
  const { id, admin } = await newAccount(service)
  await service.sql(`update accounts set plan = 'free', subscription_status = 'active' where id = $1`, [id])
  const { status, body } = await admin.call('GET', path)
  expect([status, body.code]).toEqual([403, 'feature_disabled'])
})
