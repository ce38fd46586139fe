import { describe, expect, it } from 'vitest'
import { fillPlaceholders, findPlaceholderKeys, findUnfilledPlaceholders } from '#rules/flows/placeholders.ts'
import type { IntakeField, TreeStructure } from '#rules/flows/structure.ts'
import { createSolution, createStep } from '#test/support/flow-nodes.ts'

describe('a placeholder', () => {
  it.each([' ', '\t', '\n', '\v', '\f', '\r', '\u00a0', '\u2003'])(
    'may have the space %j around its key',
    (space) => {
      expect(fillPlaceholders(`<{{${space}host${space}}}>`, { host: 'a' })).toBe('<a>')
    },
  )

  it.each(['\b', '\u000e', '\u001f', '!', '\u00a1'])(
    'may not have the character %j around its key',
    (char) => {
      expect(findPlaceholderKeys(`{{${char}host}} {{host${char}}}`)).toEqual([])
    },
  )

  it.each(['a', 'z', 'A', 'Z', '_', 'a0', 'a9', 'a.b', 'a-b'])('may have the key %s', (key) => {
    expect(findPlaceholderKeys(`{{${key}}}`)).toEqual([key])
  })

  it.each(['0', '9', '.', '-', '@', '[', '`', '{', 'a/', 'a:', 'a,'])('may not have the key %s', (key) => {
    expect(findPlaceholderKeys(`{{${key}}}`)).toEqual([])
  })

  it('stays in the text without a value, and others are filled', () => {
    expect(fillPlaceholders('{{a}} {{ b }} {{ {{c}}', { b: 1, c: 2 })).toBe('{{a}} 1 {{ 2')
    expect(fillPlaceholders('{{a}}{{b}}.', { a: 1, b: 2 })).toBe('12.')
  })
})

it.each<[unknown, string]>([
  [0, '0'],
  [false, 'false'],
  [['a', 1], 'a, 1'],
  [[], ''],
  [null, '{{ a }}'],
  [undefined, '{{ a }}'],
  ['', '{{ a }}'],
])('the value %j is written as %j', (value, text) => {
  expect(fillPlaceholders('{{ a }}', { a: value })).toBe(text)
})

it('findUnfilledPlaceholders returns each key that nothing fills, with its place', () => {
  const form: IntakeField[] = [{ key: 'host', label: 'Host', type: 'text', required: false }]
  const find = (tree_structure: TreeStructure | null) =>
    findUnfilledPlaceholders({ tree_type: 'procedural', tree_structure, intake_form: form })
  const title = '{{host}} {{a}} {{a}} {{ticket_number}} {{client_name}} {{target_label}} {{out}}'
  const subflow = { tree_id: 't', outputs: { out: 'x' } }
  const steps = [
    createStep('s', {
      title,
      description: '{{b}}',
      fallback_steps: [{ id: 'f', title: null, description: '{{c}}' }],
    }),
    createStep('t', { title: null, description: null, subflow }),
  ]
  expect(find({ steps })).toEqual([
    { node_id: 's', path: 'tree_structure.steps[0].title', key: 'a' },
    { node_id: 's', path: 'tree_structure.steps[0].description', key: 'b' },
    { node_id: 'f', path: 'tree_structure.steps[0].fallback_steps[0].description', key: 'c' },
  ])
  expect(find(createSolution('r', { title: '{{a}}', subflow: { tree_id: 't' } }))).toEqual([
    { node_id: 'r', path: 'tree_structure.title', key: 'a' },
  ])
  expect([find(null), find({ steps: [] })]).toEqual([[], []])
})
