import { describe, expect, it } from 'vitest'
import { readFlowMarkdown } from '../../lib/flows/markdown/read.ts'
import { checkFile, checkIntakeTable, flowFile } from '../support/markdown.ts'

describe('the front matter', () => {
  it('FLO-57 reports missing or unclosed front matter, and front matter without a name or type', () => {
    expect(checkFile('')).toEqual(['1: The file must start with front matter: a line ---, then name: and type:, then a line ---'])
    expect(checkFile('---\nname: X\ntype: procedural\n## End: x')).toEqual([
      '1: The front matter that starts here needs a closing line ---',
    ])
    expect(checkFile('---\n---')).toEqual(['1: The front matter has no name', '1: The front matter has no type'])
    expect(checkFile('---\nname:\ntype: ~\n---')).toEqual(['2: The front matter has no name', '3: The front matter has no type'])
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
      '5: Unknown key author in the front matter; the keys are name, type, category, tags and description',
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
    expect(flow).toMatchObject({ name: '2024', category: 'yes', tags: ['1.0', 'null set'], description: 'two lines', tree_structure: null })
    expect(readFlowMarkdown('---\nname: X\ntype: procedural\ntags: a, b\n---').flow?.tags).toEqual(['a', 'b'])
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
        ...['| e | e | select | | | "x", y |', '| f | f | text | | | |', '| f | f | text | | | |', '| g | g | select | | | |'],
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
    const { flow } = readFlowMarkdown(flowFile('procedural', ['## Intake', '| key | label | type | default |', '|-|-|-|-|', ...rows]))
    expect(flow?.intake_form?.map((field) => [field.label, field.default])).toEqual([
      ['a|b', 5],
      ['b', '1.0'],
      ['c', '5'],
      ['d', true],
      ['e', ['x']],
    ])
  })
})
