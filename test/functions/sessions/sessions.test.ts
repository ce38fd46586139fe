import { describe, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newFlow, printerFlow, printerForm } from '../../support/flows.ts'
import { newAccount } from '../../support/people.ts'
import { newSession, platformFlow } from '../../support/sessions.ts'

const service = shared()
const uses = async (treeId: string) =>
  (await service.sql<{ usage_count: string }>('select usage_count from trees where id = $1', [treeId])).map((row) =>
    Number(row.usage_count),
  )

describe('starting a session', () => {
  it('SES-27 SES-30 begins at the first step, filled from the answers', async () => {
    const { admin } = await newAccount(service)
    const flow = await newFlow(admin, { category: 'Printing', description: 'Offline' })
    const body = { tree_id: flow.id, ticket_number: 'T-1', client_name: 'Contoso', variables: { printer_ip: '10.0.8.21', floor: [2] } }
    const { status, body: session } = await admin.call('POST', '/sessions', body)
    expect(status).toBe(201)
    expect(session).toEqual({
      ...{ id: session.id, account_id: admin.accountId, team_id: admin.teamId, user_id: admin.id, user_name: admin.fullName },
      ...{ tree_id: flow.id, state: 'in_progress', ticket_number: 'T-1', client_name: 'Contoso', variables: body.variables },
      tree_snapshot: {
        ...{ name: flow.name, description: 'Offline', category: 'Printing', version: 1, tree_type: 'troubleshooting' },
        ...{ tree_structure: flow.tree_structure, intake_form: flow.intake_form },
      },
      ...{ outcome: null, notes: null, next_steps: null, batch_id: null, target_label: null, exported_at: null, completed_at: null },
      ...{ decisions: [], custom_steps: [], fallback_decisions: [], progress: { answered: 0, total: 3, percent: 0 } },
      current_step_id: 'ping',
      current_step: {
        ...{ id: 'ping', type: 'decision', title: 'Does 10.0.8.21 answer a ping?', description: 'Run `ping 10.0.8.21`.' },
        options: [
          { id: 'yes', label: 'Yes' },
          { id: 'no', label: 'No' },
        ],
        fallback_steps: [],
      },
      started_at: session.created_at,
      created_at: session.created_at,
    })
    expect((await admin.call('GET', `/sessions/${session.id}`)).body).toEqual(session)
  })

  it('FLO-27 runs a flow whose root has any id', async () => {
    const { admin } = await newAccount(service)
    const tree_structure = { ...printerFlow(), id: '01-Anfang' }
    const session = await newSession(admin, {}, { tree_structure })
    expect(session.current_step_id).toBe('01-Anfang')
    const body = { step_id: '01-Anfang', option_id: 'no' }
    expect((await admin.call('POST', `/sessions/${session.id}/decisions`, body)).body.current_step_id).toBe('cable')
  })

  it('SES-30 names each required answer that is missing and each that does not fit, and creates nothing', async () => {
    const { admin } = await newAccount(service)
    const intake_form = [
      ...printerForm,
      { key: 'floor', label: 'Floor', type: 'number', min: 0 },
      { key: 'ring', label: 'Ring', type: 'text' },
    ]
    const { id } = await newFlow(admin, { intake_form })
    const errors = async (variables: unknown) =>
      (await admin.call('POST', '/sessions', { tree_id: id, variables })).body.errors.map((error: { loc: string[] }) => error.loc.join('.'))
    expect(await errors({})).toEqual(['body.variables.printer_ip'])
    expect(await errors(undefined)).toEqual(['body.variables.printer_ip'])
    expect(await errors({ printer_ip: ' ', floor: 3 })).toEqual(['body.variables.printer_ip'])
    expect(await errors({ printer_ip: 'PRN-1', floor: '3', ring: 1 })).toEqual([
      'body.variables.printer_ip',
      'body.variables.floor',
      'body.variables.ring',
    ])
    expect(await errors({ printer_ip: '::1', floor: -1 })).toEqual(['body.variables.floor'])
    expect((await admin.call('GET', '/sessions')).body).toEqual([])
    expect(await uses(id)).toEqual([0])
  })

  it('fills what is not answered with the defaults', async () => {
    const { admin } = await newAccount(service)
    const intake_form = [{ ...printerForm[0], default: '10.0.0.9' }]
    expect((await newSession(admin, { variables: { x: null } }, { intake_form })).variables).toEqual({ printer_ip: '10.0.0.9', x: null })
  })

  it('refuses a draft as 400, and a flow that is out of sight or gone as 404', async () => {
    const [account, other] = [await newAccount(service), await newAccount(service)]
    const start = async (tree_id: string, variables = { printer_ip: '::1' }) => {
      const { status, body } = await account.admin.call('POST', '/sessions', { tree_id, variables })
      return [status, body.code]
    }
    const draft = await newFlow(account.admin, { status: 'draft' })
    const foreign = await newFlow(other.admin, { visibility: 'public' })
    const hidden = await newFlow(await account.colleague(), { visibility: 'private' })
    const gone = await newFlow(account.admin)
    await account.admin.call('DELETE', `/trees/${gone.id}`)
    expect(await start(draft.id)).toEqual([400, 'flow_not_published'])
    for (const { id } of [foreign, hidden, gone]) expect(await start(id)).toEqual([404, undefined])
  })

  it('FLO-04 SES-29 counts every one of 32 starts at once, and a platform flow’s too', async () => {
    const { admin } = await newAccount(service)
    const { id } = await newFlow(admin)
    const answers = await Promise.all(
      Array.from({ length: 32 }, () => admin.call('POST', '/sessions', { tree_id: id, variables: { printer_ip: '::1' } })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(32).fill(201))
    expect(await uses(id)).toEqual([32])
    expect((await admin.call('GET', `/trees/${id}`)).body.usage_count).toBe(32)
    const starter = await platformFlow(service, 'troubleshooting', printerFlow())
    const session = await newSession(admin, { tree_id: starter })
    expect([session.account_id, session.tree_id, await uses(starter)]).toEqual([admin.accountId, starter, [1]])
  })

  it('refuses more than 200 variables, or 64 KB of them', async () => {
    const { admin } = await newAccount(service)
    const { id: tree_id } = await newFlow(admin)
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`k${n}`, n]))
    for (const variables of [many, { note: 'x'.repeat(65_536) }])
      expectStatus(await admin.call('POST', '/sessions', { tree_id, variables: { printer_ip: '::1', ...variables } }), 422)
    const session = await newSession(admin, { tree_id, variables: { printer_ip: '::1', note: 'x'.repeat(60_000) } })
    const { status, body } = await admin.call('PATCH', `/sessions/${session.id}/variables`, { more: 'x'.repeat(6000) })
    expect([status, body.errors[0].type]).toEqual([422, 'too_big'])
  })
})

describe('what a session was started with', () => {
  it('SES-05 stays as it was when the flow is changed, taken back and deleted', async () => {
    const { admin } = await newAccount(service)
    const flow = await newFlow(admin, { category: 'Printing', description: 'Before' })
    const session = await newSession(admin, { tree_id: flow.id })
    const change = {
      name: 'Other',
      description: 'After',
      category: 'Other',
      tree_structure: { ...printerFlow().children[1], title: 'Gone' },
    }
    expect((await admin.call('PUT', `/trees/${flow.id}`, change)).body.version).toBe(2)
    await admin.call('PUT', `/categories/${flow.category_id}`, { name: 'Printers' })
    const path = `/sessions/${session.id}`
    expect((await admin.call('GET', path)).body).toEqual(session)
    await admin.call('PUT', `/trees/${flow.id}`, { status: 'draft' })
    await admin.call('DELETE', `/trees/${flow.id}`)
    expect((await admin.call('GET', path)).body).toEqual(session)
    const [{ tree_snapshot }] = (await admin.call('GET', '/sessions')).body
    expect([tree_snapshot.name, tree_snapshot.category, tree_snapshot.version]).toEqual([flow.name, 'Printing', 1])
    const { status, body } = await admin.call('POST', `${path}/decisions`, { step_id: 'ping', option_id: 'no' })
    expect([status, body.current_step_id]).toEqual([201, 'cable'])
  })
})
