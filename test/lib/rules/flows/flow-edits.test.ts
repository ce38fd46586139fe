import fc from 'fast-check'
import { applyPatch } from 'rfc6902'
import { describe, expect, it } from 'vitest'
import { createEdit } from '#local/model/flow-edits.ts'
import type { FlowEdit } from '#rules/flows/edit.ts'
import { editStructure } from '#rules/flows/edits.ts'
import type { FlowNode, StepList, TreeStructure } from '#rules/flows/structure.ts'
import { walkAll } from '#rules/flows/walk.ts'
import { createStep } from '#test/support/flow-nodes.ts'
import { patchProcedure, printerFlow } from '#test/support/flows.ts'
import { casesByDay } from '#test/support/night.ts'

const tree = printerFlow() as FlowNode
const list = patchProcedure() as StepList
type Fields = Parameters<typeof createEdit>[0]
const typeOf = (structure: TreeStructure) => ('steps' in structure ? 'procedural' : 'troubleshooting')
const edit = (structure: TreeStructure, ...edits: Fields[]) =>
  editStructure(typeOf(structure), structure, edits.map(createEdit))
/** Return the ids of the result in their order, or the problems. */
const listIds = (outcome: ReturnType<typeof editStructure>) =>
  'result' in outcome ? [...walkAll(outcome.result)].map(({ node }) => node.id) : outcome.problems

describe('edits of a tree', () => {
  it('change only the fields that they name, and keep all others', () => {
    const before = { ...tree, script_template_id: crypto.randomUUID(), action: 'Old' } as FlowNode
    const outcome = edit(before, {
      op: 'update',
      id: before.id,
      title: 'Does it ping?',
      estimated_minutes: 3,
    })
    expect(outcome).toMatchObject({ result: { ...before, title: 'Does it ping?', estimated_minutes: 3 } })
  })

  it.each<[string, Fields[], string[]]>([
    [
      'insert before a node',
      [{ op: 'insert', id: 'light', kind: 'action', title: 'Look', position: 'before', anchor: 'queue' }],
      ['ping', 'light', 'queue', 'works', 'cable'],
    ],
    [
      'insert before the root',
      [{ op: 'insert', id: 'light', kind: 'action', title: 'Look', position: 'before', anchor: 'ping' }],
      ['light', 'ping', 'queue', 'works', 'cable'],
    ],
    ['remove a node', [{ op: 'remove', id: 'cable' }], ['ping', 'queue', 'works']],
    [
      'replace a node by a new one',
      [
        {
          op: 'update',
          id: 'ping',
          options: [
            { label: 'Yes', leads_to: 'queue' },
            { label: 'No', leads_to: 'new' },
          ],
        },
        { op: 'insert', id: 'new', kind: 'solution', title: 'Call the vendor' },
        { op: 'remove', id: 'cable' },
      ],
      ['ping', 'queue', 'works', 'new'],
    ],
    ['refuse an unknown id', [{ op: 'update', id: 'gone', title: 'x' }], ['There is no node gone']],
    [
      'refuse a used id',
      [{ op: 'insert', id: 'queue', kind: 'solution', title: 'x' }],
      ['The id queue is used twice'],
    ],
    [
      'refuse a move',
      [{ op: 'move', id: 'queue', anchor: 'cable' }],
      ['A node of a tree is moved by changing the links that lead to it'],
    ],
    ['refuse to remove the root', [{ op: 'remove', id: 'ping' }], ['The root cannot be removed']],
    [
      'refuse a node without a link',
      [{ op: 'insert', id: 'new', kind: 'solution', title: 'x' }],
      ['Nothing leads to the node new: link or remove it'],
    ],
    [
      'refuse a second link to a node',
      [{ op: 'update', id: 'queue', kind: 'action', next: 'cable' }],
      ['The node cable is reached twice: write a separate node for each link'],
    ],
    [
      'refuse a cycle',
      [{ op: 'update', id: 'queue', kind: 'action', next: 'ping' }],
      ['The node ping is reached twice: write a separate node for each link'],
    ],
    [
      'refuse characters that cannot be stored',
      [{ op: 'update', id: 'queue', title: 'a\0b' }],
      ['The edits contain characters that cannot be stored'],
    ],
  ])('%s', (_, edits, expected) => {
    expect(listIds(edit(tree, ...edits))).toEqual(expected)
  })
})

describe('edits of a list of steps', () => {
  const ids = [...walkAll(list)].map(({ node }) => node.id)

  it.each<[string, Fields[], (ids: string[]) => string[]]>([
    [
      'add a step before the end',
      [{ op: 'insert', id: 'new', kind: 'procedure_step', title: 'x' }],
      (all) => all.toSpliced(-1, 0, 'new'),
    ],
    [
      'add a step after another',
      [{ op: 'insert', id: 'new', kind: 'procedure_step', title: 'x', position: 'after', anchor: 'before' }],
      (all) => all.toSpliced(1, 0, 'new'),
    ],
    ['remove a step', [{ op: 'remove', id: 'before' }], (all) => all.slice(1)],
  ])('%s', (_, edits, expected) => {
    expect(listIds(edit(list, ...edits))).toEqual(expected(ids))
  })

  it('move a step with its fallback steps, and add, change and remove fallback steps', () => {
    const moved = edit(list, { op: 'move', id: 'patch', position: 'before', anchor: 'snapshot' })
    expect('result' in moved && (moved.result as StepList).steps.map(({ id }) => id)).toEqual([
      'before',
      'patch',
      'snapshot',
      'end',
    ])
    const added = edit(
      list,
      { op: 'insert', id: 'f1', kind: 'fallback_step', title: 'Console', anchor: 'snapshot' },
      { op: 'insert', id: 'f2', kind: 'fallback_step', title: 'Call', position: 'before', anchor: 'f1' },
      { op: 'update', id: 'f1', title: 'Use the console' },
    )
    const step =
      'result' in added ? (added.result as StepList).steps.find(({ id }) => id === 'snapshot') : undefined
    expect(step?.fallback_steps?.map(({ id, title }) => [id, title]).slice(-2)).toEqual([
      ['f2', 'Call'],
      ['f1', 'Use the console'],
    ])
  })
})

it('returns a JSON Patch that gives the same result, and does not change the flow, for any edits', () => {
  const id = fc.constantFrom(
    'ping',
    'queue',
    'cable',
    'before',
    'snapshot',
    'patch',
    'end',
    'n1',
    'n2',
    '__proto__',
  )
  const text = fc.constantFrom('', 'Look at the light', '{{server}}')
  const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
  const edits = fc.array(
    fc.record({
      op: fc.constantFrom('update', 'insert', 'move', 'remove'),
      id,
      kind: orNull(
        fc.constantFrom(
          'decision',
          'action',
          'solution',
          'procedure_step',
          'section_header',
          'procedure_end',
          'fallback_step',
        ),
      ),
      title: orNull(text),
      description: orNull(text),
      options: orNull(fc.array(fc.record({ label: text, leads_to: id }), { maxLength: 3 })),
      next: orNull(id),
      estimated_minutes: orNull(fc.nat(10)),
      group_label: orNull(text),
      position: orNull(fc.constantFrom('before', 'after')),
      anchor: orNull(id),
    }),
    { minLength: 1, maxLength: 4 },
  )
  fc.assert(
    fc.property(fc.constantFrom<TreeStructure>(tree, list), edits, (structure, changes) => {
      const before = structuredClone(structure)
      const outcome = editStructure(typeOf(structure), structure, changes as FlowEdit[])
      expect(structure).toEqual(before)
      if ('problems' in outcome) return
      expect(applyPatch(before, structuredClone(outcome.patch)).filter(Boolean)).toEqual([])
      expect(before).toEqual(outcome.result)
    }),
    { numRuns: casesByDay(500) },
  )
})

it.each([
  [20, 20],
  [21, 20],
])('reports at most 20 problems of the result: %i invalid titles are %i problems', (invalid, reported) => {
  const steps: StepList = { steps: Array.from({ length: invalid }, (_, n) => createStep(`s${n}`)) }
  const edits = steps.steps.map(({ id }): Fields => ({ op: 'update', id, title: 'x'.repeat(301) }))
  const outcome = edit(steps, ...edits)
  expect('problems' in outcome && outcome.problems.map((problem) => problem.split(':')[0])).toEqual(
    Array.from({ length: reported }, (_, n) => `steps.${n}.title`),
  )
})

it('reports a problem of the whole flow at its path, and one of a node at its id', () => {
  const steps = Array.from({ length: 300 }, (_, n) => createStep(`s${n}`))
  expect(edit({ steps }, { op: 'insert', id: 'new', kind: 'procedure_step', title: 'x' })).toEqual({
    problems: ['tree_structure.steps: The flow has 301 steps; at most 300 are allowed'],
  })
  const options = [
    { id: 'a', label: 'A', next_node_id: null },
    { id: 'a', label: 'B', next_node_id: null },
  ]
  const before = { ...tree, children: [], options } as FlowNode
  expect(edit(before, { op: 'update', id: 'ping', title: 'x' })).toEqual({
    problems: ['ping: The option id a is used twice in this decision'],
  })
})
