import { describe, expect, it } from 'vitest'
import { createProblemList, escapeDescription } from '#rules/flows/markdown/line-syntax.ts'
import { readFlowMarkdown } from '#rules/flows/markdown/read.ts'
import { writeFlowMarkdown } from '#rules/flows/markdown/write.ts'
import type { FlowNode, FlowStep, IntakeField, StepList } from '#rules/flows/structure.ts'
import { checkIntakeTable, checkSteps, checkTree, flowFile } from '#test/support/markdown.ts'

const readStep = (...lines: string[]) => {
  const { flow, problems } = readFlowMarkdown(flowFile('procedural', ['## Step: A {#a}', ...lines]))
  return flow
    ? ((flow.tree_structure as StepList).steps[0] as FlowStep)
    : problems.map(({ line, message }) => `${line}: ${message}`)
}
const step = { id: 'a', type: 'procedure_step', title: 'A', description: '' }
const user = '0198c0de-0000-7000-8000-000000000002'

describe('a line below a step', () => {
  it.each<[string, object]>([
    ['Attachment: "KB" <https://a.example>', { attachments: [{ title: 'KB', url: 'https://a.example' }] }],
    ['Attachment:"KB"<https://a.example>', { attachments: [{ title: 'KB', url: 'https://a.example' }] }],
    [
      '   Attachment: "KB" "https://a.example/"  ',
      { attachments: [{ title: 'KB', url: 'https://a.example/' }] },
    ],
    ['Evidence: text k "L"', { evidence: [{ key: 'k', type: 'text', label: 'L' }] }],
    [
      'Evidence: select k "L" "a"  "b c"',
      { evidence: [{ key: 'k', type: 'select', label: 'L', options: ['a', 'b c'] }] },
    ],
    ['Approval: engineer minutes=', { approval: { roles: ['engineer'] } }],
    [
      `Approval: engineer\t${user} account_admin minutes=5 `,
      { approval: { roles: ['engineer', 'account_admin'], user_ids: [user], expires_after_minutes: 5 } },
    ],
    [`Subflow: {"tree_id":"${user}"} `, { subflow: { tree_id: user } }],
    ['\\Evidence: text k "L"', { description: 'Evidence: text k "L"' }],
    ['    Evidence: text k "L"', { description: '    Evidence: text k "L"' }],
    ['Evidence: of the fault', { description: 'Evidence: of the fault' }],
    ['Approval: by the client', { description: 'Approval: by the client' }],
    ['Attachment: none', { description: 'Attachment: none' }],
    ['- a list item', { description: '- a list item' }],
    ['+ a list item', { description: '+ a list item' }],
    ['->x', { description: '->x' }],
  ])('is read: %s', (line, fields) => {
    expect(readStep(line)).toEqual({ ...step, ...fields })
  })

  it('belongs to the description with blank lines inside it, but not at its edges', () => {
    expect(readStep('', 'a', '', 'Evidence: text k "L"', 'b', ' ', '')).toEqual({
      ...step,
      description: 'a\n\nb',
      evidence: [{ key: 'k', type: 'text', label: 'L' }],
    })
  })

  it.each([
    ['minutes=0', { estimated_minutes: 0 }],
    ['minutes=10080', { estimated_minutes: 10_080 }],
    ['wait=18:00', { timer: { until: '18:00' } }],
    ['wait=90', { timer: { minutes: 90 } }],
    ['library=none', { library_visibility: 'none' }],
    ['group=Later', { group_label: 'Later' }],
    ['group="a b" minutes=1', { group_label: 'a b', estimated_minutes: 1 }],
  ])('has the attribute %s', (attribute, fields) => {
    const { flow } = readFlowMarkdown(flowFile('procedural', [`## Step: A {#a ${attribute}}`]))
    expect(flow?.tree_structure).toEqual({ steps: [{ ...step, ...fields }] })
  })
})

describe('a limit of a step', () => {
  const repeat = (count: number, line: string) => Array.from({ length: count }, () => line)

  it.each([
    ['20 attachments', repeat(20, 'Attachment: "KB" <https://a.example>'), []],
    [
      '21 attachments',
      repeat(21, 'Attachment: "KB" <https://a.example>'),
      ['5: There are more than 20 attachments'],
    ],
    [
      '30 attachments',
      repeat(30, 'Attachment: "KB" <https://a.example>'),
      ['5: There are more than 20 attachments'],
    ],
    ['11 requirements', repeat(11, 'Evidence: text k "L"'), ['5: There are more than 10 evidence']],
    ['30 requirements', repeat(30, 'Evidence: text k "L"'), ['5: There are more than 10 evidence']],
    [`100 options of evidence`, [`Evidence: select k "L" ${repeat(100, '"a"').join(' ')}`], []],
    [
      `102 options of evidence`,
      [`Evidence: select k "L" ${repeat(102, '"a"').join(' ')}`],
      ['6: There are more than 100 options'],
    ],
    [
      `103 options of evidence`,
      [`Evidence: select k "L" ${repeat(103, '"a"').join(' ')}`],
      ['6: This evidence is invalid; write Evidence: type key "label"'],
    ],
    ['51 fallback steps', repeat(51, '### Fallback: F'), ['5: There are more than 50 fallback steps']],
    ['52 fallback steps', repeat(52, '### Fallback: F'), ['5: There are more than 50 fallback steps']],
  ])('is checked: %s', (_, lines, problems) => {
    const result = readStep(...lines)
    expect(Array.isArray(result) ? result : []).toEqual(problems)
  })

  it('is 300 steps', () => {
    const check = (count: number) =>
      readFlowMarkdown(
        flowFile(
          'procedural',
          Array.from({ length: count }, (_, n) => `## Step: x {#s${n}}`),
        ),
      ).problems
    expect(check(300)).toEqual([])
    expect(check(301)).toEqual([{ line: 305, message: 'The flow has 301 steps; at most 300 are allowed' }])
  })

  it('is 100 fields of an intake form', () => {
    const rows = (count: number) => Array.from({ length: count }, (_, n) => `|k${n}|K|text|`)
    const check = (count: number) => checkIntakeTable('|key|label|type|', '|-|-|-|', ...rows(count))
    expect(check(100)).toEqual([])
    expect(check(101)).toEqual(['109: There are more than 100 fields'])
    expect(check(103)).toEqual(['109: There are more than 100 fields'])
  })
})

it('a fallback step cannot have what only a step can have', () => {
  expect(
    checkSteps(
      '## Step: A {#a}',
      '### Fallback: F {#f}',
      'Evidence: text k "L"',
      'Approval: engineer minutes=5',
      `Subflow: {"tree_id":"${user}"}`,
      '## End',
    ),
  ).toEqual([
    '7: A fallback cannot require evidence',
    '8: A fallback cannot require an approval',
    '9: A fallback cannot have a sub-flow',
  ])
})

describe('a tree', () => {
  const readTree = (...lines: string[]) =>
    readFlowMarkdown(flowFile('troubleshooting', lines)).flow?.tree_structure as FlowNode

  it('places a node below the one that its attribute names', () => {
    expect(readTree('## Decision: A {#a}', '## Solution: B {#b under=a}')).toMatchObject({
      id: 'a',
      children: [{ id: 'b' }],
    })
  })

  it('refuses an unknown parent, and a parent of the first node', () => {
    expect(checkTree('## Decision: A {#a}', '## Solution: B {#b under=x}')).toContain(
      '6: The attribute under names #x, which is not in this file',
    )
    expect(checkTree('## Action: A {#a under=b}', '-> #b', '## Solution: B {#b}')).toEqual([
      '5: The first node is the start of the flow; remove its attribute under',
    ])
  })

  it('reads a loose link, which places no node below this one', () => {
    expect(
      readTree(
        '## Decision: A {#a}',
        '- X -> #b {#x loose}',
        '- Y -> #b {loose}',
        '- Z -> #b',
        '## Solution: B {#b}',
      ),
    ).toMatchObject({
      options: [
        { id: 'x', label: 'X', next_node_id: 'b' },
        { id: 'option-2', label: 'Y', next_node_id: 'b' },
        { id: 'option-3', label: 'Z', next_node_id: 'b' },
      ],
      children: [{ id: 'b' }],
    })
    expect(readTree('## Action: A {#a}', '-> #far {loose}')).toEqual({
      id: 'a',
      type: 'action',
      title: 'A',
      description: '',
      next_node_id: 'far',
    })
  })

  it.each([
    '- X -> #b {loose} y',
    '- X -> #b {#x loose=1}',
    '- X -> #b {#x other}',
    '- X -> # {#x}',
    '- X -> {#x y=1}',
  ])('refuses the option %s', (line) => {
    expect(checkTree('## Decision: A {#a}', line)).toContain(
      '6: This option is invalid; write - Label -> #id',
    )
  })

  it.each([
    [2, '#a -> #n2 -> #a'],
    [9, '#a -> #n2 -> #n3 -> #n4 -> #n5 -> #n6 -> #n7 -> #n8 -> #n9 -> #a'],
    [10, '#n2 -> #n3 -> #n4 -> #n5 -> #n6 -> #n7 -> #n8 -> #n9 -> #n10 -> #a'],
  ])('reports a cycle of %i nodes', (count, names) => {
    const ids = ['a', ...Array.from({ length: count - 1 }, (_, n) => `n${n + 2}`)]
    const nodes = ids.flatMap((id, n) => [`## Action: x {#${id}}`, `-> #${ids[(n + 1) % count]}`])
    const [problem] = checkTree('## Solution: R {#r}', ...nodes)
    expect(problem).toContain(names)
  })
})

it.each([
  ['yes', true],
  ['YES', true],
  ['true', true],
  ['no', false],
  ['False', false],
])('the cell %s of an intake table is %s', (cell, value) => {
  const lines = ['## Intake', '|key|label|type|required|', '|-|-|-|-|', `|k|K|text|${cell}|`]
  const form = readFlowMarkdown(flowFile('procedural', lines)).flow?.intake_form as IntakeField[]
  expect(form[0]?.required).toBe(value)
})

it.each([
  ['number', '08', 8],
  ['number', '-1.50', -1.5],
  ['number', 'ten', 'ten'],
  ['number', '"7"', 7],
  ['boolean', 'Yes', true],
  ['boolean', 'maybe', 'maybe'],
  ['text', '5', '5'],
  ['text', 'true', 'true'],
  ['date', '2026-11-21', '2026-11-21'],
])('FLO-69 a default of a %s field that is written as %s is %j', (type, cell, value) => {
  const lines = ['## Intake', '|key|label|type|required|default|', '|-|-|-|-|-|', `|k|K|${type}|no|${cell}|`]
  expect(readFlowMarkdown(flowFile('procedural', lines)).flow?.intake_form?.[0]?.default).toBe(value)
})

it('an intake table has a row of dashes, and each row ends with or without a bar', () => {
  const read = (...lines: string[]) =>
    readFlowMarkdown(flowFile('procedural', ['## Intake', ...lines])).flow?.intake_form
  const field = { key: 'k', label: 'K', type: 'text', required: false }
  expect(read('|key|label|type', '|:-:|-:|---', '|k|K|text')).toEqual([field])
  expect(read('|key|label|type|', '|-|-|-|', '  | k | K | text |  ')).toEqual([field])
  expect(read('|key|label|type|help_text', '|-|-|-|-', '|k|K|text|a \\|')).toEqual([
    { ...field, help_text: 'a |' },
  ])
  expect(checkIntakeTable('|key|label|type|', '|-|x|-|', '|k|K|text|')).toEqual([
    '8: The second row of the intake table must be a row of dashes: |---|---|',
  ])
  expect(checkIntakeTable('|key|label|key|', '|-|-|-|')).toHaveLength(1)
  expect(checkIntakeTable('|key|label|type|', '|-|-|-|', '|')).toEqual([
    '9: This row has 1 cells, but the table has 3 columns; write | inside a cell as \\|',
  ])
})

describe('the description of a step', () => {
  it.each([
    '',
    ' ',
    'a',
    '\na',
    'a\n',
    '\n\na\n\nb\n \n',
    ' \n',
    '\\',
    '\\## a',
    '- a -> #b',
    '~~~\ncode\n\n~~~\n',
  ])('is read back exactly as it was written: %j', (description) => {
    const tree_structure = { steps: [{ id: 'a', type: 'procedure_step' as const, title: 'A', description }] }
    const text = writeFlowMarkdown({ name: 'X', tree_type: 'procedural', tree_structure })
    expect(readFlowMarkdown(text).flow?.tree_structure).toEqual(tree_structure)
  })

  it('is escaped only where it would be read as something else', () => {
    expect(escapeDescription('\na\n\nb\n')).toEqual(['\\', 'a', '', 'b', '\\'])
    expect(escapeDescription(' ')).toEqual(['\\ '])
    expect(escapeDescription('')).toEqual([])
  })
})

describe('the problems of a file', () => {
  const listProblems = (lines: readonly number[]) => {
    const problems = createProblemList()
    for (const line of lines) problems.report(line, 'x')
    return problems.list()
  }
  const lines = (count: number) => Array.from({ length: count }, (_, n) => count - n)

  it('are listed by line, at most 200 and a count of the others', () => {
    expect(listProblems([2, 1])).toEqual([
      { line: 1, message: 'x' },
      { line: 2, message: 'x' },
    ])
    expect(listProblems(lines(200)).at(-1)).toEqual({ line: 200, message: 'x' })
    expect(listProblems(lines(201)).slice(-2)).toEqual([
      { line: 200, message: 'x' },
      { line: 200, message: 'There are 1 more problems' },
    ])
    expect(listProblems(lines(201))).toHaveLength(201)
  })

  it('are stored up to 10,000, and the others only counted', () => {
    expect(listProblems(lines(10_000)).at(0)).toEqual({ line: 1, message: 'x' })
    expect(listProblems(lines(10_001)).at(0)).toEqual({ line: 2, message: 'x' })
    expect(listProblems(lines(10_001)).at(-1)).toEqual({ line: 201, message: 'There are 9801 more problems' })
  })
})

it.each([
  '{#a',
  '{#a} b',
  '{#}',
  '{#"a}',
  '{#"\\ud800"}',
  '{#a x=}',
  '{#a x x}',
  '{#a x=1 x=2}',
  '{#a X=1}',
  '{#a,b=1}',
  '{#a "x"}',
])('the attribute block %s is invalid', (block) => {
  expect(checkSteps(`## Step: A ${block}`)).toContain(
    '5: The attributes after {# are invalid; end the line with {#id} or {#id name=value}, and write {# in a title as {\\#',
  )
})

it('an attribute of a step that has no value is reported with its name', () => {
  expect(
    checkSteps(
      '## Step: A {#a minutes}',
      '## Step: B {#b minutes=1234567890}',
      '## Step: C {#c minutes=-1}',
      '## End',
    ),
  ).toEqual([
    '5: The attribute minutes needs a value: minutes=…',
    '6: The minutes must be a number',
    '7: The minutes must be a number',
  ])
})
