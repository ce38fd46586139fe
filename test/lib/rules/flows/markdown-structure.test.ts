import '#field-messages.ts'
import { describe, expect, it } from 'vitest'
import { readFlowMarkdown } from '#rules/flows/markdown/read.ts'
import { checkFile, checkIntakeTable, checkSteps, checkTree, flowFile } from '#test/support/markdown.ts'

describe('a tree', () => {
  it('FLO-57 reports every link without a valid target', () => {
    expect(
      checkTree(
        '## Decision: A {#a}',
        '- One -> #b',
        '- Two -> #gone',
        '- Three -> #a',
        '## Action: B {#b}',
        '-> #c',
        '## Action: C {#c}',
        '-> #b',
        '## Solution: D {#d}',
      ),
    ).toEqual([
      '7: This link leads to #gone, which is not in this file',
      '8: This link leads back to “A”, the start of the flow; links must lead forward',
      '12: “A” already leads to #b; write a separate node for this link',
      '13: Nothing leads to “D”; add - Label -> #d or -> #d above',
    ])
  })

  it('FLO-57 refuses an id on a link', () => {
    expect(checkTree('## Action: A {#a}', '-> #b {#c}', '## Solution: B {#b}')).toEqual([
      '6: This link is invalid; write -> #id',
      '7: Nothing leads to “B”; add - Label -> #b or -> #b above',
    ])
  })

  it('FLO-57 reports each cycle once', () => {
    expect(
      checkTree(
        '## Solution: A {#a}',
        '## Action: B {#b}',
        '-> #c',
        '## Action: C {#c}',
        '-> #b',
        '## Action: D {#d}',
        '-> #d',
      ),
    ).toEqual(['6: The flow has a cycle here: #b -> #c -> #b', '10: The flow has a cycle here: #d -> #d'])
  })

  it('FLO-57 reports all invalid headings and lines together', () => {
    expect(
      checkTree(
        'Hello',
        '## Decision: {#a}',
        ...[
          '- One -> b',
          '- Two -> #b c',
          '-> #b',
          '-> #b',
          'Attachment: "x"',
          'Attachment: "x" <ftp://x.example>',
        ],
        ...[
          '## Solution: B {#b minutes=soon shelf=1 library}',
          '## Solution: C {#a}',
          '## Step: D',
          '### Solution: E {#e',
          '## Note',
          '```',
          '## Solution: in code',
        ],
      ),
    ).toEqual([
      '5: Text before the first heading is not allowed; put the description of the flow into the front matter',
      '6: This decision has no title',
      '8: This option is invalid; write - Label -> #id',
      '10: This Decision already has a link in line 9',
      '11: This attachment is invalid; write Attachment: "title" <address>',
      '12: The URL must be an address such as https://example.com',
      '13: The attribute shelf is not allowed here; allowed: minutes, library, wait, script, under',
      '13: The attribute library needs a value: library=…',
      '13: The minutes must be a number',
      '14: The id a is used twice; line 6 has it too',
      '15: A troubleshooting flow cannot have Step; use Decision, Action and Solution',
      ...[
        '16: This heading must start with ## Solution:',
        '16: The attributes after {# are invalid; end the line with {#id} or {#id name=value}, and write {# in a title as {\\#',
      ],
      '16: Nothing leads to “E”; add - Label -> #solution-1 or -> #solution-1 above',
      '17: A heading must start with Intake, Decision:, Action:, Solution:, Step:, Section:, Fallback: or End:; put a backslash before ## to start a line of text',
      '18: This code block is not closed; close it with a line ```, or put a backslash before this line',
      '19: Nothing leads to “in code”; add - Label -> #solution-2 or -> #solution-2 above',
    ])
  })

  it('FLO-50 FLO-57 reports the line where the tree has too many nodes, too many options or too many levels', () => {
    const createChain = (n: number) =>
      Array.from({ length: n }, (_, i) =>
        i < n - 1 ? `## Action: x {#n${i}}\n-> #n${i + 1}` : `## Solution: x {#n${i}}`,
      )
    expect(checkTree(...createChain(50))).toEqual([])
    expect(readFlowMarkdown(flowFile('troubleshooting', createChain(51))).problems).toEqual([
      { line: 105, message: 'The flow is deeper than 50 levels here' },
    ])
    expect(checkTree(...createChain(501))).toContain('1005: The flow has 501 nodes; at most 500 are allowed')
    expect(
      checkTree(
        '## Decision: x {#x}',
        ...Array.from({ length: 101 }, () => '- x -> #y'),
        '## Solution: y {#y}',
      ),
    ).toContain('5: There are more than 100 options')
  })

  it('FLO-57 reads the body of the 500th node, and no further ones', () => {
    const nodes = Array.from(
      { length: 502 },
      (_, n) => `## Action: x {#n${n}}\n-> #${n < 499 ? `n${n + 1}` : ''}`,
    )
    const invalidLinks = checkTree(...nodes).filter((problem) => problem.includes('This link is invalid'))
    expect(invalidLinks).toEqual(['1004: This link is invalid; write -> #id'])
  })

  it('FLO-56 reads quoted ids, and texts that look like markup', () => {
    const { flow } = readFlowMarkdown(
      flowFile('troubleshooting', [
        '## decision: Is {\\#1} -> #2? {#"a b"}',
        'See -> #4',
        '- Go to A -> B -> #"ü \\"}" {#x}',
        '* C',
        '+ D -> #e',
        '## Solution: E {#e}',
        '## Solution: U {#"ü \\"}"}',
      ]),
    )
    expect(flow?.tree_structure).toMatchObject({
      id: 'a b',
      title: 'Is {#1} -> #2?',
      description: 'See -> #4\n* C',
      options: [
        { id: 'x', label: 'Go to A -> B', next_node_id: 'ü "}' },
        { id: 'option-2', label: 'D', next_node_id: 'e' },
      ],
      children: [{ id: 'e' }, { id: 'ü "}' }],
    })
  })

  it('FLO-57 reports each invalid option and field at its own line', () => {
    const decision = [
      '## Decision: A {#a}',
      '- One -> #b',
      '- Two ->',
      '- -> #c',
      '## Solution: B {#b}',
      '## Solution: C {#c}',
    ]
    expect(
      checkTree(...decision, '## Intake', '|key|label|type|', '|-|-|-|', '|k|l|text|', '|m|n|select|'),
    ).toEqual([
      '7: The option “Two” leads nowhere',
      '8: Option 3 has no label',
      '15: The field m needs at least one option',
    ])
    expect(
      checkTree('## Decision: A {#a}', '- One -> #b {#option-2}', '- Two -> #b', '## Solution: B {#b}'),
    ).toEqual(['7: The option id option-2 is used twice in this decision'])
  })

  it('FLO-57 reports characters that cannot be stored, in any place', () => {
    for (const unstorableLines of [
      '## Solution: x {#"\\u0000"}',
      '## Solution: x {#"\\ud800"}',
      '## Solution: x {#x}\nAttachment: "\\u0000" <https://a.example>',
    ])
      expect(checkTree(unstorableLines)).toHaveLength(1)
    expect(checkFile('---\nname: "\\u0000"\ntype: procedural\n---')).toEqual([
      '2: The value of name contains a character that cannot be stored',
    ])
    expect(
      checkFile('---\nname: X\ntype: procedural\ntags: ["\\ud800"]\n---\n## Step: x\nDo.\n## End'),
    ).toEqual(['4: The value of tags contains a character that cannot be stored'])
    expect(checkIntakeTable('|key|label|type|default|', '|-|-|-|-|', '|a|b|text|"\\u0000"|')).toEqual([
      '9: The cell under default must be valid JSON without NUL or lone surrogates if it starts with " or [',
    ])
  })
})

describe('a list of steps', () => {
  it('FLO-56 needs no ids, and no title for its end', () => {
    const { flow } = readFlowMarkdown(
      flowFile('procedural', ['## Step: A', '### Fallback: B', '## Step: C {#step-1}', '## End']),
    )
    expect(flow?.tree_structure).toEqual({
      steps: [
        {
          id: 'step-2',
          type: 'procedure_step',
          title: 'A',
          description: '',
          fallback_steps: [{ id: 'fallback-3', title: 'B', description: '' }],
        },
        { id: 'step-1', type: 'procedure_step', title: 'C', description: '' },
        { id: 'end-4', type: 'procedure_end', title: '', description: '' },
      ],
    })
  })

  it('FLO-57 reports links, a fallback before its step, and a missing or repeated end', () => {
    expect(
      checkSteps(
        '### Fallback: A',
        '## Step: {#b}',
        '-> #c',
        '### Fallback: {#f x=1}',
        'Attachment: "x" <https://x.example>',
      ),
    ).toEqual([
      '5: A fallback must be below its step; there is no step above this one',
      '6: This step has no title',
      '7: Only a troubleshooting flow can have links; put a backslash before this line if it is text',
      '8: The attribute x is not allowed here; allowed: only an id',
      '8: This fallback step has no title',
      '9: A fallback cannot have attachments',
    ])
    expect(checkSteps('## End', '## Step: A', '## End')).toEqual([
      '5: Only the last step can be a procedure_end; the flow has another one below',
    ])
    expect(checkSteps('## Step: A')).toEqual(['1: The flow needs a procedure_end as its last step'])
    expect(checkSteps()).toEqual(['1: The flow has no steps yet'])
  })
})
