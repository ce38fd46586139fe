import { describe, expect, it } from 'vitest'
import { createEdit } from '#local/model/flow-edits.ts'
import { EditProblem } from '#rules/flows/edit.ts'
import { editSteps } from '#rules/flows/step-edits.ts'
import type { FlowStep, StepList } from '#rules/flows/structure.ts'
import { createEnd, createStep } from '#test/support/flow-nodes.ts'

type Fields = Parameters<typeof createEdit>[0]
const fallback = (id: string) => ({ id, title: id, description: '' })
const a = createStep('a', { fallback_steps: [fallback('a1'), fallback('a2')] })
const b = createStep('b', { fallback_steps: [fallback('b1')] })
const c = createStep('c')
const list: StepList = { steps: [a, b, c, createEnd()] }

const apply = (structure: StepList, ...edits: Fields[]) => editSteps(structure, edits.map(createEdit)).steps
/** Return the ids of steps, each followed by those of its fallback steps. */
const listIds = (steps: readonly FlowStep[]) =>
  steps
    .map(({ id, fallback_steps }) => [id, ...(fallback_steps ?? []).map((step) => step.id)].join(' '))
    .join(', ')

describe('an edit of a list of steps', () => {
  it.each<[string, Fields[], string]>([
    [
      'moves the first step after the last',
      [{ op: 'move', id: 'a', position: 'after', anchor: 'c' }],
      'b b1, c, a a1 a2, end',
    ],
    [
      'moves the last step before the first',
      [{ op: 'move', id: 'c', position: 'before', anchor: 'a' }],
      'c, a a1 a2, b b1, end',
    ],
    [
      'moves a step after its anchor by default',
      [{ op: 'move', id: 'a', anchor: 'b' }],
      'b b1, a a1 a2, c, end',
    ],
    [
      'moves a fallback step within its step',
      [{ op: 'move', id: 'a1', anchor: 'a2' }],
      'a a2 a1, b b1, c, end',
    ],
    [
      'moves a fallback step to another step',
      [{ op: 'move', id: 'a1', position: 'before', anchor: 'b1' }],
      'a a2, b a1 b1, c, end',
    ],
    ['removes the first fallback step', [{ op: 'remove', id: 'a1' }], 'a a2, b b1, c, end'],
    ['removes a fallback step of the second step', [{ op: 'remove', id: 'b1' }], 'a a1 a2, b, c, end'],
    [
      'inserts before the end without an anchor',
      [{ op: 'insert', id: 'n', kind: 'procedure_step' }],
      'a a1 a2, b b1, c, n, end',
    ],
    [
      'inserts before its anchor',
      [{ op: 'insert', id: 'n', kind: 'procedure_step', position: 'before', anchor: 'b' }],
      'a a1 a2, n, b b1, c, end',
    ],
    [
      'inserts after its anchor by default',
      [{ op: 'insert', id: 'n', kind: 'section_header', anchor: 'b' }],
      'a a1 a2, b b1, n, c, end',
    ],
    [
      'adds the first fallback step of a step',
      [{ op: 'insert', id: 'n', kind: 'fallback_step', anchor: 'c' }],
      'a a1 a2, b b1, c n, end',
    ],
    [
      'adds a fallback step after another',
      [{ op: 'insert', id: 'n', kind: 'fallback_step', position: 'after', anchor: 'a1' }],
      'a a1 n a2, b b1, c, end',
    ],
  ])('%s', (_, edits, ids) => {
    expect(listIds(apply(list, ...edits))).toBe(ids)
  })

  it('appends a step to a list without an end', () => {
    expect(listIds(apply({ steps: [c] }, { op: 'insert', id: 'n', kind: 'procedure_step' }))).toBe('c, n')
  })

  it('inserts before an end that is the first step', () => {
    expect(listIds(apply({ steps: [createEnd()] }, { op: 'insert', id: 'n', kind: 'procedure_step' }))).toBe(
      'n, end',
    )
  })

  it('changes the kind, the minutes and the group of a step, and keeps its fallback steps', () => {
    const fields = {
      kind: 'section_header',
      description: 'D',
      estimated_minutes: 5,
      group_label: 'G',
    } as const
    expect(apply(list, { op: 'update', id: 'a', ...fields })[0]).toEqual({
      id: 'a',
      type: 'section_header',
      title: 'a',
      description: 'D',
      estimated_minutes: 5,
      group_label: 'G',
      fallback_steps: [fallback('a1'), fallback('a2')],
    })
  })

  it('changes only the texts of a fallback step', () => {
    const fields = { kind: 'procedure_step', title: 'T', estimated_minutes: 5, group_label: 'G' } as const
    expect(apply(list, { op: 'update', id: 'a2', ...fields })[0]?.fallback_steps).toEqual([
      fallback('a1'),
      { id: 'a2', title: 'T', description: '' },
    ])
  })

  it('creates a step with all its fields, and a fallback step without a type', () => {
    const created = apply(
      { steps: [] },
      { op: 'insert', id: 'n', kind: 'procedure_step', title: 'T', estimated_minutes: 0, group_label: 'G' },
      { op: 'insert', id: 'f', kind: 'fallback_step', description: 'D', estimated_minutes: 9, anchor: 'n' },
    )
    expect(created).toEqual([
      {
        id: 'n',
        type: 'procedure_step',
        title: 'T',
        description: '',
        estimated_minutes: 0,
        group_label: 'G',
        fallback_steps: [{ id: 'f', title: '', description: 'D' }],
      },
    ])
  })

  it.each<[string, Fields, string]>([
    ['of an unknown step', { op: 'remove', id: 'gone' }, 'There is no step gone'],
    ['with the id of a step', { op: 'insert', id: 'c', kind: 'procedure_step' }, 'The id c is used twice'],
    [
      'with the id of a fallback step',
      { op: 'insert', id: 'b1', kind: 'procedure_step' },
      'The id b1 is used twice',
    ],
    [
      'with an unknown anchor',
      { op: 'insert', id: 'n', kind: 'procedure_step', anchor: 'gone' },
      'There is no step gone',
    ],
    ['that moves without an anchor', { op: 'move', id: 'c' }, 'A move needs another step as its anchor'],
    [
      'that moves a step to itself',
      { op: 'move', id: 'c', anchor: 'c' },
      'A move needs another step as its anchor',
    ],
    [
      'that moves a fallback step among steps',
      { op: 'move', id: 'a1', anchor: 'b' },
      'A fallback step stays with fallback steps',
    ],
    [
      'that moves a step among fallback steps',
      { op: 'move', id: 'b', anchor: 'a1' },
      'A fallback step stays with fallback steps',
    ],
  ])('%s is refused', (_, edit, message) => {
    expect(() => apply(list, edit)).toThrow(new EditProblem(message))
  })
})
