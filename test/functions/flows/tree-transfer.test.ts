import { describe, expect, it } from 'vitest'
import { contentFields } from '#rules/flows/rfflow.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, patchForm, patchProcedure, printerFlow } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const contentNames = [...Object.keys(contentFields), 'tree_structure', 'intake_form']
const pickContent = (flow: Record<string, unknown>) =>
  Object.fromEntries(contentNames.map((name) => [name, flow[name]]))

describe('the export and import of flow files', () => {
  it('FLO-36 FLO-55 exports a flow as a versioned JSON envelope, in a file named after the flow', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin, {
      name: 'Drücker “offline” / 2',
      category: 'Printing',
      tags: ['printer'],
    })
    const { status, headers, text } = await admin.call('GET', `/trees/${flow.id}/export`)
    const envelope = JSON.parse(text)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="drucker-offline-2.rfflow"; filename*=UTF-8''dr%C3%BCcker-offline-2.rfflow`,
    )
    expect(envelope).toEqual({
      rfflow_version: '1.0',
      exported_at: envelope.exported_at,
      generator: 'support-flow-service',
      flow: { ...pickContent(flow), version: 1 },
    })
    expect(text).not.toContain(admin.id)
    expect(text).not.toContain(admin.accountId)
  })

  it('FLO-37 FLO-38 FLO-40 imports a flow as a draft that reuses the account’s category and tags and records its origin', async () => {
    const [ours, theirs] = [await createAccount(service), await createAccount(service)]
    const procedural = { tree_type: 'procedural', tree_structure: patchProcedure(), intake_form: patchForm }
    const flow = await createFlow(theirs.admin, {
      ...procedural,
      category: 'Servers',
      tags: ['Windows', 'patch'],
    })
    const existing = await createFlow(ours.admin, { category: 'SERVERS', tags: ['windows'] })
    const envelope = JSON.parse((await theirs.admin.call('GET', `/trees/${flow.id}/export`)).text)
    const { status, body } = await ours.admin.call('POST', '/trees/import', envelope)
    expect([status, body]).toEqual([
      201,
      {
        tree_id: body.tree_id,
        name: flow.name,
        status: 'draft',
        category_created: false,
        tags_created: ['patch'],
        warnings: [],
      },
    ])
    const imported = (await ours.admin.call('GET', `/trees/${body.tree_id}`)).body
    expect(imported).toMatchObject({
      category_id: existing.category_id,
      category: 'SERVERS',
      status: 'draft',
      author_id: ours.admin.id,
    })
    expect(pickContent(imported)).toEqual({ ...pickContent(flow), category: 'SERVERS' })
    expect(imported.import_metadata).toMatchObject({
      source: 'rfflow',
      rfflow_version: '1.0',
      exported_at: envelope.exported_at,
      version: 1,
    })
  })

  it('FLO-50 refuses a file whose flow cannot be a draft', async () => {
    const { admin } = await createAccount(service)
    const step = { id: 'a', type: 'action', title: 'Restart' }
    const flow = {
      name: 'Twice',
      tree_type: 'troubleshooting',
      tree_structure: { ...step, children: [step] },
    }
    const { status, body } = await admin.call('POST', '/trees/import', { rfflow_version: '1.0', flow })
    expect([status, body.code, body.errors[0].message]).toEqual([400, 'flow_invalid', expect.any(String)])
  })

  it('FLO-38 reports the created category and each created tag once', async () => {
    const { admin } = await createAccount(service)
    const flow = {
      tree_type: 'troubleshooting',
      name: 'X',
      category: 'New',
      tags: ['a', 'b', 'A'],
      tree_structure: { id: 'x', type: 'solution' },
    }
    const { body } = await admin.call('POST', '/trees/import', { rfflow_version: '1.0', flow })
    expect(body).toMatchObject({ category_created: true, tags_created: ['A', 'b'] })
    expect(body.warnings).toEqual([
      { node_id: 'x', path: 'tree_structure.title', message: 'This solution has no title' },
    ])
  })

  it('FLO-39 rejects an unsupported rfflow_version with 400, and stores nothing', async () => {
    const { admin } = await createAccount(service)
    const flow = { tree_type: 'troubleshooting', name: 'X', category: 'Never', tree_structure: printerFlow() }
    for (const rfflow_version of ['2.0', '1', '']) {
      const { status, body } = await admin.call('POST', '/trees/import', { rfflow_version, flow })
      expect([status, body.code]).toEqual([400, 'unsupported_version'])
    }
    expect((await admin.call('GET', `/trees?author_id=${admin.id}`)).body).toEqual([])
    expect((await admin.call('GET', '/categories')).text).not.toContain('Never')
  })

  it('returns all errors of a flow file with missing, unknown and invalid fields', async () => {
    const { admin } = await createAccount(service)
    const flow = {
      tree_type: 'procedural',
      tree_structure: { steps: [{ id: '', type: 'jump' }, { type: 'procedure_end' }] },
      tags: [''],
    }
    const { status, body } = await admin.call('POST', '/trees/import', {
      rfflow_version: '1.0',
      flow,
      extra: 1,
    })
    expect(status).toBe(422)
    expect(body.errors.map(({ loc }: { loc: unknown[] }) => loc.join('.')).sort()).toEqual([
      'body.extra',
      'body.flow.name',
      'body.flow.tags.0',
      'body.flow.tree_structure.steps.0.id',
      'body.flow.tree_structure.steps.0.type',
      'body.flow.tree_structure.steps.1.id',
    ])
  })

  it('rejects a flow file with 422 when the structure does not match the flow type', async () => {
    const { admin } = await createAccount(service)
    const flow = { tree_type: 'procedural', name: 'X', tree_structure: printerFlow() }
    expectStatus(await admin.call('POST', '/trees/import', { rfflow_version: '1.0', flow }), 422)
  })
})
