import { describe, expect, it } from 'vitest'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { readArticleFile } from '#rules/knowledge/article.ts'

// Each way of hiding a text has twins that a reader sees. Of each document, “First” and “last” are seen.

type Case = [way: string, content: string]

/** Return the documents whose text of the case is read although it is hidden, or the other way round. */
async function findWrong(
  cases: readonly Case[],
  isSeen: boolean,
  build: (content: string) => { name: string; bytes: Uint8Array<ArrayBuffer> },
): Promise<string[]> {
  const wrong: string[] = []
  for (const [way, content] of cases) {
    const { blocks } = await runWithin(createBudget({ steps: jobSteps }), () =>
      readArticleFile({ ...build(content), type: '' }),
    )
    const text = blocks.map((block) => block.text).join('\n')
    const isRight = text.includes('First') && text.includes('last') && text.includes('case') === isSeen
    if (!isRight) wrong.push(`${way}: ${text}`)
  }
  return wrong
}

const toBytes = (text: string) => new Uint8Array(Buffer.from(text))

describe('KBI-12 of a page and of HTML in markdown', () => {
  const hidingStyles = [
    'display:none',
    'd\\69splay: none',
    'display:n\\6fne',
    'display:n\\00006F ne',
    'd\\69 splay: none',
    'DISPLAY:NONE !important',
    'display:none;display:bogus',
    'display/**/:/* a */none',
    'visib\\69lity:hidden',
    'visibility: hi\\64 den',
    'content-visibility:hidden',
    'position:absolute;clip:rect(0 0 0 0)',
    'position:absolute; clip: rect(1px, 1px, 1px, 1px)',
    'clip-path:inset(50%)',
    'text-indent:-9999px',
    'text-indent: -1000em',
    'position:absolute;left:-9999px',
    'margin-left:-10000px',
    'height:0;overflow:hidden',
    'overflow:hidden;max-height:0px',
    'overflow-y:clip; height: 0em !important',
  ]
  const showingStyles = [
    'color:red',
    'display:none;display:block',
    'display:block',
    'display:inline-b\\6cock',
    '/* display:none */color:red',
    'dis/**/play:none',
    'visibility:visible',
    'visibility:hidden;visibility:visible',
    'clip:auto',
    'clip:rect(0 90px 90px 0)',
    'clip-path:inset(5%)',
    'text-indent:-18pt',
    'margin-left:-36px',
    'left:-9px',
    'height:0',
    'overflow:hidden',
    'height:0.5em;overflow:hidden',
    'max-height:0;max-height:none;overflow:hidden',
    'opacity:0',
    'font-size:0',
    'x-display:none',
  ]
  const places = ['p', 'div', 'span', 'li', 'td']
  const put = (name: string, attributes: string) => {
    const element = `<${name} ${attributes}>case</${name}>`
    return name === 'li'
      ? `<ul>${element}</ul>`
      : name === 'td'
        ? `<table><tr>${element}</tr></table>`
        : element
  }
  const byStyle = (styles: readonly string[]) =>
    styles.flatMap((css) => places.map((name): Case => [`${name} with ${css}`, put(name, `style="${css}"`)]))
  const sheet = (rules: string, attributes = '') => `<style ${attributes}>${rules}</style>`
  const ruled = 'id="y" class="w x"'
  const byRules = (rules: readonly string[]) =>
    rules.flatMap((rule) =>
      places.map((name): Case => [`${name} by ${rule}`, sheet(rule) + put(name, ruled)]),
    )
  const hidingRules = [
    '.x{display:none}',
    '.w, .x { display : none }',
    '#y{visibility:hidden}',
    '.\\78{display:none}',
    '.x{d\\69splay:none',
    '@import "a.css"; .x{display:none}',
    '@media screen{.x{display:none}}',
    '@media print, screen{@layer a{.x{display:none}}}',
    '@supports (display:grid){.x{display:none}}',
    '@media print{.x{display:block}} .x{display:none}',
    '.x{display:block} .x{display:none}',
    '.x{display:none} span, p, div, li, td{display:block}',
    '.x{display:none!important} #y{display:block}',
    '.x{height:0} .w{overflow:hidden}',
    '.x{text-indent:-9999px}',
    `${places.map((name) => `${name}.x`).join(',')}{display:none}`,
  ]
  const showingRules = [
    '.x{color:red}',
    '.z{display:none}',
    '#x{display:none}',
    '.X{display:none}',
    '.x{display:none} .x{display:block}',
    '#y{display:block} .x{display:none}',
    '.x{display:block!important} #y{display:none}',
    '@media print{.x{display:none}}',
    '@media (max-width:600px){.x{display:none}}',
    '@supports not (display:grid){.x{display:none}}',
    '@media screen and (max-width:600px){p{} .x{display:none}}',
    '.a .x{display:none}',
    '.x:hover{display:none}',
    '.x::before{display:none}',
    '.a{.x{display:none}}',
    '/* .x{display:none} */ .x{color:red}',
    '@keyframes a{from{visibility:hidden}}',
    // What a reader can open.
    '.x{display:none} .x.open{display:block}',
    '.x{max-height:0;overflow:hidden} .open .x{max-height:none}',
    'body{display:none}',
    '.x{opacity:0}',
  ]
  const script = (code: string) => `<script>${code}</script>`
  const others = {
    hidden: [
      ['until it is found', '<p hidden="until-found">case</p>'],
      ['a template', '<template><p>case</p></template>'],
      ['a dialog', `<dialog><p>case ${'and words '.repeat(40)}</p></dialog>`],
      ['a dialog with the heading', '<dialog><h1>case</h1></dialog>'],
      ['a script of others', `${sheet('.x{display:none}')}${script('show("z")')}<p class=x>case</p>`],
    ] satisfies Case[],
    seen: [
      ['details', '<details><summary>More</summary><p>case</p></details>'],
      ['open details', '<details open><summary>More</summary><p>case</p></details>'],
      ['a panel', '<div class="tab-panel" hidden>case</div>'],
      ['a panel by rules', `${sheet('.tab-panel{display:none}')}<p class="tab-panel">case</p>`],
      ['a sheet for paper', `${sheet('.x{display:none}', 'media="print"')}<p class=x>case</p>`],
      ['a style of its own', `${sheet('.x{display:none}')}<p class=x style="display:block">case</p>`],
    ] satisfies Case[],
    seenOnPages: [
      ['a script', `${sheet('.x{display:none}')}${script('$(".x").show()')}<p class=x>case</p>`],
      ['without scripts', `<noscript>${sheet('.x{display:none}')}</noscript><p class=x>case</p>`],
      ['an open dialog', '<dialog open><h1>case</h1></dialog>'],
    ] satisfies Case[],
  }
  const page = (content: string) => ({
    name: 'a.html',
    bytes: toBytes(`<html><body><h1>Title</h1><p>First</p>${content}<p>last</p></body></html>`),
  })
  const markdown = (content: string) => ({
    name: 'a.md',
    bytes: toBytes(`# Title\n\nFirst\n\n${content}\n\nlast\n`),
  })
  const hidden = [...byStyle(hidingStyles), ...byRules(hidingRules), ...others.hidden]
  const seen = [...byStyle(showingStyles), ...byRules(showingRules), ...others.seen]
  it.each([
    ['a page', page, seen.concat(others.seenOnPages)],
    ['markdown', markdown, seen],
  ])('what styles and elements of %s hide is left out, the rest stays', async (_, build, seenCases) => {
    expect(await findWrong(hidden, false, build)).toEqual([])
    expect(await findWrong(seenCases, true, build)).toEqual([])
  })
})
