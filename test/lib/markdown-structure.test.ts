import { describe, expect, it } from 'vitest'
import { readMarkdown } from '../../lib/flows/markdown/read.ts'
import { headed, intake, said, steps, tree } from '../support/markdown.ts'

describe('a tree', () => {
  it('FLO-57 says every link that has no place to lead to', () => {
    expect(
      tree(
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
      '7: It leads to #gone, which is no node of this file',
      '8: It leads back to “A”, where the flow begins: a flow only goes on',
      '12: “A” leads to #b already: a node has one place, so this needs one of its own',
      '13: Nothing leads to “D”: - Label -> #d or -> #d above would',
    ])
  })

  it('FLO-57 has an id on an option, none on a link', () => {
    expect(tree('## Action: A {#a}', '-> #b {#c}', '## Solution: B {#b}')).toEqual([
      '6: This link cannot be read; write -> #id',
      '7: Nothing leads to “B”: - Label -> #b or -> #b above would',
    ])
  })

  it('FLO-57 says a circle once', () => {
    expect(tree('## Solution: A {#a}', '## Action: B {#b}', '-> #c', '## Action: C {#c}', '-> #b', '## Action: D {#d}', '-> #d')).toEqual([
      '6: From here the flow runs in a circle: #b -> #c -> #b',
      '10: From here the flow runs in a circle: #d -> #d',
    ])
  })

  it('FLO-57 says what else is wrong with headings and lines, all at once', () => {
    expect(
      tree(
        'Hello',
        '## Decision: {#a}',
        ...['- One -> b', '- Two -> #b c', '-> #b', '-> #b', 'Attachment: "x"', 'Attachment: "x" <ftp://x.example>'],
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
      '5: Text stands before the first heading; the flow’s description belongs into the front matter',
      '6: This decision has no title',
      '8: This option cannot be read; write - Label -> #id',
      '10: This Decision leads on already, in line 9',
      '11: This attachment cannot be read; write Attachment: "title" <address>',
      '12: The URL is not valid',
      '13: There is no attribute shelf here; there are minutes, library, script, under',
      '13: The attribute library has no value: library=…',
      '13: The minutes are no number',
      '14: The id a is used twice: line 6 has it too',
      '15: A troubleshooting flow has no Step, but Decision, Action and Solution',
      ...[
        '16: Write ## Solution: with 2 #',
        '16: What follows {# cannot be read: it is {#id} or {#id name=value}, and ends the line; in a title write {\\#',
      ],
      '16: Nothing leads to “E”: - Label -> #solution-1 or -> #solution-1 above would',
      '17: A heading begins with Intake, Decision:, Action:, Solution:, Step:, Section:, Fallback: or End:; a backslash before it makes it text',
      '18: The code that begins here never ends; a line ``` closes it, a backslash before it makes it text',
      '19: Nothing leads to “in code”: - Label -> #solution-2 or -> #solution-2 above would',
    ])
  })

  it('FLO-50 FLO-57 says where it has too many nodes, or goes too deep', () => {
    const chain = (n: number) =>
      Array.from({ length: n }, (_, i) => (i < n - 1 ? `## Action: x {#n${i}}\n-> #n${i + 1}` : `## Solution: x {#n${i}}`))
    expect(tree(...chain(50))).toEqual([])
    expect(readMarkdown(headed('troubleshooting', chain(51))).problems).toEqual([
      { line: 105, message: 'The flow is deeper than 50 levels here' },
    ])
    expect(tree(...chain(501))).toContain('1005: The flow has 501 nodes; at most 500 are possible')
    expect(tree('## Decision: x {#x}', ...Array.from({ length: 101 }, () => '- x -> #y'), '## Solution: y {#y}')).toContain(
      '5: There are more than 100 options',
    )
  })

  it('FLO-56 takes ids that are no words, and texts that look like more than they are', () => {
    const { flow } = readMarkdown(
      headed('troubleshooting', [
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

  it('FLO-57 says what stops it from being published at the option or field concerned', () => {
    const decision = ['## Decision: A {#a}', '- One -> #b', '- Two ->', '- -> #c', '## Solution: B {#b}', '## Solution: C {#c}']
    expect(tree(...decision, '## Intake', '|key|label|type|', '|-|-|-|', '|k|l|text|', '|m|n|select|')).toEqual([
      '7: The option “Two” leads nowhere',
      '8: Option 3 has no label',
      '15: The field m has nothing to choose from',
    ])
    expect(tree('## Decision: A {#a}', '- One -> #b {#option-2}', '- Two -> #b', '## Solution: B {#b}')).toEqual([
      '7: The option id option-2 is used twice in this decision',
    ])
  })

  it('FLO-57 refuses what cannot be stored, wherever it hides', () => {
    for (const hidden of [
      '## Solution: x {#"\\u0000"}',
      '## Solution: x {#"\\ud800"}',
      '## Solution: x {#x}\nAttachment: "\\u0000" <https://a.example>',
    ])
      expect(tree(hidden)).toHaveLength(1)
    expect(said('---\nname: "\\u0000"\ntype: procedural\n---')).toEqual(['2: The value of name holds a character that cannot be stored'])
    expect(said('---\nname: X\ntype: procedural\ntags: ["\\ud800"]\n---\n## Step: x\nDo.\n## End')).toEqual([
      '4: The value of tags holds a character that cannot be stored',
    ])
    expect(intake('|key|label|type|default|', '|-|-|-|-|', '|a|b|text|"\\u0000"|')).toEqual([
      '9: The cell under default cannot be read: what begins with " or [ is JSON',
    ])
  })
})

describe('a list of steps', () => {
  it('FLO-56 needs no ids, and its end no title', () => {
    const { flow } = readMarkdown(headed('procedural', ['## Step: A', '### Fallback: B', '## Step: C {#step-1}', '## End']))
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

  it('FLO-57 has no links, no fallback before its step, and one end', () => {
    expect(steps('### Fallback: A', '## Step: {#b}', '-> #c', '### Fallback: {#f x=1}', 'Attachment: "x" <https://x.example>')).toEqual([
      '5: A fallback stands below the step it belongs to; here is none yet',
      '6: This step has no title',
      '7: Steps are done as they stand; only a troubleshooting flow has links. A backslash before the line makes it text',
      '8: There is no attribute x here; there is only the id',
      '8: This fallback step has no title',
      '9: A fallback has no attachments',
    ])
    expect(steps('## End', '## Step: A', '## End')).toEqual(['5: The flow has more than one procedure_end; only the last step is one'])
    expect(steps('## Step: A')).toEqual(['1: The flow has no procedure_end; it is the last step'])
    expect(steps()).toEqual(['1: The flow has no steps yet'])
  })
})
