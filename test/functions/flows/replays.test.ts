import { describe, expect, it } from 'vitest'
import { readChecksums } from '#test/contract/row-checksums.ts'
import { createKey } from '#test/support/api-keys.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, printerFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { answerStep, createSession } from '#test/support/sessions.ts'
import { createChildFlow, createParentFlow, procedureWithSubflow, startRun } from '#test/support/subflows.ts'

const service = await sharedService()

const replay = (person: Person, treeId: string, body: object = {}) =>
  person.call('POST', `/trees/${treeId}/replay`, body)
const play = async (person: Person, treeId: string, body: object = {}) =>
  expectStatus(await replay(person, treeId, body), 200).body

/** Complete a session of the flow with these answers, and return its id. */
async function completeRun(person: Person, tree_id: string, ...choices: string[]): Promise<string> {
  let session = await createSession(person, { tree_id })
  for (const choice of choices) session = await answerStep(person, session, choice)
  await person.client.sessions.steps.complete({ session_id: session.id, outcome: 'resolved' })
  return session.id
}

/** Return the printer flow with other options of its decision. */
const withOptions = (...options: object[]) => ({ ...printerFlow(), options })
const noOption = { id: 'no', label: 'No', next_node_id: 'cable' }

describe('a replay', () => {
  it('REP-01 REP-04 plays the completed runs of the published version through a draft, and stores nothing', async () => {
    const { admin, id } = await createAccount(service)
    const flow = await createFlow(admin)
    const same = await completeRun(admin, flow.id, 'no', 'done')
    const broken = await completeRun(admin, flow.id, 'yes', 'done', 'done')
    await createSession(admin, { tree_id: flow.id })
    const options = [noOption, { id: 'maybe', label: 'Maybe', next_node_id: 'queue' }]
    const draft = { tree_structure: withOptions(...options), status: 'draft' }
    expectStatus(await admin.call('PUT', `/trees/${flow.id}`, draft), 200)
    const before = await readChecksums(service, id)
    const body = await play(admin, flow.id)
    expect(await readChecksums(service, id)).toEqual(before)
    expect(body).toMatchObject({
      tree_id: flow.id,
      version: 2,
      base_version: 1,
      runs: 2,
      unchanged: 1,
      ends_elsewhere: 0,
      asks_new: 0,
      breaks: 1,
    })
    expect(body.steps[0]).toEqual({
      step_id: 'ping',
      old_step_id: 'ping',
      title: 'Does {{printer_ip}} answer a ping?',
      matched_by: 'id',
      runs: 2,
      ends_elsewhere: 0,
      asks_new: 0,
      breaks: 1,
      example_runs: [{ session_id: broken, result: 'breaks', answer: 'yes' }],
    })
    expect(JSON.stringify(body)).not.toContain(same)
  })

  it('REP-01 REP-02 plays them through a structure that was not saved, also with new ids', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin)
    await completeRun(admin, flow.id, 'no', 'done')
    await completeRun(admin, flow.id, 'yes')
    const text = JSON.stringify(printerFlow()).replaceAll(/"(ping|queue|works|cable|yes|no)"/g, '"new-$1"')
    const body = await play(admin, flow.id, { tree_structure: JSON.parse(text) })
    expect(body).toMatchObject({ version: null, base_version: 1, runs: 2, unchanged: 2 })
    expect(body.steps).toMatchObject(
      ['ping', 'queue', 'works', 'cable'].map((step) => ({
        step_id: `new-${step}`,
        old_step_id: step,
        matched_by: 'content',
      })),
    )
    const wrongType = { steps: [{ id: 'end', type: 'procedure_end', title: 'Done' }] }
    expect((await replay(admin, flow.id, { tree_structure: wrongType })).status).toBe(422)
    const both = { version: 1, tree_structure: printerFlow() }
    expect((await replay(admin, flow.id, both)).status).toBe(422)
    const twice = withOptions(noOption)
    Object.assign(twice.children[0] as object, { id: 'cable' })
    expect(await replay(admin, flow.id, { tree_structure: twice })).toMatchObject({
      status: 400,
      body: { code: 'flow_invalid' },
    })
  })

  it('REP-01 follows the outcome of a sub-flow to the option that it chooses now', async () => {
    const { admin } = await createAccount(service)
    const child = await createChildFlow(admin)
    const flow = await createParentFlow(admin, child.id)
    const parent = await startRun(admin, flow.id)
    const subflow = await admin.client.sessions.subflows.start({ session_id: parent.id })
    await admin.client.sessions.steps.complete({ session_id: subflow.id, outcome: 'resolved' })
    await admin.client.sessions.steps.complete({ session_id: parent.id, outcome: 'resolved' })
    expect(await play(admin, flow.id, { tree_structure: procedureWithSubflow(child.id) })).toMatchObject({
      runs: 1,
      unchanged: 1,
    })
    expect(await play(admin, child.id, { tree_structure: child.tree_structure })).toMatchObject({
      runs: 1,
      unchanged: 1,
    })
  })

  it('REP-03 plays the newest 500 runs of 90 days, of versions with the same steps', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin)
    const run = await completeRun(admin, flow.id, 'no')
    const repeat = (days: number, count: number) =>
      service.sql(
        `insert into sessions (account_id, team_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, outcome, current_step_id,
                               remaining, started_at, completed_at)
         select account_id, team_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, outcome, 'ping', 3,
                app.now() - make_interval(days => $2, secs => n), app.now()
           from sessions, generate_series(1, $3) n where id = $1`,
        [run, days, count],
      )
    await repeat(91, 3)
    expect((await play(admin, flow.id, { tree_structure: printerFlow() })).runs).toBe(1)
    const renamed = { ...printerFlow(), title: 'Does {{printer_ip}} answer?' }
    expectStatus(await admin.call('PUT', `/trees/${flow.id}`, { tree_structure: renamed }), 200)
    await repeat(1, 510)
    expect(await play(admin, flow.id, { tree_structure: renamed })).toMatchObject({
      base_version: 2,
      runs: 500,
      unchanged: 500,
    })
  })

  it('REP-04 is for engineers who can read the flow, and has nothing to play for one that was never published', async () => {
    const [{ admin, addColleague }, { admin: stranger }] = [
      await createAccount(service),
      await createAccount(service),
    ]
    const draft = await createFlow(admin, { status: 'draft', visibility: 'account' })
    const hidden = await createFlow(admin, { visibility: 'private' })
    const [viewer, engineer] = [await addColleague({ role: 'viewer' }), await addColleague()]
    expect((await replay(viewer, draft.id)).status).toBe(403)
    expect((await replay(engineer, hidden.id)).status).toBe(404)
    expect((await replay(stranger, draft.id)).status).toBe(404)
    expect((await replay(engineer, draft.id, { version: 7 })).status).toBe(404)
    expect(await play(engineer, draft.id)).toMatchObject({ base_version: null, runs: 0, unchanged: 0 })
    const empty = await createFlow(admin, { status: 'draft', tree_structure: null, intake_form: [] })
    expect(await replay(admin, empty.id)).toMatchObject({ status: 400, body: { code: 'flow_empty' } })
  })
})

/** Return a flow of 3 MB: decisions of 100 long options each, with ids that end with `mark`. */
function longOptionsFlow(mark: string) {
  const decide = (id: string, below: object[]): object => ({
    id,
    type: 'decision',
    title: `Question ${id}`,
    options: Array.from({ length: 100 }, (_, n) => ({
      id: `${n}${mark}`,
      label: `${n} ${'ä'.repeat(280)}`,
      next_node_id: (below[n === 0 ? 1 : 0] as { id: string }).id,
    })),
    children: below,
  })
  const end = (id: string) => ({ id, type: 'solution', title: 'End' })
  const chain = (name: string, length: number): object =>
    length === 0
      ? end(name)
      : decide(`${name}-${length}`, [end(`${name}-${length}-end`), chain(name, length - 1)])
  return decide('root', [chain('left', 24), chain('right', 24)])
}

describe('publishing with a replay', () => {
  const change = (options: object[], fields: object = {}) => ({
    tree_structure: withOptions(...options),
    replay: true,
    ...fields,
  })
  const renamed = [
    { ...noOption, label: 'Not at all' },
    { id: 'maybe', label: 'Maybe', next_node_id: 'queue' },
  ]
  const readReplays = async (person: Person, id: string) =>
    (await person.client.flows.versions.list({ tree_id: id })).map(({ replay }) => replay)

  it('REP-05 stores the counts with the version, for its list and its detail', async () => {
    const { admin, id: accountId } = await createAccount(service)
    const flow = await createFlow(admin)
    await completeRun(admin, flow.id, 'no', 'done')
    await completeRun(admin, flow.id, 'yes', 'done', 'done')
    expectStatus(await admin.call('PUT', `/trees/${flow.id}`, change(renamed)), 200)
    expectStatus(await admin.call('PUT', `/trees/${flow.id}`, { name: 'Without a replay' }), 200)
    const counts = { runs: 2, unchanged: 1, ends_elsewhere: 0, asks_new: 0, breaks: 1 }
    expect(await readReplays(admin, flow.id)).toEqual([null, { base_version: 1, ...counts }, null])
    const detail = await admin.client.flows.versions.get({ tree_id: flow.id, version: 2 })
    expect(detail.replay).toEqual({ base_version: 1, ...counts })
    const stored = await service.sql(
      'select replay from tree_versions where account_id = $1 and replay is not null',
      [accountId],
    )
    expect(stored).toEqual([{ replay: { base_version: 1, ...counts } }])
  })

  it('REP-05 has no counts for a flow that was never published', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin, { status: 'draft' })
    const published = await admin.call('PUT', `/trees/${flow.id}`, { status: 'published', replay: true })
    expect(expectStatus(published, 200).body.version).toBe(2)
    expect(await readReplays(admin, flow.id)).toEqual([null, null])
  })

  it('REP-06 is refused for a draft, without a change and for a key that cannot read sessions', async () => {
    const account = await createAccount(service)
    const { admin } = account
    const flow = await createFlow(admin, { visibility: 'account' })
    const put = (person: Person, body: object) => person.call('PUT', `/trees/${flow.id}`, body)
    for (const body of [{ replay: true }, change(renamed, { status: 'draft' })])
      expect(await put(admin, body)).toMatchObject({
        status: 422,
        body: { errors: [{ loc: ['body', 'replay'] }] },
      })
    const writer = await createKey(service, account, { role: 'admin', scopes: ['flows:write'] })
    expectStatus(await put(writer, change(renamed)), 403)
    const reader = await createKey(service, account, {
      role: 'admin',
      scopes: ['flows:write', 'sessions:read'],
    })
    expectStatus(await put(reader, change(renamed)), 200)
    expect(await readReplays(admin, flow.id)).toMatchObject([{ runs: 0, unchanged: 0 }, null])
  })

  it('REP-06 does not prevent publishing what takes too much work to replay', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin, { tree_structure: longOptionsFlow('a'), intake_form: [] })
    const next = { tree_structure: longOptionsFlow('b'), replay: true }
    expectStatus(await admin.call('PUT', `/trees/${flow.id}`, next), 200)
    expect(await readReplays(admin, flow.id)).toEqual([null, null])
  })
})
