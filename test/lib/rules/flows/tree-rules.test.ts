import { expect, it } from 'vitest'
import type { FlowNode } from '#rules/flows/structure.ts'
import { findNodeWarnings, validateNode } from '#rules/flows/tree-rules.ts'
import { createSolution } from '#test/support/flow-nodes.ts'

const [a, b] = [createSolution('a'), createSolution('b')]
const toA = { id: 'x', label: 'X', next_node_id: 'a' }
const toB = { id: 'y', label: 'Y', next_node_id: 'b' }
const decision = (fields: Partial<FlowNode> = {}): FlowNode => ({
  ...{ id: 'd', type: 'decision', title: 'd', description: '', options: [toA, toB], children: [a, b] },
  ...fields,
})
const action = (fields: Partial<FlowNode> = {}): FlowNode => ({
  ...{ id: 'n', type: 'action', title: 'n', description: '', next_node_id: 'a', children: [a] },
  ...fields,
})

it.each<[string, FlowNode, string[]]>([
  ['a decision with two options', decision(), []],
  [
    'a decision with one option',
    decision({ options: [toA], children: [a] }),
    [
      'p.options: A decision needs at least 2 options; this one has 1',
      'p.children: A decision needs at least 2 nodes below it; this one has 1',
    ],
  ],
  [
    'a decision without options',
    decision({ options: null, children: null }),
    [
      'p.options: A decision needs at least 2 options; this one has 0',
      'p.children: A decision needs at least 2 nodes below it; this one has 0',
    ],
  ],
  [
    'an option without label',
    decision({ options: [toA, { ...toB, label: ' ' }] }),
    ['p.options[1].label: Option 2 has no label'],
  ],
  [
    'an option without label and target',
    decision({ options: [toA, toB, { id: 'z', label: '' }] }),
    ['p.options[2].label: Option 3 has no label', 'p.options[2].next_node_id: Option 3 leads nowhere'],
  ],
  [
    'an option without target',
    decision({ options: [toA, toB, { id: 'z', label: ' Z ', next_node_id: null }] }),
    ['p.options[2].next_node_id: The option “Z” leads nowhere'],
  ],
  [
    'an option that leads elsewhere',
    decision({ options: [toA, toB, { id: 'z', label: 'Z', next_node_id: 'far' }] }),
    ['p.options[2].next_node_id: The option “Z” leads to far, which is not directly below this decision'],
  ],
  [
    'a node that no option leads to',
    decision({ children: [a, b, createSolution('c')] }),
    ['p.children[2]: No option leads to this node, so it can never be reached'],
  ],
  [
    'a decision with a next node',
    decision({ next_node_id: 'a' }),
    ['p.next_node_id: A decision continues through its options; remove its next_node_id'],
  ],
  ['an action', action(), []],
  [
    'an action that leads nowhere',
    action({ next_node_id: null, children: [] }),
    ['p.next_node_id: An action must lead to the next node; this one leads nowhere'],
  ],
  [
    'an action that leads elsewhere',
    action({ next_node_id: 'far' }),
    [
      'p.next_node_id: The action leads to far, which is not directly below it',
      'p.children[0]: The action above does not lead to this node, so it can never be reached',
    ],
  ],
  [
    'an action with two nodes below it',
    action({ children: [a, b] }),
    [
      'p.children: An action can have one node below it; this one has 2',
      'p.children[1]: The action above does not lead to this node, so it can never be reached',
    ],
  ],
  ['an action with options', action({ options: [toA] }), ['p.options: Only a decision can have options']],
  ['an action with empty options', action({ options: [] }), []],
  ['a solution', createSolution('s', { children: [], options: [], next_node_id: null }), []],
  [
    'a solution that continues',
    createSolution('s', { children: [a], next_node_id: 'a', options: [toA] }),
    [
      'p.children: A solution ends its branch; it cannot have nodes below it',
      'p.next_node_id: A solution ends its branch; remove its next_node_id',
      'p.options: Only a decision can have options',
    ],
  ],
  ['a solution without title', createSolution('s', { title: '' }), ['p.title: This solution has no title']],
  [
    'an approval by nobody and evidence without options',
    createSolution('s', { approval: {}, evidence: [{ key: 'k', type: 'select', label: 'K' }] }),
    [
      'p.evidence[0].options: The evidence “K” needs at least 2 different options',
      'p.approval: The approval needs at least one role or person',
    ],
  ],
])('the problems of a node of a published tree are found: %s', (_, node, problems) => {
  expect(
    validateNode({ node, path: 'p', depth: 1 }).map(({ path, message }) => `${path}: ${message}`),
  ).toEqual(problems)
})

it.each<[string, FlowNode, string[]]>([
  ['different targets', decision(), []],
  ['no targets', decision({ options: [{ label: 'x' }, { label: 'y' }] }), []],
  ['no options', decision({ options: null }), []],
  [
    'one target three times',
    decision({ options: [toA, toB, toA, toA] }),
    [2, 3].map((n) => `p.options[${n}].next_node_id`),
  ],
])('a decision is warned about options with the same target: %s', (_, node, paths) => {
  const found = findNodeWarnings(node, 'p').map(({ path }) => path)
  expect(found.filter((path) => !path.endsWith('.label'))).toEqual(paths)
})
