import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { buildStructure, flattenStructure } from '#rules/flows/flat-nodes.ts'
import { sharedService } from '#test/support/app.ts'
import { exportPdf, exportSession, textFormats } from '#test/support/exports.ts'
import { createFlow, flowBody, patchProcedure } from '#test/support/flows.ts'
import { createImage, uploadImage } from '#test/support/images.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { answerStep, createSession, proceduralFlowFields } from '#test/support/sessions.ts'

const service = await sharedService()

const requirements = [
  { key: 'said', type: 'note', label: 'What the user said' },
  { key: 'proof', type: 'screenshot', label: 'Screenshot of the snapshot' },
  { key: 'serial', type: 'text', label: 'Serial number' },
  { key: 'free_gb', type: 'number', label: 'Free space' },
  { key: 'agreed', type: 'boolean', label: 'The client agreed' },
  { key: 'ring', type: 'select', label: 'Update ring', options: ['Pilot', 'Broad'] },
]

/** Return a procedure whose first step requires evidence. */
function procedureWith(evidence: unknown) {
  const procedure = patchProcedure()
  Object.assign(procedure.steps[1] as object, { evidence })
  return procedure
}

async function startSession(person: Person, evidence: unknown = requirements) {
  return createSession(
    person,
    { variables: { server: 'srv-dc-01' } },
    proceduralFlowFields({ tree_structure: procedureWith(evidence) }),
  )
}

const sendAnswer = (person: Person, id: string, body: object) =>
  person.call('POST', `/sessions/${id}/decisions`, { step_id: 'snapshot', outcome: 'done', ...body })

async function upload(person: Person): Promise<string> {
  return (await uploadImage(service, person, await createImage('png', 8, 8))).body.id
}

async function listErrors(answer: ReturnType<typeof sendAnswer>) {
  const { status, body } = await answer
  return [
    status,
    ...(body.errors ?? []).map(({ loc, msg }: { loc: string[]; msg: string }) => `${loc.join('.')} ${msg}`),
  ]
}

const values = { serial: 'X-4711', free_gb: 12.5, agreed: true, ring: 'Pilot' }

describe('required evidence', () => {
  it('SES-53 SES-54 refuses an answer without its evidence, also one that skips the step, and writes nothing', async () => {
    const { admin } = await createAccount(service)
    const session = await startSession(admin)
    expect(session.current_step.evidence).toEqual(requirements)
    const missing = [
      'note',
      'evidence.proof',
      'evidence.serial',
      'evidence.free_gb',
      'evidence.agreed',
      'evidence.ring',
    ]
    const expected = [422, ...missing.map((field) => `body.${field} is required by this step`)]
    for (const outcome of ['done', 'skipped', 'failed'])
      expect(await listErrors(sendAnswer(admin, session.id, { outcome }))).toEqual(expected)
    expect(await listErrors(sendAnswer(admin, session.id, { note: ' \n' }))).toEqual(expected)
    expect((await admin.call('GET', `/sessions/${session.id}`)).body).toEqual(session)
  })

  it('SES-53 refuses a value of another type, an unknown option and an unknown key', async () => {
    const { admin } = await createAccount(service)
    const session = await startSession(admin)
    const evidence = {
      proof: 'x',
      serial: ' ',
      free_gb: '12',
      agreed: 'yes',
      ring: 'Slow',
      extra: 1,
      __proto__: null,
    }
    expect(await listErrors(sendAnswer(admin, session.id, { note: 'Fine', evidence }))).toEqual([
      422,
      'body.evidence.proof must be the id of an upload',
      'body.evidence.serial must be a text of 1 to 2000 characters',
      'body.evidence.free_gb must be a number',
      'body.evidence.agreed must be true or false',
      'body.evidence.ring must be one of the options',
      'body.evidence.extra must be a key that this step requires',
    ])
  })

  it('SES-53 refuses a screenshot that does not exist or belongs to another account, and writes nothing', async () => {
    const { admin } = await createAccount(service)
    const { admin: stranger } = await createAccount(service)
    const session = await startSession(admin)
    for (const proof of [crypto.randomUUID(), await upload(stranger)])
      expect(
        await listErrors(sendAnswer(admin, session.id, { note: 'Fine', evidence: { ...values, proof } })),
      ).toEqual([422, 'body.evidence.proof must be the id of an existing upload'])
    expect((await admin.call('GET', `/sessions/${session.id}`)).body).toEqual(session)
  })

  it('SES-53 SES-55 stores the evidence with the answer, in every export, until the answer is undone', async () => {
    const { admin } = await createAccount(service)
    const session = await startSession(admin)
    const proof = await upload(admin)
    const answer = await sendAnswer(admin, session.id, {
      outcome: 'skipped',
      note: 'Not needed',
      evidence: { ...values, proof },
    })
    expect([answer.status, answer.body.current_step_id]).toEqual([201, 'patch'])
    expect(answer.body.decisions[0].evidence).toEqual(
      requirements.slice(1).map(({ key, type, label }) => ({
        ...{ key, type, label },
        value: key === 'proof' ? null : values[key as keyof typeof values],
        upload_id: key === 'proof' ? proof : null,
      })),
    )
    const texts = await Promise.all(
      textFormats.map(
        async (format) => (await exportSession(admin, session.id, `?format=${format}&mask=false`)).text,
      ),
    )
    const pdf = await exportPdf(service, admin, session.id, '?format=pdf&mask=false')
    const pages = await extractText(await getDocumentProxy(pdf), { mergePages: true })
    for (const text of [...texts, pages.text]) {
      for (const part of [
        'Serial number',
        'X-4711',
        'Free space',
        '12.5',
        'The client agreed',
        'Yes',
        'Pilot',
        'Screenshot of the snapshot',
      ])
        expect(text).toContain(part)
    }
    expect((await admin.call('DELETE', `/sessions/${session.id}/decisions/last`)).body).toEqual(session)
    expect(await service.sql('select from session_evidence where session_id = $1', [session.id])).toEqual([])
  })

  it('SES-54 does not let the runtime role change or delete evidence', async () => {
    const [row] = await service.sql<{ can: boolean }>(
      `select has_table_privilege('app_runtime', 'session_evidence', 'delete')
           or has_any_column_privilege('app_runtime', 'session_evidence', 'update') as can`,
    )
    expect(row).toEqual({ can: false })
  })

  it('records a fallback without evidence, because the step is not answered by it', async () => {
    const { admin } = await createAccount(service)
    const session = await startSession(admin)
    const fallback = { fallback_step_id: 'backup', outcome: 'failed' }
    const answer = await sendAnswer(admin, session.id, { outcome: undefined, fallback })
    expect([answer.status, answer.body.current_step_id]).toEqual([201, 'snapshot'])
  })

  it('refuses evidence that a step does not require', async () => {
    const { admin } = await createAccount(service)
    const session = await startSession(admin, [])
    expect(await listErrors(sendAnswer(admin, session.id, { evidence: { serial: 'x' } }))).toEqual([
      422,
      'body.evidence.serial must be a key that this step requires',
    ])
    expect((await answerStep(admin, session, 'done')).current_step_id).toBe('patch')
  })
})

describe('requirements in a flow', () => {
  it('FLO-61 refuses to publish requirements that no answer can meet', async () => {
    const { admin } = await createAccount(service)
    const structure = procedureWith([
      { key: 'ring', type: 'select', label: 'Ring', options: ['A', 'A'] },
      { key: 'ring', type: 'text', label: 'Ring', options: ['A'] },
      { key: 'n', type: 'note', label: 'N' },
      { key: 'm', type: 'note', label: 'M' },
    ])
    Object.assign(structure.steps[0] as object, { evidence: [{ key: 'n', type: 'note', label: 'N' }] })
    const { status, body } = await admin.call(
      'POST',
      '/trees',
      flowBody(proceduralFlowFields({ tree_structure: structure })),
    )
    expect([
      status,
      body.errors.map(({ path }: { path: string }) => path.replace('tree_structure.steps', '')),
    ]).toEqual([
      400,
      [
        '[0].evidence',
        '[1].evidence[0].options[1]',
        '[1].evidence[0].options',
        '[1].evidence[1].key',
        '[1].evidence[1].options',
        '[1].evidence[3].type',
      ],
    ])
  })

  it('FLO-61 survives the markdown form, where a description that looks like it stays text', async () => {
    const { admin } = await createAccount(service)
    const structure = procedureWith(requirements)
    Object.assign(structure.steps[1] as object, { description: 'Evidence: the log\nEvidence: text a "b"' })
    const flow = await createFlow(admin, proceduralFlowFields({ tree_structure: structure }))
    const { text } = await admin.call('GET', `/trees/${flow.id}/export/markdown`)
    expect(text).toContain('Evidence: select ring "Update ring" "Pilot" "Broad"\n')
    const imported = await admin.call('POST', '/trees/import/markdown', { markdown: text })
    expect((await admin.call('GET', `/trees/${imported.body.tree_id}`)).body.tree_structure).toEqual(
      flow.tree_structure,
    )
  })

  it('FLO-61 survives a fork', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(
      admin,
      proceduralFlowFields({ tree_structure: procedureWith(requirements) }),
    )
    expect((await admin.client.flows.forks.create({ tree_id: flow.id })).tree_structure).toEqual(
      flow.tree_structure,
    )
  })

  it('FLO-61 survives a rewrite by the model, which does not see it', () => {
    const structure = procedureWith(requirements) as Parameters<typeof flattenStructure>[0]
    const rewritten = buildStructure('procedural', flattenStructure(structure), structure)
    expect('structure' in rewritten && rewritten.structure).toMatchObject({
      steps: [{}, { evidence: requirements }, {}, {}],
    })
  })
})
