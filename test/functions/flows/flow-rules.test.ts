import { describe, expect, it } from 'vitest'
import { shared } from '../../support/app.ts'
import { newFlow, patchForm, patchSteps, printerFlow } from '../../support/flows.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()
const solution = (id: string, title = id) => ({ id, type: 'solution', title, description: '' })

/** What can-publish says of a draft with this content, as `node_id path: message` without the common start. */
async function check(content: Record<string, unknown>) {
  const { admin } = await newAccount(service)
  const draft = await newFlow(admin, { status: 'draft', intake_form: [], ...content })
  const { status, body } = await admin.call('POST', `/trees/${draft.id}/can-publish`)
  expect(status).toBe(200)
  const lines = (problems: { node_id: string | null; path: string; message: string }[]) =>
    problems.map(({ node_id, path, message }) => `${node_id} ${path.replace(/^tree_structure\.?/, '')}: ${message}`)
  return { can_publish: body.can_publish, errors: lines(body.errors), warnings: lines(body.warnings) }
}
const tree = (tree_structure: unknown, more = {}) => check({ tree_structure, ...more })
const steps = (list: unknown[], more = {}) => check({ tree_type: 'procedural', tree_structure: { steps: list }, ...more })

/** How a create answers that must be refused. */
async function refusal(content: Record<string, unknown>) {
  const { admin } = await newAccount(service)
  const { status, body } = await admin.call('POST', '/trees', { tree_type: 'procedural', name: 'X', status: 'draft', ...content })
  return [status, body.errors[0].message ?? body.errors[0].msg]
}

describe('a troubleshooting flow', () => {
  it('FLO-52 FLO-22 names all problems at once, in reading order', async () => {
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
        { id: 'first', type: 'action', children: [solution('deep', ''), solution('other')], next_node_id: 'gone' },
        { id: 'end', type: 'solution', title: 'x', children: [solution('below')] },
      ],
    }
    expect(await tree(broken)).toEqual({
      can_publish: false,
      errors: [
        'root options[0].label: Option 1 has no label',
        'root options[1].next_node_id: The option “Second” leads nowhere',
        'root options[2].next_node_id: The option “Third” leads to deep, which is not directly below this decision',
        'end children[1]: No option leads here: it can never be reached',
        'first children[0].title: This action has no title',
        'first children[0].next_node_id: It leads to gone, which is not directly below this action',
        'first children[0].children: An action leads to one node; this one has 2 below it',
        'deep children[0].children[0]: The action above does not lead here: it can never be reached',
        'other children[0].children[1]: The action above does not lead here: it can never be reached',
        'deep children[0].children[0].title: This solution has no title',
        'end children[1].children: A solution ends its branch; nothing may come below it',
      ],
      warnings: [],
    })
  })

  it('FLO-24 needs two children below a decision', async () => {
    const one = { ...printerFlow(), options: [{ id: 'a', label: 'A', next_node_id: 'x' }], children: [solution('x')] }
    expect((await tree({ ...one, title: 'Q', description: '' })).errors).toEqual([
      'ping options: A decision needs at least 2 options; this one has 1',
      'ping children: A decision leads to at least 2 nodes; this one to 1',
    ])
  })

  it('FLO-25 FLO-26 lets an action lead to its child alone and a solution end its branch', async () => {
    const action = { id: 'a', type: 'action', title: 'A', children: [solution('b')] }
    expect((await tree({ ...action, next_node_id: 'c' })).errors[0]).toMatch(/^a next_node_id: It leads to c/)
    expect((await tree({ ...action, children: [] })).errors).toEqual([
      'a next_node_id: An action leads on to the next node; this one leads nowhere',
    ])
    expect((await tree({ ...action, next_node_id: 'b' })).can_publish).toBe(true)
    expect((await tree({ ...solution('s'), options: [{ label: 'x' }], next_node_id: 'y' })).errors).toEqual([
      's next_node_id: A solution ends its branch; it leads nowhere',
      's options: Only a decision has options',
    ])
  })

  it('FLO-53 warns of placeholders that nothing fills, and of options that make no difference', async () => {
    const root = { ...printerFlow(), description: '{{ client_name }}, {{floor}} and {{floor}}' }
    root.options.push({ id: 'maybe', label: 'Maybe', next_node_id: 'queue' })
    expect(await tree(root, { intake_form: [] })).toEqual({
      can_publish: true,
      errors: [],
      warnings: [
        'ping title: {{printer_ip}} is filled by no field of the intake form and stays as it is',
        'ping description: {{floor}} is filled by no field of the intake form and stays as it is',
        'ping options[2].next_node_id: Two options lead to queue: the choice makes no difference',
      ],
    })
  })

  it('refuses an id used twice, even in a draft', async () => {
    const root = printerFlow()
    root.children[1] = { ...solution('queue'), title: 'Twice' } as never
    expect(await refusal({ tree_type: 'troubleshooting', tree_structure: root })).toEqual([400, 'The id queue is used twice'])
  })
})

describe('a procedural flow', () => {
  it('FLO-51 ends with its one procedure_end', async () => {
    const [, snapshot, patch, end] = patchSteps().steps
    const of = async (list: unknown[]) => (await steps(list, { intake_form: patchForm })).errors
    expect(await of([snapshot, patch, end])).toEqual([])
    expect(await of([snapshot, patch])).toEqual(['null steps: The flow has no procedure_end; it is the last step'])
    expect(await of([snapshot, end, patch])).toEqual([
      'end steps[1]: The procedure_end is not in last place: what follows is never reached',
    ])
    expect(await of([snapshot, { ...end, id: 'early' }, patch, end])).toEqual([
      'early steps[1]: The flow has more than one procedure_end; only the last step is one',
    ])
    expect(await of([end])).toEqual(['null steps: The flow has no step to do'])
  })

  it('FLO-51 has at most 300 steps', async () => {
    const many = Array.from({ length: 301 }, (_, n) => ({ id: `s${n}`, type: 'procedure_step', title: 'x' }))
    expect(await refusal({ tree_structure: { steps: many } })).toEqual([400, 'The flow has 301 steps; at most 300 are possible'])
  })

  it('FLO-32 FLO-33 refuses fallback steps that nest or share an id', async () => {
    const step = (fallback_steps: unknown[]) => ({
      tree_structure: { steps: [{ id: 's', type: 'procedure_step', title: 'S', fallback_steps }] },
    })
    expect(await refusal(step([{ id: 'f', title: 'F', fallback_steps: [{ id: 'g', title: 'G' }] }]))).toEqual([422, 'Unknown key'])
    expect(
      await refusal(
        step([
          { id: 'f', title: 'F' },
          { id: 'f', title: 'G' },
        ]),
      ),
    ).toEqual([400, 'The id f is used twice'])
    expect(await refusal(step([{ id: 's', title: 'F' }]))).toEqual([400, 'The id s is used twice'])
  })

  it('names steps, sections and fallbacks without a title, and sections without steps', async () => {
    const list = [
      { id: 'empty', type: 'section_header', title: 'Empty' },
      { id: 'bare', type: 'section_header', fallback_steps: [{ id: 'f' }] },
      { id: 's', type: 'procedure_step' },
      { id: 'end', type: 'procedure_end' },
    ]
    expect(await steps(list)).toEqual({
      can_publish: false,
      errors: [
        'bare steps[1].title: This section has no title',
        'f steps[1].fallback_steps[0].title: This fallback step has no title',
        'bare steps[1].fallback_steps: Only a procedure step has fallback steps',
        's steps[2].title: This step has no title',
      ],
      warnings: ['empty steps[0]: This section has no steps', 's steps[2].description: This step does not say how it is done'],
    })
  })
})

describe('an intake form', () => {
  it('FLO-54 refuses bad or repeated keys and unknown types', async () => {
    const field = { key: 'host', label: 'Host', type: 'hostname' }
    const of = (...intake_form: unknown[]) => refusal({ intake_form })
    for (const key of ['Host', '1host', 'ho st', '']) expect((await of({ ...field, key }))[0]).toBe(422)
    expect(await of(field, field)).toEqual([422, 'The key host is used twice'])
    expect((await of({ ...field, type: 'password' }))[0]).toBe(422)
  })

  it('is held to making sense before it is published', async () => {
    const [, snapshot, , end] = patchSteps().steps
    const form = [
      { key: 'server', label: 'Server', type: 'select' },
      { key: 'ring', label: 'Ring', type: 'multiselect', options: ['1', '2'], default: ['2', '3'] },
      { key: 'count', label: 'Count', type: 'number', min: 5, max: 2 },
      { key: 'code', label: 'Code', type: 'text', pattern: '(' },
      { key: 'site', label: 'Site', type: 'text', pattern: '(?=a)a' },
    ]
    const { errors } = await steps([snapshot, end], { intake_form: form })
    expect(errors).toEqual([
      'null intake_form[0].options: The field server has nothing to choose from',
      'null intake_form[1].default: The default of ring is none of its options: 3',
      'null intake_form[2].min: The least value of count is greater than its greatest',
      'null intake_form[3].pattern: The pattern of code is not a regular expression',
      'null intake_form[4].pattern: The pattern of site looks around or back, or is too large: it could take too long to match',
    ])
  })
})
