import { describe, expect, it } from 'vitest'
import { readFlowMarkdown } from '#rules/flows/markdown/read.ts'
import { writeFlowMarkdown } from '#rules/flows/markdown/write.ts'
import type { FlowContent } from '#rules/flows/rfflow.ts'
import type { FlowNode, FlowStep, IntakeField } from '#rules/flows/structure.ts'
import { createEnd, createSolution, createStep } from '#test/support/flow-nodes.ts'

const flow: FlowContent = { name: 'X', tree_type: 'procedural', tree_structure: null }
/**
 * Write the flow, check that reading it returns its fields, and return the lines after those of `flow`
 * itself.
 */
function write(fields: Partial<FlowContent>): string[] {
  const text = writeFlowMarkdown({ ...flow, ...fields })
  expect(readFlowMarkdown(text).problems).toEqual([])
  return text.split('\n')
}
const writeSections = (fields: Partial<FlowContent>) => write(fields).slice(5, -1)
const script = '0198c0de-0000-7000-8000-000000000001'
const user = '0198c0de-0000-7000-8000-000000000002'

describe('the front matter of a written flow', () => {
  it('has only a name and a type without other values', () => {
    expect(writeFlowMarkdown({ ...flow, category: null, tags: [], description: '', intake_form: [] })).toBe(
      '---\nname: X\ntype: procedural\n---\n',
    )
  })

  it('has all values in this order', () => {
    const fields = { category: 'Printing', tags: ['a', 'b c', '1'], description: 'One line' }
    expect(write(fields).slice(1, -2)).toEqual([
      'name: X',
      'type: procedural',
      'category: Printing',
      'tags: [a, b c, "1"]',
      'description: One line',
    ])
  })

  it.each([
    ['Printer offline', 'Printer offline'],
    ['a_(b)/c.d-e', 'a_(b)/c.d-e'],
    ['Ünï 2', 'Ünï 2'],
    ['1 flow', '"1 flow"'],
    ['a: b', '"a: b"'],
    ['yes', '"yes"'],
    ['No', '"No"'],
    ['NULL', '"NULL"'],
    ['y', '"y"'],
    ['yesterday', 'yesterday'],
    ['a\u0085b', '"a\\u0085b"'],
  ])('writes the name %j as %s', (name, scalar) => {
    expect(write({ name })[1]).toBe(`name: ${scalar}`)
  })

  it.each<[string, string, string[]]>([
    ['two lines', 'a\nb', ['description: |-', '  a', '  b']],
    ['a blank line', 'a\n\n  b', ['description: |-', '  a', '', '    b']],
    ['a space at the end', 'a\nb ', ['description: "a\\nb "']],
    ['a line of spaces', 'a\n  \nb', ['description: "a\\n  \\nb"']],
    ['a control character', 'a\nb\u0007c', ['description: "a\\nb\\u0007c"']],
    ['200 lines', Array(200).fill('a').join('\n'), ['description: |-', ...Array(200).fill('  a')]],
    [
      '201 lines',
      Array(201).fill('a').join('\n'),
      [`description: ${JSON.stringify(Array(201).fill('a').join('\n'))}`],
    ],
  ])('writes a description with %s', (_, description, lines) => {
    expect(write({ description }).slice(3, -2)).toEqual(lines)
    expect(readFlowMarkdown(writeFlowMarkdown({ ...flow, description })).flow?.description).toBe(description)
  })
})

describe('the intake table of a written flow', () => {
  const field: IntakeField = { key: 'k', label: 'K', type: 'text', required: false }
  const writeTable = (...fields: Partial<IntakeField>[]) => {
    const intake_form = fields.map((part, index) => ({ ...field, key: `k${index}`, ...part }))
    expect(readFlowMarkdown(writeFlowMarkdown({ ...flow, intake_form })).flow?.intake_form).toEqual(
      intake_form,
    )
    return writeSections({ intake_form })
  }

  it('has the four columns that every field needs', () => {
    expect(writeTable({}, { required: true, type: 'number' })).toEqual([
      '## Intake',
      '',
      '| key | label | type | required |',
      '|---|---|---|---|',
      '| k0 | K | text | no |',
      '| k1 | K | number | yes |',
    ])
  })

  it('has a column for each value that a field has', () => {
    expect(
      writeTable(
        { secret: true },
        { type: 'number', default: 0, min: 0, max: 9 },
        { help_text: 'Ask', pattern: 'a|b' },
      ).slice(2),
    ).toEqual([
      '| key | label | type | required | default | help_text | min | max | pattern | secret |',
      '|---|---|---|---|---|---|---|---|---|---|',
      '| k0 | K | text | no |  |  |  |  |  | yes |',
      '| k1 | K | number | no | 0 |  | 0 | 9 |  |  |',
      '| k2 | K | text | no |  | Ask |  |  | "a\\u007cb" |  |',
    ])
  })

  it.each<[Partial<IntakeField>, string]>([
    [{ options: ['a', 'b c'] }, 'a, b c'],
    [{ options: ['a,b'] }, '["a,b"]'],
    [{ options: ['[a'] }, '["[a"]'],
    [{ options: ['a|b', 'c'] }, '["a\\u007cb","c"]'],
    [{ options: ['a"b', 'c'] }, '["a\\"b","c"]'],
  ])('writes %j as %s', (fields, cell) => {
    expect(writeTable({ type: 'select', ...fields }).at(-1)).toBe(`| k0 | K | select | no | ${cell} |`)
  })

  it.each<[IntakeField['default'], string]>([
    ['text', 'text'],
    ['5', '"5"'],
    ['05', '05'],
    ['1.0', '1.0'],
    ['true', '"true"'],
    ['True', 'True'],
    ['[x', '"[x"'],
    ['a|b', '"a\\u007cb"'],
    ['a\\', '"a\\\\"'],
    [' a', '" a"'],
    ['', '""'],
    ['a\nb', '"a\\nb"'],
    [true, 'true'],
    [false, 'false'],
    [-1.5, '-1.5'],
    [['a', 'b'], '["a","b"]'],
  ])('writes the default %j as %s', (value, cell) => {
    const type = Array.isArray(value)
      ? 'multiselect'
      : (({ number: 'number', boolean: 'boolean' } as const)[typeof value as 'number'] ?? 'text')
    expect(writeTable({ type, default: value }).at(-1)).toBe(`| k0 | K | ${type} | no | ${cell} |`)
  })
})

describe('a written tree', () => {
  const writeTree = (tree_structure: FlowNode) => {
    const fields = { tree_type: 'troubleshooting', tree_structure } as const
    expect(readFlowMarkdown(writeFlowMarkdown({ ...flow, ...fields })).flow?.tree_structure).toEqual(
      tree_structure,
    )
    return writeSections(fields)
  }

  it('has a section for each node, with its links', () => {
    const root: FlowNode = {
      id: 'root',
      type: 'decision',
      title: 'Root',
      description: 'Look.',
      options: [
        { id: 'option-1', label: 'Default id', next_node_id: 'a' },
        { id: 'option-3', label: 'Own id', next_node_id: 'b' },
        { id: 'loose', label: 'Elsewhere', next_node_id: 'far' },
        { id: 'option-4', label: 'Far', next_node_id: 'far' },
        { id: 'none', label: '' },
      ],
      children: [
        {
          id: 'a',
          type: 'action',
          title: '',
          description: '',
          next_node_id: 'c',
          children: [createSolution('c')],
        },
        createSolution('b'),
        createSolution('free'),
      ],
    }
    expect(writeTree(root)).toEqual([
      '## Decision: Root {#root}',
      '',
      'Look.',
      '',
      '- Default id -> #a',
      '- Own id -> #b {#option-3}',
      '- Elsewhere -> #far {#loose loose}',
      '- Far -> #far {#option-4 loose}',
      '- -> {#none}',
      '',
      '## Action: {#a}',
      '',
      '-> #c',
      '',
      '## Solution: c {#c}',
      '',
      '## Solution: b {#b}',
      '',
      '## Solution: free {#free under=root}',
    ])
  })

  it('marks the link of an action to a node that is not below it', () => {
    expect(writeTree({ id: 'a', type: 'action', title: 'A', description: '', next_node_id: 'b c' })).toEqual([
      '## Action: A {#a}',
      '',
      '-> #"b c" {loose}',
    ])
  })
})

describe('written steps', () => {
  const writeSteps = (...steps: FlowStep[]) => {
    const tree_structure = { steps }
    expect(readFlowMarkdown(writeFlowMarkdown({ ...flow, tree_structure })).flow?.tree_structure).toEqual(
      tree_structure,
    )
    return writeSections({ tree_structure })
  }

  it('have all their attributes in one order, and each kind of line in a block of its own', () => {
    const step = createStep('a', {
      estimated_minutes: 0,
      library_visibility: 'account',
      timer: { minutes: 90 },
      script_template_id: script,
      group_label: 'Before noon',
      attachments: [
        { title: 'KB', url: 'https://a.example/x' },
        { title: 'B "c"', url: 'https://a.example/ü' },
      ],
      subflow: { tree_id: script, inputs: { host: '{{server}}' } },
      evidence: [
        { key: 'serial', type: 'text', label: 'Serial number' },
        { key: 'ok', type: 'select', label: 'OK?', options: ['yes', 'no'] },
      ],
      approval: { roles: ['engineer'], user_ids: [user], expires_after_minutes: 60 },
    })
    expect(writeSteps(step)).toEqual([
      `## Step: a {#a minutes=0 library=account wait=90 script=${script} group="Before noon"}`,
      '',
      'x',
      '',
      'Attachment: "KB" <https://a.example/x>',
      'Attachment: "B \\"c\\"" "https://a.example/ü"',
      '',
      `Subflow: {"tree_id":"${script}","inputs":{"host":"{{server}}"}}`,
      '',
      'Evidence: text serial "Serial number"',
      'Evidence: select ok "OK?" "yes" "no"',
      `Approval: engineer ${user} minutes=60`,
    ])
  })

  it('have fallback steps below them, and a section and an end with their own headings', () => {
    const fallback = { id: 'f', title: 'F', description: 'Try.' }
    expect(
      writeSteps(
        createStep('h', { type: 'section_header', description: '' }),
        createStep('a', { fallback_steps: [fallback] }),
        createEnd(),
      ),
    ).toEqual([
      '## Section: h {#h}',
      '',
      '## Step: a {#a}',
      '',
      'x',
      '',
      '### Fallback: F {#f}',
      '',
      'Try.',
      '',
      '## End: Done {#end}',
    ])
  })

  it.each<[FlowStep['approval'], string]>([
    [{ roles: ['engineer', 'account_admin'] }, 'Approval: engineer account_admin minutes='],
    [{ user_ids: [user] }, `Approval: ${user} minutes=`],
    [{ roles: ['engineer'], expires_after_minutes: 1 }, 'Approval: engineer minutes=1'],
  ])('write the approval %j as %s', (approval, line) => {
    expect(writeSteps(createStep('a', { approval })).at(-1)).toBe(line)
  })
})
