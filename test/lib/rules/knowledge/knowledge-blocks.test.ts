import { describe, expect, it } from 'vitest'
import { formatCodeBlock, maxArticleLength, maxBlocks, maxNodeLength } from '#rules/knowledge/blocks.ts'
import { createGrowingText } from '#rules/knowledge/growing-text.ts'
import { type Cell, formatTable } from '#rules/knowledge/table.ts'
import { toMarkdown } from '#rules/markup/markdown.ts'
import { createLiteralWriter } from '#test/support/knowledge.ts'

const tooLong = 'The article has more than 900,000 characters'

describe('createBlockWriter', () => {
  it.each<[Parameters<ReturnType<typeof createLiteralWriter>['add']>, unknown[]]>([
    [['heading', 'A ¶ ', 2], [{ kind: 'heading', level: 2, text: 'A' }]],
    [['heading', 'A¶b', 2], [{ kind: 'heading', level: 2, text: 'A¶b' }]],
    [['heading', '¶', 2], []],
    [['text', 'A¶'], [{ kind: 'text', level: 0, text: 'A¶' }]],
    [['text', ' \n'], []],
    [['text', '\u0000'], []],
    [['text', 'a\u0000b\ud800'], [{ kind: 'text', level: 0, text: 'ab\ufffd' }]],
    [
      ['text', `a\n${'x'.repeat(maxNodeLength - 2)}`],
      [{ kind: 'text', level: 0, text: `a\n${'x'.repeat(maxNodeLength - 2)}` }],
    ],
    [
      ['code', `a\n${'x'.repeat(maxNodeLength - 1)}`],
      [
        { kind: 'code', level: 0, text: 'a' },
        { kind: 'code', level: 0, text: 'x'.repeat(maxNodeLength - 1) },
      ],
    ],
    [
      ['text', `${'x'.repeat(maxNodeLength)}\n `],
      [{ kind: 'text', level: 0, text: 'x'.repeat(maxNodeLength) }],
    ],
  ])('adds of %j the blocks %j', ([kind, text, level], expected) => {
    const { blocks, add } = createLiteralWriter()
    add(kind, text, level)
    expect(blocks).toEqual(expected)
  })

  it('accepts 5,000 paragraphs', () => {
    const { blocks, add } = createLiteralWriter()
    for (let n = 0; n < maxBlocks; n++) add('text', 'x')
    expect(blocks).toHaveLength(maxBlocks)
    expect(() => add('text', ' ')).not.toThrow()
  })

  it('counts the characters of every line of a list', () => {
    const { add, addListLine } = createLiteralWriter()
    for (let n = 0; n < 45; n++) {
      addListLine(0, '-', 'x'.repeat(9998))
      addListLine(0, null, 'x'.repeat(9995))
    }
    add('text', 'x'.repeat(maxArticleLength - 45 * 19_999))
    expect(() => addListLine(0, null, 'x')).toThrow(tooLong)
  })

  it('joins lines to an item of up to 20,000 characters', () => {
    const listLengths = (length: number) => {
      const { blocks, addListLine } = createLiteralWriter()
      addListLine(0, '-', 'x'.repeat(length))
      addListLine(0, null, 'y')
      return blocks.map(({ text }) => text.length)
    }
    expect(listLengths(maxNodeLength - 8)).toEqual([maxNodeLength])
    expect(listLengths(maxNodeLength - 7)).toEqual([maxNodeLength - 5, 5])
  })

  it('starts an item at a marker of the outermost list, and else after what is no item', () => {
    const { blocks, add, addListLine } = createLiteralWriter()
    addListLine(1, '-', 'a')
    addListLine(0, '1.', 'b\nc')
    addListLine(0, null, 'd\ne')
    addListLine(1, '-', ' ')
    addListLine(2, '-', 'f')
    addListLine(1, null, 'g')
    add('text', 'h')
    addListLine(0, null, 'i')
    expect(blocks).toEqual([
      { kind: 'item', level: 0, text: '    - a' },
      { kind: 'item', level: 0, text: '1. b\nc\n    d\n    e\n        - f\n        g' },
      { kind: 'text', level: 0, text: 'h' },
      { kind: 'item', level: 0, text: '    i' },
    ])
  })

  it('counts the indentation of lines before it adds them', () => {
    const addLines = (depth: number, lines: number) => {
      const { blocks, addListLine } = createLiteralWriter()
      addListLine(depth, null, Array(lines).fill('x').join('\n'))
      return blocks.reduce((sum, { text }) => sum + text.length, 0) + blocks.length - 1
    }
    // A line of 16 spaces, an x and a line break.
    expect(addLines(3, maxArticleLength / 18)).toBe(maxArticleLength - 1)
    expect(() => addLines(3, maxArticleLength / 18 + 1)).toThrow(tooLong)
    const { blocks, addListLine } = createLiteralWriter()
    addListLine(1, '-', 'x'.repeat(maxArticleLength - 6))
    expect(blocks).toHaveLength(maxArticleLength / maxNodeLength)
    expect(() => createLiteralWriter().addListLine(1, '-', 'x'.repeat(maxArticleLength - 5))).toThrow(tooLong)
  })
})

describe('formatCodeBlock', () => {
  it.each([
    ['a', '', '```\na\n```'],
    ['a\n\n', 'sh', '```sh\na\n```'],
    ['``', '', '```\n``\n```'],
    ['a ``` b ```` c `', '', '`````\na ``` b ```` c `\n`````'],
  ])('of %j in the language %j is %j', (code, language, block) => {
    expect(formatCodeBlock(code, language)).toBe(block)
  })
})

describe('createGrowingText', () => {
  it.each<[string[], string, boolean]>([
    [['ab', 'c'], 'abc', true],
    [['ab', 'c'], 'bc', true],
    [['ab', 'c'], 'xabc', false],
    [['ab', 'c'], '', true],
    [['ab', ' ', '\n'], 'ab', true],
    [['a', ' ', 'b ', ''], 'a b', true],
    [['a', ' ', 'b '], 'ab', false],
    [['ab'], 'abab', false],
    [[], 'a', false],
  ])('of the parts %j tells whether %j is its end', (parts, suffix, expected) => {
    const text = createGrowingText()
    for (const part of parts) text.append(part)
    expect(text.endsWith(suffix)).toBe(expected)
    expect(text.read()).toBe(parts.join(''))
  })
})

describe('formatTable', () => {
  const cell = (text: string, columns = 1, rows = 1): Cell => ({ text: toMarkdown(text), columns, rows })
  const countCells = (line = '') => line.split('|').length - 2
  const head = (columns: number) => `|${' --- |'.repeat(columns)}`

  it.each<[string, Cell[][], string[]]>([
    ['pads short rows', [[cell('a')], [cell('b'), cell('c')]], ['| a | |', head(2), '| b | c |']],
    ['has only a header', [[cell('a'), cell('b')]], ['| a | b |', head(2)]],
    [
      'leaves out empty rows',
      [[cell('')], [cell('a'), cell('b')], [], [cell(''), cell('')]],
      ['| a | b |', head(2)],
    ],
    ['escapes pipes and line breaks', [[cell(' a|b\n\nc '), cell('|')]], ['| a\\|b c | \\| |', head(2)]],
    ['with one column becomes lines', [[cell('a')], [cell('')], [cell('b|')]], ['a', 'b|']],
    ['without rows is empty', [], ['']],
    ['has a column per covered column', [[cell('a', 3)], [cell('b')]], ['| a | | |', head(3), '| b | | |']],
    [
      'keeps the places of cells over several rows free',
      [[cell('a', 1, 3), cell('b'), cell('c', 2, 2)], [cell('d')], [cell('e'), cell('f')], [cell('g')]],
      ['| a | b | c | |', head(4), '| | d | | |', '| | e | f | |', '| g | | | |'],
    ],
    [
      'ends with the covered places of a row',
      [[cell('a'), cell('b'), cell('c', 1, 2)], [cell('d'), cell('e')], [cell('f')]],
      ['| a | b | c |', head(3), '| d | e | |', '| f | | |'],
    ],
  ])('%s', (_, rows, lines) => {
    expect(formatTable(rows)).toBe(lines.join('\n'))
  })

  it('has at most 100 columns, the last one with all further texts', () => {
    const cells = (count: number) => Array.from({ length: count }, (_, n) => cell(`${n}`))
    const [header, ruler] = formatTable([cells(103)]).split('\n')
    expect([countCells(header), countCells(ruler)]).toEqual([100, 100])
    expect(header?.endsWith('| 98 | 99 100 101 102 |')).toBe(true)
    const [wide] = formatTable([[cell('a', 99), cell('b', 5), cell('c')]]).split('\n')
    expect([countCells(wide), wide?.slice(-9)]).toEqual([100, '| | b c |'])
    expect(countCells(formatTable([[cell('a', 9999)]]).split('\n')[0])).toBe(100)
  })

  it('covers at most 1,000 rows', () => {
    const rows = Array.from({ length: 1001 }, (_, n) => [cell(`${n}`)])
    const lines = formatTable([[cell('a', 1, 5000), cell('b')], ...rows]).split('\n')
    expect([lines[1000], lines[1001]]).toEqual(['| | 998 |', '| 999 | |'])
  })

  it('has at most 900,000 characters below its header', () => {
    const row = [cell('x'.repeat(9994)), cell('')]
    const rows = (count: number) => Array.from({ length: count }, () => row)
    expect(formatTable([...rows(1), ...rows(90)]).split('\n')).toHaveLength(92)
    expect(() => formatTable([...rows(1), ...rows(90), [cell('a')]])).toThrow(tooLong)
  })
})
