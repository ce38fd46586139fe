import { describe, expect, it } from 'vitest'
import { readFlowMarkdown } from '#rules/flows/markdown/read.ts'
import { contentFields } from '#rules/flows/rfflow.ts'
import { checkFile, checkIntakeTable, checkSteps, flowFile } from '#test/support/markdown.ts'

const keys = new Intl.ListFormat('en-GB').format(
  Object.keys(contentFields).map((field) => (field === 'tree_type' ? 'type' : field)),
)

describe('the front matter', () => {
  it('FLO-57 reports missing or unclosed front matter, and front matter without a name or type', () => {
    expect(checkFile('')).toEqual([
      '1: The file must start with front matter: a line ---, then name: and type:, then a line ---',
    ])
    expect(checkFile('---\nname: X\ntype: procedural\n## End: x')).toEqual([
      '1: The front matter that starts here needs a closing line ---',
    ])
    expect(checkFile('---\n---')).toEqual([
      '1: The front matter has no name',
      '1: The front matter has no type',
    ])
    expect(checkFile('---\nname:\ntype: ~\n---')).toEqual([
      '2: The front matter has no name',
      '3: The front matter has no type',
    ])
  })

  it('FLO-57 reports each invalid line of the front matter', () => {
    const lines = [
      'name: X',
      'type: flow',
      'name: Y',
      'author: me',
      `category: ${'x'.repeat(201)}`,
      'tags: [a, {b: c}]',
      'description: [x]',
      'tags: "',
    ]
    const [firstProblem, ...otherProblems] = checkFile(['---', ...lines, '---'].join('\n'))
    expect(firstProblem).toBe('3: The type must be one of troubleshooting, procedural, maintenance')
    expect(otherProblems).toEqual([
      '4: The front matter has name twice',
      `5: Unknown key author in the front matter; the keys are ${keys}`,
      '6: The category must have at most 200 characters',
      '7: The tags must be text',
      '8: The description must be text',
      '9: The front matter is not valid YAML: Missing closing "quote',
      '9: The front matter has tags twice',
    ])
  })

  it('FLO-56 reads front matter with bare numbers, comma-separated and multi-line lists, folded texts and a byte order mark', () => {
    const { flow } = readFlowMarkdown(
      '\ufeff---\r\nname: 2024\r\ntype: maintenance\r\ncategory: yes\r\ntags:\r\n  - 1.0\r\n  - null set\r\ndescription: >-\r\n  two\r\n  lines\r\n---\r\n',
    )
    expect(flow).toMatchObject({
      name: '2024',
      category: 'yes',
      tags: ['1.0', 'null set'],
      description: 'two lines',
      tree_structure: null,
    })
    expect(readFlowMarkdown('---\nname: X\ntype: procedural\ntags: a, b\n---').flow?.tags).toEqual(['a', 'b'])
  })
})

describe('the length of the front matter', () => {
  const createFile = (lineCount: number) =>
    ['---', 'name: X', 'type: procedural', ...Array.from({ length: lineCount - 3 }, () => '#'), '---'].join(
      '\n',
    )

  it('reports more than 1,000 lines', () => {
    expect(checkFile(createFile(1000))).not.toContain(
      '1000: The front matter is too long: at most 1000 lines are allowed',
    )
    expect(checkFile(createFile(1001))).toContain(
      '1000: The front matter is too long: at most 1000 lines are allowed',
    )
  })

  it('reports more than 32,000 characters', () => {
    const problem = '1: The front matter is too long: at most 32,000 characters are allowed'
    const checkLength = (length: number) =>
      checkFile(`---\nname: X\ntype: procedural\n#${'x'.repeat(length - 26)}\n---`)
    expect(checkLength(32_000)).not.toContain(problem)
    expect(checkLength(32_001)).toContain(problem)
  })

  it('reports front matter that is no map, and a key that is no text', () => {
    expect(checkFile('---\ntext\n---')).toContain(
      '2: The front matter must have lines of the form name: value',
    )
    expect(checkFile('---\n? [a]\n: b\n---')).toContain(
      `2: Unknown key a list or map as a key in the front matter; the keys are ${keys}`,
    )
  })
})

describe('the intake table', () => {
  it('FLO-54 FLO-57 reports each row of the intake table that is not a valid field', () => {
    expect(
      checkIntakeTable(
        ...['| Key | label | type | required | min | options |', '|---|:-:|---|---|---|---|'],
        ...[
          '| A | a | text | | | |',
          '| a | | text | maybe | | |',
          '| b | b | words | | | |',
          '| c | c | text | | few | |',
          '| d | d |',
          'and so on',
        ],
        ...[
          '| e | e | select | | | "x", y |',
          '| f | f | text | | | |',
          '| f | f | text | | | |',
          '| g | g | select | | | |',
        ],
      ),
    ).toEqual([
      '9: The key must start with a lower-case letter and contain only lower-case letters, digits and underscores',
      '10: The cell under required must be yes or no',
      '11: The type must be one of text, textarea, number, select, multiselect, boolean, date, email, ip, hostname',
      '12: The cell under min must be a number',
      '13: This row has 2 cells, but the table has 6 columns; write | inside a cell as \\|',
      '14: The Intake section can contain only its table; this line does not start with |',
      '15: The cell under options must be a list such as ["one", "two"], or texts separated by commas',
      '17: The key f is used twice',
      '18: The field g needs at least one option',
    ])
  })

  it('FLO-57 reports a missing table, an unknown column, a missing row of dashes and a second Intake section', () => {
    expect(checkIntakeTable('| key | name |', 'x', '## Intake')).toEqual([
      '7: The intake table can have the columns key, label, type, required, options, default, help_text, min, max, pattern, secret, each once; not “name”',
      '8: The second row of the intake table must be a row of dashes: |---|---|',
      '9: There is more than one Intake section',
    ])
    expect(checkIntakeTable('key')).toContain(
      '7: The Intake section must contain a table: | key | label | type | required | options | default | help_text | min | max | pattern | secret |',
    )
  })

  it('FLO-56 reads numbers, lists and texts from the cells of the intake table', () => {
    const rows = [
      '| a | a\\|b | number | 5 |',
      '| b | b | text | 1.0 |',
      '| c | c | text | "5" |',
      '| d | d | boolean | true |',
      '| e | e | multiselect | ["x"] |',
    ]
    const { flow } = readFlowMarkdown(
      flowFile('procedural', ['## Intake', '| key | label | type | default |', '|-|-|-|-|', ...rows]),
    )
    expect(flow?.intake_form?.map((field) => [field.label, field.default])).toEqual([
      ['a|b', 5],
      ['b', '1.0'],
      ['c', '5'],
      ['d', true],
      ['e', ['x']],
    ])
  })
})

describe('the marked lines of a step', () => {
  const checkStep = (...lines: string[]) => checkSteps('## Step: A {#a}', ...lines, '## End: B {#b}')

  it('accepts one approval, and evidence with options', () => {
    expect(checkStep('Evidence: select key "Label" "a" "b"', 'Approval: engineer minutes=60')).toEqual([])
  })

  it.each([
    [
      'Evidence: text key "Label" "',
      'Evidence: text key "Label',
      'This evidence is invalid; write Evidence: type key "label"',
    ],
    [
      'Approval: engineer minutes=x',
      'Approval: engineer minutes=1 x',
      'This approval is invalid; write Approval: role minutes=60',
    ],
    ['Subflow: {x', 'Subflow: {"a":}', 'This sub-flow is invalid; write Subflow: {"tree_id":"…"}'],
    [
      'Attachment: "a"',
      'Attachment: "a" <https://a.example> b',
      'This attachment is invalid; write Attachment: "title" <address>',
    ],
  ])('refuses %j and %j', (...lines) => {
    const message = lines.pop()
    for (const line of lines) expect([line, checkStep(line)[0]]).toEqual([line, `6: ${message}`])
  })

  it('refuses a second approval and a second sub-flow', () => {
    expect(checkStep('Approval: engineer minutes=60', 'Approval: team_admin minutes=60')).toEqual([
      '7: This Step already has an approval in line 6',
    ])
    const subflow = 'Subflow: {"tree_id":"01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d16"}'
    expect(checkStep(subflow, subflow)).toContain('7: This Step already has a sub-flow in line 6')
  })
})
