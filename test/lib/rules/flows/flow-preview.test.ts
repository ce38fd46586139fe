import { expect, it } from 'vitest'
import { buildPreview } from '#rules/flows/preview.ts'
import { createChain, createEnd, createSolution, createStep } from '#test/support/flow-nodes.ts'

const end = createEnd()

it('buildPreview returns three levels of a tree, and marks nodes whose children it leaves out', () => {
  expect(buildPreview(createChain(4))).toMatchObject({
    children: [{ children: [{ id: 'n2', truncated: true }] }],
  })
  expect(JSON.stringify(buildPreview(createChain(3)))).not.toContain('truncated')
  expect(JSON.stringify(buildPreview(createChain(4)))).not.toContain('last')
  expect(buildPreview({ ...createSolution('a'), title: null, description: null })).toEqual({
    id: 'a',
    type: 'solution',
    title: '',
    description: '',
  })
  expect(
    buildPreview({
      steps: [
        createStep('a', { group_label: 'G', fallback_steps: [{ id: 'f' }], script_template_id: 'x' }),
        end,
      ],
    }),
  ).toEqual({
    steps: [
      {
        id: 'a',
        type: 'procedure_step',
        title: 'a',
        description: 'x',
        group_label: 'G',
        fallback_steps: [{ id: 'f', title: '', description: '' }],
      },
      { id: 'end', type: 'procedure_end', title: 'Done', description: '' },
    ],
  })
})

it('buildPreview returns the options of a decision, and empty texts for missing ones', () => {
  const options = [
    { label: 'x', next_node_id: null },
    { id: 'o', label: 'y', next_node_id: 'b' },
  ]
  expect(
    buildPreview({
      ...createSolution('a'),
      type: 'decision',
      options,
      children: [createSolution('b', { options: [] })],
    }),
  ).toEqual({
    id: 'a',
    type: 'decision',
    title: 'a',
    description: '',
    options: [
      { id: '', label: 'x', next_node_id: null },
      { id: 'o', label: 'y', next_node_id: 'b' },
    ],
    children: [{ id: 'b', type: 'solution', title: 'b', description: '' }],
  })
  expect(
    buildPreview({
      steps: [createStep('a', { title: null, description: null, group_label: '', fallback_steps: [] })],
    }),
  ).toEqual({
    steps: [{ id: 'a', type: 'procedure_step', title: '', description: '' }],
  })
})
