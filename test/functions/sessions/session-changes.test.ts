import { describe, expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, printerForm } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { answerStep, createSession } from '#test/support/sessions.ts'

const service = await sharedService()
const getUsageCount = async (treeId: string) =>
  Number(
    (await service.sql<{ usage_count: string }>('select usage_count from trees where id = $1', [treeId]))[0]
      ?.usage_count,
  )

async function prepareSession(person: Person, fields: Record<string, unknown> = {}) {
  const tree_id = fields.tree_id ?? (await createFlow(person)).id
  const { status, body } = await person.call('POST', '/sessions/prepare', { ...fields, tree_id })
  expect(status).toBe(201)
  return body
}

describe('a prepared session', () => {
  it('SES-13 SES-27 prepares a session with answers, and counts a use of the flow only when the session is started', async () => {
    const { admin } = await createAccount(service)
    const intake_form = [...printerForm, { key: 'floor', label: 'Floor', type: 'number', default: 2 }]
    const { id: tree_id } = await createFlow(admin, { intake_form })
    const session = await prepareSession(admin, {
      tree_id,
      variables: { site: 'North' },
      ticket_number: 'T-7',
      target_label: 'PRN-1',
    })
    expect(session).toMatchObject({
      state: 'prepared',
      variables: { site: 'North' },
      ticket_number: 'T-7',
      target_label: 'PRN-1',
    })
    expect([session.current_step, session.started_at, session.progress]).toEqual([
      null,
      null,
      { answered: 0, total: 3, percent: 0 },
    ])
    expect(await admin.client.sessions.get({ session_id: session.id })).toEqual(session)
    expect(await getUsageCount(tree_id)).toBe(0)
    const start = (variables: unknown) => admin.call('POST', `/sessions/${session.id}/start`, { variables })
    const missing = await start({})
    expect([missing.status, missing.body.errors[0].loc]).toEqual([422, ['body', 'variables', 'printer_ip']])
    expectStatus(await start({ printer_ip: 'nowhere' }), 422)
    const { status, body } = await start({ printer_ip: '::1' })
    expect([status, body.state, body.current_step_id]).toEqual([200, 'in_progress', 'ping'])
    expect(body.variables).toEqual({ site: 'North', printer_ip: '::1', floor: 2 })
    expect([body.started_at >= session.created_at, await getUsageCount(tree_id)]).toEqual([true, 1])
  })

  it('starts a prepared session without further answers when all are stored, even after its flow was deleted', async () => {
    const { admin } = await createAccount(service)
    const session = await prepareSession(admin, { variables: { printer_ip: '::1' } })
    await admin.client.flows.trees.delete({ tree_id: session.tree_id })
    expect((await admin.client.sessions.startPrepared({ session_id: session.id })).state).toBe('in_progress')
  })

  it('SES-13 refuses to prepare a session with invalid answers or from a draft', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin)
    const invalid = await admin.call('POST', '/sessions/prepare', {
      tree_id: flow.id,
      variables: { printer_ip: 5 },
    })
    expect([invalid.status, invalid.body.errors[0].loc]).toEqual([422, ['body', 'variables', 'printer_ip']])
    const draft = await createFlow(admin, { status: 'draft' })
    expect((await admin.call('POST', '/sessions/prepare', { tree_id: draft.id })).body.code).toBe(
      'not_published',
    )
  })

  it('SES-29 starts a prepared session once for 32 concurrent requests, with or without answers', async () => {
    const { admin } = await createAccount(service)
    const variables = { printer_ip: '::1' }
    for (const [storedVariables, body] of [
      [{}, { variables }],
      [variables, {}],
    ]) {
      const session = await prepareSession(admin, { variables: storedVariables })
      const responses = await Promise.all(
        Array.from({ length: 32 }, () => admin.call('POST', `/sessions/${session.id}/start`, body)),
      )
      expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(31).fill(409)])
      expect(responses.find(({ status }) => status === 409)?.body.code).toBe('wrong_state')
      expect(await getUsageCount(session.tree_id)).toBe(1)
    }
  })
})

describe('variables', () => {
  it('SES-14 merges changed variables, returns all of them, and removes a variable set to null', async () => {
    const { admin } = await createAccount(service)
    const session = await createSession(admin, { variables: { printer_ip: '::1', floor: 2, site: 'North' } })
    const patch = (variables: unknown) => admin.call('PATCH', `/sessions/${session.id}/variables`, variables)
    const { status, body } = await patch({ floor: 3, site: null, room: { no: 7 } })
    expect([status, body]).toEqual([200, { printer_ip: '::1', floor: 3, room: { no: 7 } }])
    expect((await patch({})).body).toEqual(body)
    expect((await admin.client.sessions.get({ session_id: session.id })).variables).toEqual(body)
    for (const printer_ip of ['nowhere', null, '']) {
      const invalid = await patch({ printer_ip })
      expect([invalid.status, invalid.body.errors[0].loc]).toEqual([422, ['body', 'printer_ip']])
    }
  })

  it('SES-14 keeps all of 32 concurrent changes of the variables', async () => {
    const { admin } = await createAccount(service)
    const session = await createSession(admin)
    await Promise.all(
      Array.from({ length: 32 }, (_, n) =>
        admin.call('PATCH', `/sessions/${session.id}/variables`, { [`v${n}`]: n }),
      ),
    )
    const { variables } = await admin.client.sessions.get({ session_id: session.id })
    expect(Object.keys(variables)).toHaveLength(33)
  })
})

describe('a session', () => {
  it('updates only the session fields in the body, even after the session is completed', async () => {
    const { admin } = await createAccount(service)
    const session = await createSession(admin, { ticket_number: 'T-1', client_name: 'Contoso' })
    const patch = async (changes: unknown) =>
      (await admin.call('PATCH', `/sessions/${session.id}`, changes)).body
    expect(await patch({})).toEqual(session)
    expect(await patch({ ticket_number: null, notes: 'Noon' })).toEqual({
      ...session,
      ticket_number: null,
      notes: 'Noon',
    })
    await admin.client.sessions.steps.complete({ session_id: session.id, outcome: 'resolved' })
    expect(await patch({ next_steps: 'Order toner' })).toMatchObject({
      state: 'completed',
      notes: 'Noon',
      next_steps: 'Order toner',
    })
  })

  it('SES-27 abandons a session only while it is prepared or in progress, and refuses to start it afterwards', async () => {
    const { admin } = await createAccount(service)
    const abandon = (id: string) => admin.call('PATCH', `/sessions/${id}`, { state: 'abandoned' })
    for (const session of [await createSession(admin), await prepareSession(admin)]) {
      const { status, body } = await abandon(session.id)
      expect([status, body.state, body.completed_at, body.outcome]).toEqual([200, 'abandoned', null, null])
      expect([(await abandon(session.id)).status, (await abandon(session.id)).body.code]).toEqual([
        409,
        'wrong_state',
      ])
      expect((await admin.call('POST', `/sessions/${session.id}/start`)).body.code).toBe('wrong_state')
    }
    const session = await createSession(admin)
    await admin.client.sessions.steps.complete({ session_id: session.id, outcome: 'resolved' })
    expectStatus(await abandon(session.id), 409)
    for (const state of ['completed', 'prepared', 'in_progress', 'paused'])
      expectStatus(await admin.call('PATCH', `/sessions/${session.id}`, { state }), 422)
  })

  it('deletes a session with its answers and its rating', async () => {
    const { admin } = await createAccount(service)
    const session = await createSession(admin)
    await answerStep(admin, session, 'yes')
    await admin.client.sessions.notes.rateSession({ session_id: session.id, score: 1 })
    await admin.client.sessions.delete({ session_id: session.id })
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/rating'],
      ['DELETE', ''],
    ] as const)
      expectStatus(await admin.call(method, `/sessions/${session.id}${path}`), 404)
    expect(await service.sql('select from session_decisions where session_id = $1', [session.id])).toEqual([])
  })
})

describe('access to a session', () => {
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

  it('SES-28 WIR-04 lets everyone in the account read a session, but only its user and account admins change it', async () => {
    const account = await createAccount(service)
    const [owner, lead] = [await account.addColleague(), await account.addColleague({ teamRole: 'admin' })]
    const viewer = await account.addColleague({ role: 'viewer', teamId: null })
    const session = await createSession(owner, {}, { visibility: 'private' })
    for (const person of [viewer, lead, account.admin])
      expect(await person.client.sessions.get({ session_id: session.id })).toEqual(session)
    for (const [method, path, body] of writes)
      expect([path, (await lead.call(method, `/sessions/${session.id}${path}`, body)).status]).toEqual([
        path,
        403,
      ])
    expect(await owner.client.sessions.get({ session_id: session.id })).toEqual(session)
    expect(
      (await account.admin.client.sessions.update({ session_id: session.id, notes: 'By the admin' })).notes,
    ).toBe('By the admin')
    await account.admin.client.sessions.delete({ session_id: session.id })
  })

  it('WIR-03 returns 404 for a session of another account', async () => {
    const [ours, theirs] = [await createAccount(service), await createAccount(service)]
    const session = await createSession(ours.admin)
    for (const [method, path, body] of [['GET', '', undefined], ...writes] as const)
      expect([
        path,
        (await theirs.admin.call(method, `/sessions/${session.id}${path}`, body)).status,
      ]).toEqual([path, 404])
    expect(await ours.admin.client.sessions.get({ session_id: session.id })).toEqual(session)
  })
})
