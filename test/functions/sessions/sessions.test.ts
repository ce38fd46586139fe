import { describe, expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { createFlow, printerFlow, printerForm } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'
import { createSession, insertPlatformFlow } from '#test/support/sessions.ts'

const service = await sharedService()
const selectUsageCounts = async (treeId: string) =>
  (await service.sql<{ usage_count: string }>('select usage_count from trees where id = $1', [treeId])).map(
    (row) => Number(row.usage_count),
  )

describe('starting a session', () => {
  it('SES-27 SES-30 starts a session at the first step, with placeholders filled from the answers', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin, { category: 'Printing', description: 'Offline' })
    const body = {
      tree_id: flow.id,
      ticket_number: 'T-1',
      client_name: 'Contoso',
      variables: { printer_ip: '10.0.8.21', floor: [2] },
    }
    const { status, body: session } = await admin.call('POST', '/sessions', body)
    expect(status).toBe(201)
    expect(session).toEqual({
      id: session.id,
      account_id: admin.accountId,
      team_id: admin.teamId,
      user_id: admin.id,
      user_name: admin.fullName,
      tree_id: flow.id,
      state: 'in_progress',
      ticket_number: 'T-1',
      client_name: 'Contoso',
      variables: body.variables,
      tree_snapshot: {
        name: flow.name,
        description: 'Offline',
        category: 'Printing',
        version: 1,
        tree_type: 'troubleshooting',
        tree_structure: flow.tree_structure,
        intake_form: flow.intake_form,
      },
      outcome: null,
      notes: null,
      next_steps: null,
      flow_overdue_since: null,
      batch_id: null,
      target_label: null,
      exported_at: null,
      assigned_at: null,
      completed_at: null,
      decisions: [],
      custom_steps: [],
      fallback_decisions: [],
      progress: { answered: 0, total: 3, percent: 0 },
      current_step_id: 'ping',
      current_step: {
        id: 'ping',
        type: 'decision',
        title: 'Does 10.0.8.21 answer a ping?',
        description: 'Run `ping 10.0.8.21`.',
        options: [
          { id: 'yes', label: 'Yes' },
          { id: 'no', label: 'No' },
        ],
        fallback_steps: [],
        section_headers: [],
        section_title: null,
        group_label: null,
        estimated_minutes: null,
        script_template_id: null,
        subflow: null,
        attachments: [],
        evidence: [],
        approval: null,
        timer: null,
      },
      parent_session_id: null,
      parent_step_id: null,
      subflow_session_id: null,
      procedure_end: null,
      timer_due_at: null,
      started_at: session.created_at,
      created_at: session.created_at,
    })
    expect(await admin.client.sessions.get({ session_id: session.id })).toEqual(session)
  })

  it('FLO-27 accepts any id for the root node', async () => {
    const { admin } = await createAccount(service)
    const tree_structure = { ...printerFlow(), id: '01-Anfang' }
    const session = await createSession(admin, {}, { tree_structure })
    expect(session.current_step_id).toBe('01-Anfang')
    const body = { step_id: '01-Anfang', option_id: 'no' }
    expect(
      (await admin.client.sessions.steps.recordDecision({ session_id: session.id, ...body })).current_step_id,
    ).toBe('cable')
  })

  it('SES-30 reports each missing and each invalid answer, and creates nothing', async () => {
    const { admin } = await createAccount(service)
    const intake_form = [
      ...printerForm,
      { key: 'floor', label: 'Floor', type: 'number', min: 0 },
      { key: 'ring', label: 'Ring', type: 'text' },
    ]
    const { id } = await createFlow(admin, { intake_form })
    const listErrorPaths = async (variables: unknown) =>
      (await admin.call('POST', '/sessions', { tree_id: id, variables })).body.errors.map(
        (error: { loc: string[] }) => error.loc.join('.'),
      )
    expect(await listErrorPaths({})).toEqual(['body.variables.printer_ip'])
    expect(await listErrorPaths(undefined)).toEqual(['body.variables.printer_ip'])
    expect(await listErrorPaths({ printer_ip: ' ', floor: 3 })).toEqual(['body.variables.printer_ip'])
    expect(await listErrorPaths({ printer_ip: 'PRN-1', floor: '3', ring: 1 })).toEqual([
      'body.variables.printer_ip',
      'body.variables.floor',
      'body.variables.ring',
    ])
    expect(await listErrorPaths({ printer_ip: '::1', floor: -1 })).toEqual(['body.variables.floor'])
    expect(await admin.client.sessions.list()).toEqual([])
    expect(await selectUsageCounts(id)).toEqual([0])
  })

  it('fills missing answers with the defaults', async () => {
    const { admin } = await createAccount(service)
    const intake_form = [{ ...printerForm[0], default: '10.0.0.9' }]
    expect((await createSession(admin, { variables: { x: null } }, { intake_form })).variables).toEqual({
      printer_ip: '10.0.0.9',
      x: null,
    })
  })

  it('returns 400 for a session of a draft, and 404 for a session of an invisible or deleted flow', async () => {
    const [account, otherAccount] = [await createAccount(service), await createAccount(service)]
    const start = async (tree_id: string, variables = { printer_ip: '::1' }) => {
      const { status, body } = await account.admin.call('POST', '/sessions', { tree_id, variables })
      return [status, body.code]
    }
    const draft = await createFlow(account.admin, { status: 'draft' })
    const foreignFlow = await createFlow(otherAccount.admin, { visibility: 'public' })
    const hiddenFlow = await createFlow(await account.addColleague(), { visibility: 'private' })
    const deletedFlow = await createFlow(account.admin)
    await account.admin.client.flows.trees.delete({ tree_id: deletedFlow.id })
    expect(await start(draft.id)).toEqual([400, 'not_published'])
    for (const { id } of [foreignFlow, hiddenFlow, deletedFlow])
      expect(await start(id)).toEqual([404, undefined])
  })

  it('FLO-04 SES-29 counts each of 32 concurrent starts of a flow, and a start of a platform flow', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createFlow(admin)
    const responses = await Promise.all(
      Array.from({ length: 32 }, () =>
        admin.call('POST', '/sessions', { tree_id: id, variables: { printer_ip: '::1' } }),
      ),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(32).fill(201))
    expect(await selectUsageCounts(id)).toEqual([32])
    expect((await admin.client.flows.trees.get({ tree_id: id })).usage_count).toBe(32)
    const platformFlowId = await insertPlatformFlow(service, 'troubleshooting', printerFlow())
    const session = await createSession(admin, { tree_id: platformFlowId })
    expect([session.account_id, session.tree_id, await selectUsageCounts(platformFlowId)]).toEqual([
      admin.accountId,
      platformFlowId,
      [1],
    ])
  })

  it('rejects more than 200 variables, and variables of more than 64 KB', async () => {
    const { admin } = await createAccount(service)
    const { id: tree_id } = await createFlow(admin)
    const tooManyVariables = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`k${n}`, n]))
    for (const variables of [tooManyVariables, { note: 'x'.repeat(65_536) }])
      await expectRefusal(
        admin.client.sessions.start({ tree_id, variables: { printer_ip: '::1', ...variables } }),
        422,
      )
    const session = await createSession(admin, {
      tree_id,
      variables: { printer_ip: '::1', note: 'x'.repeat(60_000) },
    })
    const { status, body } = await admin.call('PATCH', `/sessions/${session.id}/variables`, {
      more: 'x'.repeat(6000),
    })
    expect([status, body.errors[0].type]).toEqual([422, 'too_big'])
  })
})

describe('the flow of a session', () => {
  it('SES-05 keeps the snapshot of a session’s flow when the flow is changed, unpublished or deleted', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin, { category: 'Printing', description: 'Before' })
    const session = await createSession(admin, { tree_id: flow.id })
    const changes = {
      name: 'Other',
      description: 'After',
      category: 'Other',
      tree_structure: { ...printerFlow().children[1], title: 'Gone' },
    }
    expect((await admin.call('PUT', `/trees/${flow.id}`, changes)).body.version).toBe(2)
    await admin.client.flows.categories.rename({ category_id: flow.category_id, name: 'Printers' })
    const path = `/sessions/${session.id}`
    expect(await admin.client.sessions.get({ session_id: session.id })).toEqual(session)
    await admin.client.flows.trees.update({ tree_id: flow.id, status: 'draft' })
    await admin.client.flows.trees.delete({ tree_id: flow.id })
    expect(await admin.client.sessions.get({ session_id: session.id })).toEqual(session)
    const [{ tree_snapshot }] = (await admin.call('GET', '/sessions')).body
    expect([tree_snapshot.name, tree_snapshot.category, tree_snapshot.version]).toEqual([
      flow.name,
      'Printing',
      1,
    ])
    const { status, body } = await admin.call('POST', `${path}/decisions`, {
      step_id: 'ping',
      option_id: 'no',
    })
    expect([status, body.current_step_id]).toEqual([201, 'cable'])
  })
})
