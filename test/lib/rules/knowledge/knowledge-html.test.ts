import { describe, expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { ArticleError } from '#rules/knowledge/blocks.ts'
import { getText, parseHtml } from '#rules/knowledge/html-tree.ts'
import { readBlocksOf } from '#test/support/articles.ts'

type ExpectedBlock = [kind: string, level: number, text: string]
const listBlocks = (html: string): ExpectedBlock[] =>
  readBlocksOf('html', html).map(({ kind, level, text }) => [kind, level, text])

it.each([
  '<p style="display:/* a */none">X</p>',
  '<p style="visibility: collapse">X</p>',
  '<p style="content-visibility:hidden">X</p>',
  '<noembed>X</noembed>',
  '<noframes>X</noframes>',
])('KBI-12 %s, which no browser shows, is left out', (markup) => {
  expect(listBlocks(`<p>Text</p>${markup}`)).toEqual([['text', 0, 'Text']])
})

it('WIR-47 the signs of references are counted by the memory of the texts around them', () => {
  const parse = (bytes: number) =>
    runWithin(createBudget({ steps: 10_000_000, bytes }), () => parseHtml('&a'.repeat(50_000)))
  expect(() => parse(3_700_000)).not.toThrow()
  expect(() => parse(3_400_000)).toThrow('The request is not valid')
})

describe('the texts of a page', () => {
  it('are read beside many forms that are not closed', () => {
    const form = '<form a b c d e f g h i j>text\n'
    expect(listBlocks(form.repeat(150))).toHaveLength(1)
  })
  it.each<[string, ExpectedBlock[]]>([
    ['a\n\t b<br> c <br>d', [['text', 0, 'a b\nc\nd']]],
    [
      '<h1>A<br>b</h1>c<h6>D</h6>',
      [
        ['heading', 1, 'A b'],
        ['text', 0, 'c'],
        ['heading', 6, 'D'],
      ],
    ],
    [
      '<h2>A<p>b</p></h2><h7>c</h7>',
      [
        ['heading', 2, 'A'],
        ['heading', 2, 'b'],
        ['text', 0, 'c'],
      ],
    ],
    [
      '<p>a</p>b<div>c<div>d</div>e</div>',
      [
        ['text', 0, 'a'],
        ['text', 0, 'b'],
        ['text', 0, 'c'],
        ['text', 0, 'd'],
        ['text', 0, 'e'],
      ],
    ],
    [
      'a<b>b</b><i> c</i><blink>d</blink>',
      [
        ['text', 0, 'ab c'],
        ['text', 0, 'd'],
      ],
    ],
    ['a<script>x</script><style>x</style><template>x</template>b', [['text', 0, 'ab']]],
    ['a<img src="x" alt="B">c<img>', [['text', 0, 'a \\[image: B\\] c']]],
    ['<a href="https://x.example">a</a>', [['text', 0, 'a (https://x.example)']]],
    ['<a href="MAILTO:a@x.example">a</a>', [['text', 0, 'a (MAILTO:a@x.example)']]],
    ['<a href="https://x.example">https://x.example </a>', [['text', 0, 'https://x.example']]],
    ['<a href="/a">a</a> <a>b</a> <b href="https://x.example">c</b>', [['text', 0, 'a b c']]],
    [
      '<pre>\n\n a\n  b\n</pre>c',
      [
        ['code', 0, '```\n\n a\n  b\n```'],
        ['text', 0, 'c'],
      ],
    ],
    ['<pre><code>a<br>b</code></pre>', [['code', 0, '```\na\nb\n```']]],
    ['<p>a</p><title>b</title>', [['text', 0, 'a']]],
  ])('of %j are %j', (html, blocks) => {
    expect(listBlocks(html)).toEqual(blocks)
  })
})

describe('the lists of a page', () => {
  it.each<[string, string[]]>([
    ['<ul><li>a<li>b</ul>', ['- a', '- b']],
    ['<ol><li>a<li>b</ol><ol><li>c</ol>', ['1. a', '2. b', '1. c']],
    ['<ol start="7"><li>a<li>b</ol>', ['7. a', '8. b']],
    ['<ol start="x"><li>a</ol><ol start="0"><li>b</ol>', ['1. a', '0. b']],
    ['<ol><li>a<ol><li>b<li>c</ol>d<li>e</ol>f', ['1. a\n    1. b\n    2. c\n    d', '2. e', 'f']],
    ['<ul><li><p>a</p><p>b</p><pre>c</pre></ul>', ['- a\n    b\n    ```\n    c\n    ```']],
    ['<ul><li><h2>a</h2>b<li> <li>c</ul>', ['- a\n    b', '- c']],
    ['<ul>a<li>b</ul>', ['    a', '- b']],
    ['<li>a</li>', ['a']],
    ['<ol><li> <li>b</ol>', ['2. b']],
  ])('of %j are %j', (html, texts) => {
    expect(listBlocks(html).map(([, , text]) => text)).toEqual(texts)
  })

  it('keep the kind of a heading outside of them', () => {
    expect(listBlocks('<ul><li><h2>a</h2></ul><h2>b</h2>')).toEqual([
      ['item', 0, '- a'],
      ['heading', 2, 'b'],
    ])
  })
})

describe('the tables of a page', () => {
  const table = (...lines: string[]): ExpectedBlock => ['table', 0, lines.join('\n')]
  const head = '| --- | --- |'

  it.each<[string, ExpectedBlock[]]>([
    ['<table><tr><th>a<th>b<tr><td>c</table>', [table('| a | b |', head, '| c | |')]],
    [
      '<table><thead><tr><td>a<td>b</thead><tfoot><tr><td>c<td>d</tfoot></table>',
      [table('| a | b |', head, '| c | d |')],
    ],
    [
      '<table><caption>A <b>b</b></caption><tr><td>a<td>b</table>',
      [['text', 0, 'A b'], table('| a | b |', head)],
    ],
    [
      '<table>A<caption> </caption><tr><td>a<td>b</tr><p>C</p></table>',
      [['text', 0, 'A\nC'], table('| a | b |', head)],
    ],
    ['<table><tr>a<td>b</tr></table>', [table('| a | b |', head)]],
    ['<table><tr><td colspan=2>a<tr><td>b<td>c</table>', [table('| a | |', head, '| b | c |')]],
    ['<table><tr><td rowspan=" 2 ">a<td>b<tr><td>c</table>', [table('| a | b |', head, '| | c |')]],
    [
      '<table><tr><td colspan=0>a<td colspan=x>b<td colspan=10000>c</table>',
      [table('| a | b | c |', '| --- | --- | --- |')],
    ],
    ['<table><tr><td><ul><li>a</ul><td>b<tr><td>c<td>d</table>', [table('| • a | b |', head, '| c | d |')]],
    [
      '<table><tr><td><ul><li>a</ul><td>b</table>',
      [
        ['item', 0, '- a'],
        ['text', 0, 'b'],
      ],
    ],
    [
      '<table><tr><td><b><ol><li>a</ol></b><td>b</table>',
      [
        ['item', 0, '1. a'],
        ['text', 0, 'b'],
      ],
    ],
    [
      '<table><tr><td>a<tr><td>b</table>',
      [
        ['text', 0, 'a'],
        ['text', 0, 'b'],
      ],
    ],
    [
      '<table role="presentation"><tr><td>a<td>b</table>',
      [
        ['text', 0, 'a'],
        ['text', 0, 'b'],
      ],
    ],
    [
      '<table role="none"><tr><td>a<td>b</table>',
      [
        ['text', 0, 'a'],
        ['text', 0, 'b'],
      ],
    ],
    ['<table role="grid"><tr><td>a<td>b</table>', [table('| a | b |', head)]],
    [
      '<table><tr><td><h3>a</h3><td>b<tr><td>c<td>d</table>',
      [
        ['heading', 3, 'a'],
        ['text', 0, 'b'],
        ['text', 0, 'c'],
        ['text', 0, 'd'],
      ],
    ],
    [
      '<table><tr><td><pre>a\nb</pre><td>c</table>',
      [
        ['code', 0, '```\na\nb\n```'],
        ['text', 0, 'c'],
      ],
    ],
    ['<table><tr><td><pre>a\n</pre><td>c</table>', [table('| `a` | c |', head)]],
    [
      '<table><tr><td><table><tr><td>a<td>b</table><td>c<tr><td>d</table>',
      [table('| a | b |', head), ['text', 0, 'c'], ['text', 0, 'd']],
    ],
    ['<ul><li>a<table><tr><td>b<td>c</table></ul>', [['item', 0, '- a\n    | b | c |\n    | --- | --- |']]],
  ])('of %j are %j', (html, blocks) => {
    expect(listBlocks(html)).toEqual(blocks)
  })
})

describe('parseHtml', () => {
  it('accepts 199 levels', () => {
    const nest = (depth: number) => `${'<div>'.repeat(depth)}a`
    expect(getText(parseHtml(nest(199))).trim()).toBe('a')
    expect(() => parseHtml(nest(200))).toThrow(new ArticleError('The page is nested too deeply'))
  })

  it('refuses a page that takes more than a second', () => {
    expect(() => parseHtml('<p a=1 b=2>'.repeat(1_000_000))).toThrow(
      expect.objectContaining({ kind: 'invalid' }),
    )
  })
})

describe('getText', () => {
  it.each([
    ['a<b>b</b><div>c</div>d', ' ab c d '],
    ['<pre>a\n b</pre>', ' a\n b '],
    ['a<br>b', ' a\nb '],
    ['<ul><li>a</ul>', '   • a   '],
    ['<script>a</script>b<img alt="c">', ' b c  '],
    ['<a href="https://x.example">a</a>', ' a (https://x.example) '],
  ])('of %j is %j', (html, text) => {
    expect(getText(parseHtml(html))).toBe(text)
  })
})
