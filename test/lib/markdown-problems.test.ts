import { describe, expect, it } from 'vitest'
import { readMarkdown } from '../../lib/flows/markdown/read.ts'
import { headed, intake, said } from '../support/markdown.ts'

describe('the front matter', () => {
  it('FLO-57 must be there, closed, with name and type', () => {
    expect(said('')).toEqual(['1: The file begins with front matter: a line ---, then name: and type:, then a line ---'])
    expect(said('---\nname: X\ntype: procedural\n## End: x')).toEqual([
      '1: The front matter that begins here is never closed by a line ---',
    ])
    expect(said('---\n---')).toEqual(['1: The front matter has no name', '1: The front matter has no type'])
    expect(said('---\nname:\ntype: ~\n---')).toEqual(['2: The front matter has no name', '3: The front matter has no type'])
  })

  it('FLO-57 says each wrong line of it', () => {
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
    const [first, ...others] = said(['---', ...lines, '---'].join('\n'))
    expect(first).toBe('3: The type is one of troubleshooting, procedural, maintenance')
    expect(others).toEqual([
      '4: The front matter says name twice',
      '5: The front matter has name, type, category, tags and description, but no author',
      '6: The category is longer than 200 characters',
      '7: The tags are no text',
      '8: The description is no text',
      '9: The front matter is not YAML: Missing closing "quote',
      '9: The front matter says tags twice',
    ])
  })

  it('FLO-56 takes what people write: bare numbers, lists between commas or in lines, folded texts, a byte order mark', () => {
    const { flow } = readMarkdown(
      '\ufeff---\r\nname: 2024\r\ntype: maintenance\r\ncategory: yes\r\ntags:\r\n  - 1.0\r\n  - null set\r\ndescription: >-\r\n  two\r\n  lines\r\n---\r\n',
    )
    expect(flow).toMatchObject({ name: '2024', category: 'yes', tags: ['1.0', 'null set'], description: 'two lines', tree_structure: null })
    expect(readMarkdown('---\nname: X\ntype: procedural\ntags: a, b\n---').flow?.tags).toEqual(['a', 'b'])
  })
})

describe('the intake table', () => {
  it('FLO-54 FLO-57 says each row that is no field', () => {
    expect(
      intake(
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
      '9: The key is not valid: Must be lower-case letters, digits and underscores, beginning with a letter',
      '10: The cell under required cannot be read: yes or no',
      '11: The type is one of text, textarea, number, select, multiselect, boolean, date, email, ip, hostname',
      '12: The cell under min cannot be read: a number',
      '13: This row has 2 cells, the first row of the table 6; a | inside a cell is written \\|',
      '14: Under Intake stands only its table; this line does not begin with |',
      '15: The cell under options cannot be read: a list as ["one", "two"], or words between commas',
      '17: The key f is used twice',
      '18: The field g has nothing to choose from',
    ])
  })

  it('FLO-57 stands once, with columns it knows', () => {
    expect(intake('| key | name |', 'x', '## Intake')).toEqual([
      '7: The columns of the intake table are key, label, type, required, options, default, help_text, min, max, pattern, each once; not “name”',
      '8: Under the first row of the intake table is a row of dashes: |---|---|',
      '9: There is more than one Intake',
    ])
    expect(intake('key')).toContain(
      '7: Under Intake stands a table: | key | label | type | required | options | default | help_text | min | max | pattern |',
    )
  })

  it('FLO-56 reads numbers, lists and texts in cells as they were meant', () => {
    const rows = [
      '| a | a\\|b | number | 5 |',
      '| b | b | text | 1.0 |',
      '| c | c | text | "5" |',
      '| d | d | boolean | true |',
      '| e | e | multiselect | ["x"] |',
    ]
    const { flow } = readMarkdown(headed('procedural', ['## Intake', '| key | label | type | default |', '|-|-|-|-|', ...rows]))
    expect(flow?.intake_form?.map((field) => [field.label, field.default])).toEqual([
      ['a|b', 5],
      ['b', '1.0'],
      ['c', '5'],
      ['d', true],
      ['e', ['x']],
    ])
  })
})
