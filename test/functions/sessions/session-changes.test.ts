import { describe, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newFlow, printerForm } from '../../support/flows.ts'
import { newAccount, type Person } from '../../support/people.ts'
import { answer, newSession } from '../../support/sessions.ts'

const service = shared()
const uses = async (treeId: string) =>
  Number((await service.sql<{ usage_count: string }>('select usage_count from trees where id = $1', [treeId]))[0]?.usage_count)

async function prepare(person: Person, given: Record<string, unknown> = {}) {
  const tree_id = given.tree_id ?? (await newFlow(person)).id
  const { status, body } = await person.call('POST', '/sessions/prepare', { ...given, tree_id })
  expect(status).toBe(201)
  return body
}

describe('a prepared session', () => {
  it('SES-13 SES-27 keeps what is filled in, waits for its start and counts as a use only then', async () => {
    const { admin } = await newAccount(service)
    const intake_form = [...printerForm, { key: 'floor', label: 'Floor', type: 'number', default: 2 }]
    const { id: tree_id } = await newFlow(admin, { intake_form })
    const session = await prepare(admin, { tree_id, variables: { site: 'North' }, ticket_number: 'T-7', target_label: 'PRN-1' })
    expect(session).toMatchObject({ state: 'prepared', variables: { site: 'North' }, ticket_number: 'T-7', target_label: 'PRN-1' })
    expect([session.current_step, session.started_at, session.progress]).toEqual([null, null, { answered: 0, total: 3, percent: 0 }])
    expect((await admin.call('GET', `/sessions/${session.id}`)).body).toEqual(session)
    expect(await uses(tree_id)).toBe(0)
    const start = (variables: unknown) => admin.call('POST', `/sessions/${session.id}/start`, { variables })
    const missing = await start({})
    expect([missing.status, missing.body.errors[0].loc]).toEqual([422, ['body', 'variables', 'printer_ip']])
    expectStatus(await start({ printer_ip: 'nowhere' }), 422)
    const { status, body } = await start({ printer_ip: '::1' })
    expect([status, body.state, body.current_step_id]).toEqual([200, 'in_progress', 'ping'])
    expect(body.variables).toEqual({ site: 'North', printer_ip: '::1', floor: 2 })
    expect([body.started_at >= session.created_at, await uses(tree_id)]).toEqual([true, 1])
  })

  it('asks for nothing that it has, and starts though its flow is gone', async () => {
    const { admin } = await newAccount(service)
    const session = await prepare(admin, { variables: { printer_ip: '::1' } })
    await admin.call('DELETE', `/trees/${session.tree_id}`)
    expect((await admin.call('POST', `/sessions/${session.id}/start`)).body.state).toBe('in_progress')
  })

  it('SES-13 refuses answers that do not fit, and a draft', async () => {
    const { admin } = await newAccount(service)
    const flow = await newFlow(admin)
    const wrong = await admin.call('POST', '/sessions/prepare', { tree_id: flow.id, variables: { printer_ip: 5 } })
    expect([wrong.status, wrong.body.errors[0].loc]).toEqual([422, ['body', 'variables', 'printer_ip']])
    const draft = await newFlow(admin, { status: 'draft' })
    expect((await admin.call('POST', '/sessions/prepare', { tree_id: draft.id })).body.code).toBe('flow_not_published')
  })

  it('SES-29 starts once when 32 start it at once, with answers or without', async () => {
    const { admin } = await newAccount(service)
    const variables = { printer_ip: '::1' }
    for (const [before, given] of [
      [{}, { variables }],
      [variables, {}],
    ]) {
      const session = await prepare(admin, { variables: before })
      const answers = await Promise.all(Array.from({ length: 32 }, () => admin.call('POST', `/sessions/${session.id}/start`, given)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(31).fill(409)])
      expect(answers.find(({ status }) => status === 409)?.body.code).toBe('not_prepared')
      expect(await uses(session.tree_id)).toBe(1)
    }
  })
})

describe('variables', () => {
  it('SES-14 are merged and answered, null removing one', async () => {
    const { admin } = await newAccount(service)
    const session = await newSession(admin, { variables: { printer_ip: '::1', floor: 2, site: 'North' } })
    const patch = (given: unknown) => admin.call('PATCH', `/sessions/${session.id}/variables`, given)
    const { status, body } = await patch({ floor: 3, site: null, room: { no: 7 } })
    expect([status, body]).toEqual([200, { printer_ip: '::1', floor: 3, room: { no: 7 } }])
    expect((await patch({})).body).toEqual(body)
    expect((await admin.call('GET', `/sessions/${session.id}`)).body.variables).toEqual(body)
    for (const printer_ip of ['nowhere', null, '']) {
      const refused = await patch({ printer_ip })
      expect([refused.status, refused.body.errors[0].loc]).toEqual([422, ['body', 'printer_ip']])
    }
  })

  it('SES-14 loses none of 32 that are set at once', async () => {
    const { admin } = await newAccount(service)
    const session = await newSession(admin)
    await Promise.all(Array.from({ length: 32 }, (_, n) => admin.call('PATCH', `/sessions/${session.id}/variables`, { [`v${n}`]: n })))
    const { variables } = (await admin.call('GET', `/sessions/${session.id}`)).body
    expect(Object.keys(variables)).toHaveLength(33)
  })
})

describe('what a session is about', () => {
  it('changes as far as it is given, also when the session is over', async () => {
    const { admin } = await newAccount(service)
    const session = await newSession(admin, { ticket_number: 'T-1', client_name: 'Contoso' })
    const patch = async (given: unknown) => (await admin.call('PATCH', `/sessions/${session.id}`, given)).body
    expect(await patch({})).toEqual(session)
    expect(await patch({ ticket_number: null, notes: 'Noon' })).toEqual({ ...session, ticket_number: null, notes: 'Noon' })
    await admin.call('POST', `/sessions/${session.id}/complete`, { outcome: 'resolved' })
    expect(await patch({ next_steps: 'Order toner' })).toMatchObject({ state: 'completed', notes: 'Noon', next_steps: 'Order toner' })
  })

  it('SES-27 is given up from being prepared or in progress alone, and takes no answers from then on', async () => {
    const { admin } = await newAccount(service)
    const give = (id: string) => admin.call('PATCH', `/sessions/${id}`, { state: 'abandoned' })
    for (const session of [await newSession(admin), await prepare(admin)]) {
      const { status, body } = await give(session.id)
      expect([status, body.state, body.completed_at, body.outcome]).toEqual([200, 'abandoned', null, null])
      expect([(await give(session.id)).status, (await give(session.id)).body.code]).toEqual([409, 'not_in_progress'])
      expect((await admin.call('POST', `/sessions/${session.id}/start`)).body.code).toBe('not_prepared')
    }
    const session = await newSession(admin)
    await admin.call('POST', `/sessions/${session.id}/complete`, { outcome: 'resolved' })
    expectStatus(await give(session.id), 409)
    for (const state of ['completed', 'prepared', 'in_progress', 'paused'])
      expectStatus(await admin.call('PATCH', `/sessions/${session.id}`, { state }), 422)
  })

  it('is gone with all it holds once it is deleted', async () => {
    const { admin } = await newAccount(service)
    const session = await newSession(admin)
    await answer(admin, session, 'yes')
    await admin.call('PUT', `/sessions/${session.id}/rating`, { score: 1 })
    expectStatus(await admin.call('DELETE', `/sessions/${session.id}`), 204)
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/rating'],
      ['DELETE', ''],
    ] as const)
      expectStatus(await admin.call(method, `/sessions/${session.id}${path}`), 404)
    expect(await service.sql('select from session_decisions where session_id = $1', [session.id])).toEqual([])
  })
})

describe('who reads and changes a session', () => {
  const writes = [
    ['PATCH', '', { notes: 'x' }],
    ['PATCH', '', {}],
    ['DELETE', '', undefined],
    ['POST', '/start', {}],
    ['PATCH', '/variables', { x: 1 }],
    ['POST', '/decisions', { step_id: 'ping', option_id: 'yes' }],
    ['DELETE', '/decisions/last', undefined],
    ['POST', '/custom-steps', { source: 'ad-hoc', title: 'x' }],
    ['POST', '/complete', { outcome: 'resolved' }],
    ['POST', '/save-as-tree', { name: 'x' }],
    ['POST', '/supporting-data', { kind: 'screenshot', title: 'x' }],
  ] as const

  it('SES-28 WIR-04 lets everybody in the account read it, and its user and account admins change it', async () => {
    const account = await newAccount(service)
    const [owner, lead] = [await account.colleague(), await account.colleague({ teamRole: 'admin' })]
    const viewer = await account.colleague({ role: 'viewer', teamId: null })
    const session = await newSession(owner, {}, { visibility: 'private' })
    for (const who of [viewer, lead, account.admin]) expect((await who.call('GET', `/sessions/${session.id}`)).body).toEqual(session)
    for (const [method, path, body] of writes)
      expect([path, (await lead.call(method, `/sessions/${session.id}${path}`, body)).status]).toEqual([path, 403])
    expect((await owner.call('GET', `/sessions/${session.id}`)).body).toEqual(session)
    expect((await account.admin.call('PATCH', `/sessions/${session.id}`, { notes: 'By the admin' })).body.notes).toBe('By the admin')
    expectStatus(await account.admin.call('DELETE', `/sessions/${session.id}`), 204)
  })

  it('WIR-03 knows no session of another account', async () => {
    const [ours, theirs] = [await newAccount(service), await newAccount(service)]
    const session = await newSession(ours.admin)
    for (const [method, path, body] of [['GET', '', undefined], ...writes] as const)
      expect([path, (await theirs.admin.call(method, `/sessions/${session.id}${path}`, body)).status]).toEqual([path, 404])
    expect((await ours.admin.call('GET', `/sessions/${session.id}`)).body).toEqual(session)
  })
})
