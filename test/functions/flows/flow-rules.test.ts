import { describe, expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { createFlow, patchForm, patchProcedure, printerFlow } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const buildSolution = (id: string, title = id) => ({ id, type: 'solution', title, description: '' })

/**
 * Create a draft and return its can-publish result. Format each problem as `node_id path: message`, without
 * the prefix `tree_structure`.
 */
async function checkDraft(content: Record<string, unknown>) {
  const { admin } = await createAccount(service)
  const draft = await createFlow(admin, { status: 'draft', intake_form: [], ...content })
  const { status, body } = await admin.call('POST', `/trees/${draft.id}/can-publish`)
  expect(status).toBe(200)
  const formatProblems = (problems: { node_id: string | null; path: string; message: string }[]) =>
    problems.map(
      ({ node_id, path, message }) => `${node_id} ${path.replace(/^tree_structure\.?/, '')}: ${message}`,
    )
  return {
    can_publish: body.can_publish,
    errors: formatProblems(body.errors),
    warnings: formatProblems(body.warnings),
  }
}
const checkTree = (tree_structure: unknown, fields = {}) => checkDraft({ tree_structure, ...fields })
const checkSteps = (steps: unknown[], fields = {}) =>
  checkDraft({ tree_type: 'procedural', tree_structure: { steps }, ...fields })

/** Post an invalid draft. Return the status and the first error message. */
async function postInvalidDraft(content: Record<string, unknown>) {
  const { admin } = await createAccount(service)
  const { status, body } = await admin.call('POST', '/trees', {
    tree_type: 'procedural',
    name: 'X',
    status: 'draft',
    ...content,
  })
  return [status, body.errors[0].message ?? body.errors[0].msg]
}

describe('a troubleshooting flow', () => {
  it('FLO-52 FLO-22 reports all problems of a flow at once, in reading order', async () => {
    const broken = {
      id: 'root',
      type: 'decision',
      title: 'Which?',
      options: [
        { id: 'a', label: ' ', next_node_id: 'first' },
        { id: 'b', label: 'Second' },
        { id: 'c', label: 'Third', next_node_id: 'deep' },
      ],
      children: [
        {
          id: 'first',
          type: 'action',
          children: [buildSolution('deep', ''), buildSolution('other')],
          next_node_id: 'gone',
        },
        { id: 'end', type: 'solution', title: 'x', children: [buildSolution('below')] },
      ],
    }
    expect(await checkTree(broken)).toEqual({
      can_publish: false,
      errors: [
        'root options[0].label: Option 1 has no label',
        'root options[1].next_node_id: The option “Second” leads nowhere',
        'root options[2].next_node_id: The option “Third” leads to deep, which is not directly below this decision',
        'end children[1]: No option leads to this node, so it can never be reached',
        'first children[0].title: This action has no title',
        'first children[0].next_node_id: The action leads to gone, which is not directly below it',
        'first children[0].children: An action can have one node below it; this one has 2',
        'deep children[0].children[0]: The action above does not lead to this node, so it can never be reached',
        'other children[0].children[1]: The action above does not lead to this node, so it can never be reached',
        'deep children[0].children[0].title: This solution has no title',
        'end children[1].children: A solution ends its branch; it cannot have nodes below it',
      ],
      warnings: [],
    })
  })

  it('FLO-24 requires at least two options and two children in a decision', async () => {
    const singleOption = {
      ...printerFlow(),
      options: [{ id: 'a', label: 'A', next_node_id: 'x' }],
      children: [buildSolution('x')],
    }
    expect((await checkTree({ ...singleOption, title: 'Q', description: '' })).errors).toEqual([
      'ping options: A decision needs at least 2 options; this one has 1',
      'ping children: A decision needs at least 2 nodes below it; this one has 1',
    ])
  })

  it('FLO-25 FLO-26 requires that an action leads to its child and that a solution leads nowhere', async () => {
    const action = { id: 'a', type: 'action', title: 'A', children: [buildSolution('b')] }
    expect((await checkTree({ ...action, next_node_id: 'c' })).errors[0]).toMatch(
      /^a next_node_id: The action leads to c/,
    )
    expect((await checkTree({ ...action, children: [] })).errors).toEqual([
      'a next_node_id: An action must lead to the next node; this one leads nowhere',
    ])
    expect((await checkTree({ ...action, next_node_id: 'b' })).can_publish).toBe(true)
    expect(
      (await checkTree({ ...buildSolution('s'), options: [{ label: 'x' }], next_node_id: 'y' })).errors,
    ).toEqual([
      's next_node_id: A solution ends its branch; remove its next_node_id',
      's options: Only a decision can have options',
    ])
  })

  it('FLO-53 warns about placeholders without an intake field and about options with the same target', async () => {
    const root = { ...printerFlow(), description: '{{ client_name }}, {{floor}} and {{floor}}' }
    root.options.push({ id: 'maybe', label: 'Maybe', next_node_id: 'queue' })
    expect(await checkTree(root, { intake_form: [] })).toEqual({
      can_publish: true,
      errors: [],
      warnings: [
        'ping title: No field of the intake form fills {{printer_ip}}, so the text shows it unchanged',
        'ping description: No field of the intake form fills {{floor}}, so the text shows it unchanged',
        'ping options[2].next_node_id: Two options lead to queue; choosing between them makes no difference',
      ],
    })
  })

  it('rejects a duplicate node id, even in a draft', async () => {
    const root = printerFlow()
    root.children[1] = { ...buildSolution('queue'), title: 'Twice' } as never
    expect(await postInvalidDraft({ tree_type: 'troubleshooting', tree_structure: root })).toEqual([
      400,
      'The id queue is used twice',
    ])
  })
})

describe('a procedural flow', () => {
  it('FLO-51 requires exactly one procedure_end, as the last step, and at least one procedure_step', async () => {
    const [, snapshot, patch, end] = patchProcedure().steps
    const listErrors = async (steps: unknown[]) =>
      (await checkSteps(steps, { intake_form: patchForm })).errors
    expect(await listErrors([snapshot, patch, end])).toEqual([])
    expect(await listErrors([snapshot, patch])).toEqual([
      'null steps: The flow needs a procedure_end as its last step',
    ])
    expect(await listErrors([snapshot, end, patch])).toEqual([
      'end steps[1]: The procedure_end must be the last step; no step after it can be reached',
    ])
    expect(await listErrors([snapshot, { ...end, id: 'early' }, patch, end])).toEqual([
      'early steps[1]: Only the last step can be a procedure_end; the flow has another one below',
    ])
    expect(await listErrors([end])).toEqual(['null steps: The flow needs at least one procedure_step'])
  })

  it('FLO-51 rejects more than 300 steps', async () => {
    const tooMany = Array.from({ length: 301 }, (_, n) => ({
      id: `s${n}`,
      type: 'procedure_step',
      title: 'x',
    }))
    expect(await postInvalidDraft({ tree_structure: { steps: tooMany } })).toEqual([
      400,
      'The flow has 301 steps; at most 300 are allowed',
    ])
  })

  it('FLO-32 FLO-33 rejects nested fallback steps and duplicate ids', async () => {
    const buildProcedure = (fallback_steps: unknown[]) => ({
      tree_structure: { steps: [{ id: 's', type: 'procedure_step', title: 'S', fallback_steps }] },
    })
    expect(
      await postInvalidDraft(
        buildProcedure([{ id: 'f', title: 'F', fallback_steps: [{ id: 'g', title: 'G' }] }]),
      ),
    ).toEqual([422, 'is not a known field'])
    expect(
      await postInvalidDraft(
        buildProcedure([
          { id: 'f', title: 'F' },
          { id: 'f', title: 'G' },
        ]),
      ),
    ).toEqual([400, 'The id f is used twice'])
    expect(await postInvalidDraft(buildProcedure([{ id: 's', title: 'F' }]))).toEqual([
      400,
      'The id s is used twice',
    ])
  })

  it('reports missing titles and misplaced fallback steps, and warns about empty sections and missing descriptions', async () => {
    const steps = [
      { id: 'empty', type: 'section_header', title: 'Empty' },
      { id: 'bare', type: 'section_header', fallback_steps: [{ id: 'f' }] },
      { id: 's', type: 'procedure_step' },
      { id: 'end', type: 'procedure_end' },
    ]
    expect(await checkSteps(steps)).toEqual({
      can_publish: false,
      errors: [
        'bare steps[1].title: This section has no title',
        'f steps[1].fallback_steps[0].title: This fallback step has no title',
        'bare steps[1].fallback_steps: Only a procedure step can have fallback steps',
        's steps[2].title: This step has no title',
      ],
      warnings: [
        'empty steps[0]: This section has no steps',
        's steps[2].description: This step has no description',
      ],
    })
  })
})

describe('an intake form', () => {
  it('FLO-54 rejects intake fields with invalid or duplicate keys or unknown types', async () => {
    const field = { key: 'host', label: 'Host', type: 'hostname' }
    const createWithForm = (...intake_form: unknown[]) => postInvalidDraft({ intake_form })
    for (const key of ['Host', '1host', 'ho st', ''])
      expect((await createWithForm({ ...field, key }))[0]).toBe(422)
    expect(await createWithForm(field, field)).toEqual([422, 'must be unique; host is used twice'])
    expect((await createWithForm({ ...field, type: 'password' }))[0]).toBe(422)
  })

  it('reports every inconsistent intake field as an error that prevents publishing', async () => {
    const [, snapshot, , end] = patchProcedure().steps
    const form = [
      { key: 'server', label: 'Server', type: 'select' },
      { key: 'ring', label: 'Ring', type: 'multiselect', options: ['1', '2'], default: ['2', '3'] },
      { key: 'count', label: 'Count', type: 'number', min: 5, max: 2 },
      { key: 'code', label: 'Code', type: 'text', pattern: '(' },
      { key: 'site', label: 'Site', type: 'text', pattern: '(?=a)a' },
    ]
    const { errors } = await checkSteps([snapshot, end], { intake_form: form })
    expect(errors).toEqual([
      'null intake_form[0].options: The field server needs at least one option',
      'null intake_form[1].default: The default of ring must be a list of different values from 1, 2',
      'null intake_form[2].min: The minimum of count is greater than its maximum',
      'null intake_form[3].pattern: The pattern of code is not a regular expression',
      'null intake_form[4].pattern: The pattern of site uses lookaround or backreferences, or is too large; simplify it',
    ])
  })
})
