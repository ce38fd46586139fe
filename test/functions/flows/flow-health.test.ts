import { expect, it } from 'vitest'
import { checkDueLinks } from '#functions/flows/link-checks/service.ts'
import { runJob } from '#http/job.ts'
import { sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { createFlow, printerFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { insertPlatformFlow } from '#test/support/sessions.ts'
import { createChildFlow, createParentFlow } from '#test/support/subflows.ts'

const service = await sharedService()

/** Insert finished sessions of a version of a flow that chose an option of its first step. */
function insertRuns(
  person: Person,
  treeId: string,
  count: number,
  { version = 1, option = 'yes', outcome = 'resolved', age = '1 day', treeAccountId = person.accountId } = {},
) {
  return service.sql(
    `with s as (
       insert into sessions (account_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, outcome, current_step_id, answered,
                             remaining, started_at, completed_at)
       select $1, $2, $9, $3, $4, 'x', 'completed', $6, case $5 when 'yes' then 'queue' else 'cable' end, 1, 1, now() - $7::interval,
              now() - $7::interval
         from generate_series(1, $8::integer) returning id)
     insert into session_decisions (decided_by, account_id, session_id, seq, step_id, option_id, started_at, duration_seconds)
     select $2, $1, s.id, 0, 'ping', $5, now(), 1 from s`,
    [person.accountId, person.id, treeId, version, option, outcome, age, count, treeAccountId],
  )
}

const getHealth = (person: Person, id: string) => person.client.flows.health.get({ tree_id: id })
const reasonsOf = async (person: Person, id: string) =>
  (await getHealth(person, id)).findings.map(({ reason }) => reason)

it('HEA-01 lists findings with reason, sentence, metrics and step', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin)
  await insertRuns(admin, flow.id, 25)
  expect(await getHealth(admin, flow.id)).toMatchObject({
    ...{ tree_id: flow.id, version: 1, sessions: 25, ended: 25, resolved: 25, links_checked_at: null },
    findings: [
      { reason: 'never_reached', step_id: 'works', metrics: { sessions: 25, reached: 0 } },
      {
        reason: 'dead_option',
        step_id: 'ping',
        option_id: 'no',
        message: expect.stringContaining('Nobody chose “No” in 25 answers'),
      },
    ],
  })
})

it('HEA-05 counts versions that differ in their texts alone, and none with other options or older than 90 days', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin)
  await insertRuns(admin, flow.id, 15)
  await insertRuns(admin, flow.id, 30, { age: '91 days' })
  await admin.client.flows.trees.update({
    tree_id: flow.id,
    description: 'Clearer',
    tree_structure: { ...printerFlow(), title: 'Ping it' } as never,
  })
  await insertRuns(admin, flow.id, 10, { version: 2 })
  expect(await getHealth(admin, flow.id)).toMatchObject({ version: 2, sessions: 25 })
  const { options, ...other } = printerFlow()
  const renamed = { ...other, options: options.map((option) => ({ ...option, id: `new-${option.id}` })) }
  await admin.client.flows.trees.update({ tree_id: flow.id, tree_structure: renamed as never })
  expect(await getHealth(admin, flow.id)).toMatchObject({
    sessions: 0,
    ended: 25,
    findings: [{ reason: 'not_enough_sessions' }],
  })
})

it.each([
  ['was deactivated', 'is_active = false'],
  ['became a viewer', "role = 'viewer'"],
])('HEA-06 names an author who %s', async (_, change) => {
  const { admin, addColleague } = await createAccount(service)
  const author = await addColleague()
  const flow = await createFlow(author, { visibility: 'account' })
  expect(await reasonsOf(admin, flow.id)).toEqual(['not_enough_sessions'])
  await service.sql(`update users set ${change} where id = '${author.id}'`)
  expect(await reasonsOf(admin, flow.id)).toEqual(['stale_owner', 'not_enough_sessions'])
})

it.each([
  ['was deleted', (author: Person, path: string) => author.call('DELETE', path)],
  ['is a draft again', (author: Person, path: string) => author.call('PUT', path, { status: 'draft' })],
  ['is private', (author: Person, path: string) => author.call('PUT', path, { visibility: 'private' })],
])('HEA-08 names a sub-flow that %s', async (_, change) => {
  const { admin, addColleague } = await createAccount(service)
  const author = await addColleague()
  const child = await createChildFlow(author, { visibility: 'account' })
  const flow = await createParentFlow(admin, child.id)
  expect(await reasonsOf(admin, flow.id)).toEqual(['not_enough_sessions'])
  await change(author, `/trees/${child.id}`)
  expect(await reasonsOf(admin, flow.id)).toEqual(['subflow_unavailable', 'not_enough_sessions'])
})

it('HEA-11 lists the flows with most sessions that were not resolved first, without those that the caller does not see', async () => {
  const { admin, addColleague } = await createAccount(service)
  const colleague = await addColleague()
  const [good, bad, hidden] = [
    await createFlow(admin),
    await createFlow(admin),
    await createFlow(admin, { visibility: 'private' }),
  ]
  await insertRuns(admin, good.id, 30)
  await insertRuns(admin, bad.id, 20, { outcome: 'unresolved' })
  const all = await admin.client.flows.health.list()
  expect(all.map(({ tree_id }) => tree_id)).toEqual([bad.id, ...[good.id, hidden.id].sort()])
  expect(all[0]?.findings.map(({ reason }) => reason)).toContain('low_success')
  expect((await colleague.client.flows.health.list()).map(({ tree_id }) => tree_id)).toEqual([
    bad.id,
    good.id,
  ])
  await expectRefusal(getHealth(colleague, hidden.id), 404)
})

it('HEA-12 is not readable by viewers', async () => {
  const { admin, addColleague } = await createAccount(service)
  const viewer = await addColleague({ role: 'viewer' })
  const flow = await createFlow(admin, { visibility: 'account' })
  await expectRefusal(getHealth(viewer, flow.id), 403)
  await expectRefusal(viewer.client.flows.health.list(), 403)
})

it('HEA-12 counts the sessions of the own account alone for a flow that ships with the service', async () => {
  const [{ admin }, { admin: stranger }] = [await createAccount(service), await createAccount(service)]
  const flowId = await insertPlatformFlow(service, 'troubleshooting', printerFlow())
  const { account_id: treeAccountId } = await admin.client.flows.trees.get({ tree_id: flowId })
  await insertRuns(admin, flowId, 21, { treeAccountId })
  await insertRuns(stranger, flowId, 30, { treeAccountId, option: 'no', outcome: 'unresolved' })
  const { sessions, ended, resolved, findings } = await getHealth(admin, flowId)
  expect({ sessions, ended, resolved }).toEqual({ sessions: 21, ended: 21, resolved: 21 })
  expect(findings).toContainEqual(
    expect.objectContaining({ reason: 'dead_option', option_id: 'no', metrics: { answers: 21, chosen: 0 } }),
  )
})

it('HEA-12 shows nothing of other accounts', async () => {
  const [{ admin }, { admin: stranger }] = [await createAccount(service), await createAccount(service)]
  const flow = await createFlow(admin, { visibility: 'public' })
  await expectRefusal(getHealth(stranger, flow.id), 404)
  expect(await stranger.client.flows.health.list()).toEqual([])
})

it('HEA-09 HEA-10 checks the links of published flows, again after seven days or a day after a failure', async () => {
  const { admin } = await createAccount(service)
  const { services } = service
  if (!services) throw new Error('This test needs the Node entry')
  const page = (path: string) => `${service.localOrigin}${path}`
  const flow = await createFlow(admin, {
    tree_structure: { ...printerFlow(), description: `See ${page('/desk/clock')} and ${page('/nowhere')}` },
  })
  const draft = await createFlow(admin, {
    status: 'draft',
    tree_structure: { ...printerFlow(), description: page('/nowhere') },
  })
  const run = () => runJob(services, 'cron.checkDueLinks', checkDueLinks)
  await service.sql(
    `update flow_link_checks set due_at = now() + interval '1 year' where tree_id <> '${flow.id}'`,
  )
  await run()
  const health = await getHealth(admin, flow.id)
  expect(health.links_checked_at).not.toBeNull()
  expect(health.findings[0]).toMatchObject({
    reason: 'broken_link',
    step_id: 'ping',
    url: page('/nowhere'),
    metrics: { status: 404 },
  })
  const rows = await service.sql(
    `select tree_id, round(extract(epoch from due_at - checked_at) / 86400)::integer as days from flow_link_checks where account_id = '${admin.accountId}'`,
  )
  expect(rows).toEqual([{ tree_id: flow.id, days: 1 }])
  await admin.client.flows.trees.update({ tree_id: flow.id, tree_structure: printerFlow() as never })
  expect(await service.sql(`select from flow_link_checks where account_id = '${admin.accountId}'`)).toEqual(
    [],
  )
  expect(draft.status).toBe('draft')
})

it('HEA-10 checks the flows after one whose check fails, and leaves a flow due whose turn does not come in time', async () => {
  const { admin } = await createAccount(service)
  const { services } = service
  if (!services) throw new Error('This test needs the Node entry')
  const [first, second] = [
    await createFlow(admin, {
      tree_structure: { ...printerFlow(), description: 'See https://first.invalid/' },
    }),
    await createFlow(admin, {
      tree_structure: { ...printerFlow(), description: 'See https://second.invalid/' },
    }),
  ]
  await service.sql(
    `update flow_link_checks set due_at = now() + case tree_id when $1 then interval '-2 hours' when $2 then interval '-1 hour' else '1 year' end`,
    [first.id, second.id],
  )
  const selectChecked = async () =>
    (
      await service.sql(
        'select tree_id from flow_link_checks where account_id = $1 and checked_at is not null',
        [admin.accountId],
      )
    ).map(({ tree_id }) => tree_id)
  const run = (findRefusal: (url: string) => Promise<string>, now = Date.now) =>
    runJob(services, 'cron.checkDueLinks', (ctx) => checkDueLinks({ ...ctx, now, guard: { findRefusal } }))
  let time = 0
  const refuseSlowly = async () => {
    time += 60_000
    return 'is internal'
  }
  await run(refuseSlowly, () => time)
  expect(await selectChecked()).toEqual([first.id])
  await service.sql(
    `update flow_link_checks set due_at = now() - interval '1 hour', checked_at = null where account_id = $1`,
    [admin.accountId],
  )
  const refuseOrFail = async (url: string) => {
    if (url.includes('first')) throw new Error('poison')
    return 'is internal'
  }
  await expect(run(refuseOrFail)).rejects.toThrow('poison')
  expect(await selectChecked()).toEqual([second.id])
})
