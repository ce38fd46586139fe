import { describe, expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { readArticleText } from '#rules/knowledge/article.ts'
import { inlineElements } from '#rules/knowledge/html-tree.ts'
import { blockElements } from '#rules/knowledge/markdown-html.ts'

const read = (content: string, format: 'html' | 'markdown' = 'markdown') =>
  runWithin(createBudget(), () => readArticleText(format, 'T', content))
const describeBlocks = async (content: string) =>
  (await read(content)).blocks.map(({ kind, text }) => `${kind}: ${text}`)

describe('KBI-12 HTML in markdown is read', () => {
  const struck = new Set(['del', 's', 'strike'])
  const names = [...inlineElements, ...blockElements].filter((name) => !/:|^(?:img|hr)$/.test(name))
  const places: [string, (html: string) => string][] = [
    ['in a paragraph', (html) => `First ${html} last`],
    ['on lines of its own', (html) => `First\n\n${html.replaceAll('word', '\nword\n')}\n\nlast`],
    ['around paragraphs', (html) => `First\n\n${html.replaceAll('word', '\n\nword\n\n')}\n\nlast`],
    ['in an item', (html) => `1. First ${html} last\n2. Next`],
    ['in a quote', (html) => `> First ${html} last`],
    ['in a heading', (html) => `# First ${html} last`],
    ['in a cell', (html) => `| a | b |\n|---|---|\n| First ${html} | last |`],
  ]
  it.each(places)('of each element, %s', async (_, place) => {
    const wrong: string[] = []
    for (const name of names)
      for (const attributes of [
        '',
        ' class="a" style=\'color: red\' data-x=1',
        ' hidden',
        ' style="display:none"',
      ]) {
        const { blocks, warnings } = await read(place(`<${name}${attributes}>word</${name}>`))
        const text = blocks.map((block) => block.text).join('\n')
        const isLeftOut = struck.has(name) || name === 'dialog' || /hidden|none/.test(attributes)
        const isRight =
          !/[<>](?!.*last)/.test(text.replace(/^> ?/gm, '')) &&
          !/<\/?[a-z]/.test(text) &&
          text.includes('First') &&
          text.includes('last') &&
          text.includes('word') !== isLeftOut &&
          warnings.length === (isLeftOut ? 1 : 0)
        if (!isRight) wrong.push(`${name}${attributes}: ${text} ${warnings}`)
      }
    expect(wrong).toEqual([])
  })
  it.each([
    [
      '1. Press <kbd>F8</kbd> <b>now</b><br/>\n2. Wait<BR>here',
      ['item: 1. Press F8 now', 'item: 2. Wait\n   here'],
    ],
    ['<p class="callout warning">Do not reboot.</p>', ['text: Do not reboot.']],
    [
      'A\n<table>\n<tr><th>a</th><th>c</th></tr>\n\n<tr><td>1</td><td>2</td></tr>\n</table>\nb',
      ['text: A', 'table: | a | c |\n| --- | --- |\n| 1 | 2 |', 'text: b'],
    ],
    ['<ol><li>one</li>\n\n<li>two</li></ol>', ['item: 1. one', 'item: 2. two']],
    [
      '1. Do\n   <ul><li>one</li><li>two</li></ul>\n2. End',
      ['item: 1. Do\n   - one\n   - two', 'item: 2. End'],
    ],
    ['| a |\n|---|\n| x<br>y <ul><li>z</li></ul> |', ['table: | a |\n|---|\n| x y  • z  |']],
    ['<div>\n\n## Go <i>on</i>\n\n</div>', ['heading: Go on']],
    [
      'ssh <user>@<host> and <time>, `<b>x</b>`, \\<b>',
      ['text: ssh <user>@<host> and <time>, `<b>x</b>`, \\<b>'],
    ],
    ['```\n<b>x</b>\n```\n\n    <b>y</b>', ['code: ```\n<b>x</b>\n```', 'code:     <b>y</b>']],
    [
      'Run <code>a &lt;b&gt;</code> at <a href="https://x.example/">x</a>',
      ['text: Run `a <b>` at [x](https://x.example/)'],
    ],
    ['[//]: # (internal)\n\nGo <!-- <ul> --> on', ['text: Go  on']],
  ])('%j', async (markdown, blocks) => {
    expect(await describeBlocks(markdown)).toEqual(blocks)
  })
})

describe('KBI-12 a call-out of markdown is a note', () => {
  const kinds = ['note', 'tip', 'info', 'warning', 'important', 'caution', 'danger']
  const dialects: Record<string, (kind: string, title: string) => string> = {
    fence: (kind, title) => `:::${kind} ${title}\nText\n\n- item\n:::`,
    'fence with spaces': (kind, title) => `::: ${kind} ${title}\nText\n\n- item\n:::`,
    'fence of MyST': (kind) => `:::{${kind}}\nText\n\n- item\n:::`,
    quote: (kind, title) => `> [!${kind}] ${title}\n> Text\n>\n> - item`,
    'quote in capitals': (kind) => `> [!${kind.toUpperCase()}]\n> Text\n>\n> - item`,
    'quote that folds': (kind, title) => `> [!${kind}]- ${title}\n> Text\n>\n> - item`,
    indented: (kind, title) => `!!! ${kind}${title && ` "${title}"`}\n    Text\n\n    - item`,
    'indented that folds': (kind, title) => `???+ ${kind}${title && ` "${title}"`}\n    Text\n\n    - item`,
    template: (kind) => `{% hint style="${kind}" %}\nText\n\n- item\n{% endhint %}`,
  }
  it.each(Object.entries(dialects))('written as %s', async (_, write) => {
    for (const kind of kinds)
      for (const title of ['', 'Mind this']) {
        const callOut = write(kind, title)
        const name = callOut.includes('Mind this') ? 'Mind this' : `${kind[0]?.toUpperCase()}${kind.slice(1)}`
        const note = `> **${name}**\n>\n> Text\n>\n> - item`
        const [before, found, after] = await describeBlocks(`Before.\n\n${callOut}\n\nAfter.`)
        expect([before, found?.replace(/(?:\n>)+$/, ''), after]).toEqual([
          'text: Before.',
          `text: ${note}`,
          'text: After.',
        ])
        const indent = (text: string) => text.replaceAll('\n', '\n   ')
        const [item = ''] = await describeBlocks(`1. Do\n\n   ${indent(callOut)}\n2. Next`)
        expect(item).toContain(`**${name}**`)
        expect(item).not.toMatch(/:::|\[!|!!!|\?\?\?|\{%/)
      }
    expect(await describeBlocks(`\`\`\`\n${write('note', '')}\n\`\`\``)).toHaveLength(1)
  })
})

describe('KBI-12 what an article does not show or has lost is a warning', () => {
  it.each([
    ['markdown', '1. Dial ~~vpn-a~~ vpn-b', '1. Dial vpn-b'],
    ['markdown', '1. ~~Dial `vpn-a`~~\n2. Dial vpn-b', '2. Dial vpn-b'],
    ['html', '<ol><li>Dial <del>vpn-a</del> vpn-b</ol>', '1. Dial vpn-b'],
    [
      'html',
      '<h2>Dial <s>vpn-a</s></h2><table><tr><th>a<th><s>x</s><tr><td>b<td>c</table>',
      'Dial|| a | |\n| --- | --- |\n| b | c |',
    ],
  ] as const)('struck-through text of %s: %s', async (format, content, text) => {
    const { blocks, warnings } = await read(content, format)
    expect(blocks.map((block) => block.text).join('|')).toBe(text)
    expect(warnings).toEqual([expect.stringMatching(/^\d struck-through texts? (?:is|are) not imported\.$/)])
  })
  it.each(['.c4', 'p.c4', 'p', '#a', 'h1, .c4 ', '.C4 , .c4'])(
    'text that a style sheet strikes through by %s',
    async (selector) => {
      for (const rule of [
        'text-decoration:line-through',
        'color: red; text-decoration: underline line-through 1px;',
        'TEXT-DECORATION-LINE : line-through',
      ])
        for (const sheet of [
          `${selector}{${rule}}`,
          `/* a{b} */ b { c: d }\n${selector} {\n${rule}\n}\ni{}`,
          `@media screen { ${selector} { ${rule} } }`,
        ]) {
          const html = `<head><style>${sheet}</style></head><div><p id="a" class="x c4 y">old</p><span>new</span></div>`
          const { blocks, warnings } = await read(html, 'html')
          expect([blocks.map(({ text }) => text), warnings]).toEqual([
            ['new'],
            ['1 struck-through text is not imported.'],
          ])
        }
    },
  )
  it('not text for which other rules of a style sheet are', async () => {
    const html =
      '<style>.a:hover, div .a, .b { text-decoration: line-through } .a { text-decoration: underline }</style><p class="a">kept</p>'
    expect(await read(html, 'html')).toMatchObject({ blocks: [{ text: 'kept' }], warnings: [] })
  })
  it.each([
    ['<ul><li>§ Call</ul>', 'item: - # Call'],
    ['<ol><li><p>§Call</p></ol>', 'item: 1. # Call'],
    ['<p>§ Call</p>', 'item: - # Call'],
    ['<ul><li><label>§<span>Call</span></label></ul>', 'item: - # Call'],
  ])('no task of a check list: %s', async (html, expected) => {
    const boxes = [
      ['<input type="checkbox">', '[ ]'],
      ['<INPUT TYPE=checkbox disabled checked>', '[x]'],
      ['<span role="checkbox" aria-checked="false"></span>', '[ ]'],
      ['<span role="checkbox" aria-checked="true"></span>', '[x]'],
      ['<span class="checkbox checkbox-on"></span>', '[x]'],
      ['<span class="checkbox checkbox-off"></span>', '[ ]'],
      ['☐', '[ ]'],
      ['☑', '[x]'],
    ] as const
    for (const [box, task] of boxes) {
      const { blocks } = await read(html.replace('§', box), 'html')
      expect(blocks.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([expected.replace('#', task)])
    }
  })
  it('hidden text, but not a panel that a reader opens', async () => {
    const html =
      '<p>a</p><p style="color:red; display: none">b</p><p hidden>c</p><div role="tabpanel" hidden>d</div>'
    const { blocks, warnings } = await read(html, 'html')
    expect([blocks.map(({ text }) => text), warnings]).toEqual([
      ['a', 'd'],
      ['2 hidden texts are not imported.'],
    ])
  })
  it.each([
    ':::image type="content" source="a/b.png" alt-text="Shot":::',
    '![Shot](img/a.png)',
    '![Shot](<img/a b.png> "x")',
    '![Shot](./a.png){width=50%}',
    '![Shot][a]\n\n[a]: img/a.png',
    '![](img/Shot)',
    '![[Shot|300]]',
    '<img src="img/Shot">',
    '<img src="a.png" alt="Shot"/>',
  ])('a picture: %s', async (markdown) => {
    const { blocks, warnings } = await read(`Look:\n\n${markdown}`)
    expect(blocks.at(-1)?.text).toBe('[image: Shot]')
    expect(warnings).toEqual(['Pictures are named, but not imported: “Shot”.'])
  })
})
