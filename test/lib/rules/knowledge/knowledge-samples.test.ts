import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { createArticleNodes } from '#local/model/knowledge.ts'
import type { FlowStep, TreeStructure } from '#rules/flows/structure.ts'
import { validateFlow } from '#rules/flows/validate.ts'
import type { Block } from '#rules/knowledge/blocks.ts'
import { buildFlow } from '#rules/knowledge/flow.ts'
import { buildNodes, type KbNode, type NodeProposal } from '#rules/knowledge/nodes.ts'
import { splitIntoSegments } from '#rules/knowledge/segments.ts'
import { readBlocksOf, readSampleArticles, type SampleArticle } from '#test/support/articles.ts'

const articles = await readSampleArticles()
const findArticle = (name: string) => articles.find((article) => article.name === name) as SampleArticle

function convert(blocks: readonly Block[], isModelUsed: boolean): KbNode[] {
  let idCount = 0
  const { segments } = splitIntoSegments(blocks)
  const facts = { pieces: segments.map(({ kind, text }, index) => ({ number: index + 1, kind, text })) }
  const proposals = isModelUsed ? (createArticleNodes(facts).groups as NodeProposal[]) : []
  return buildNodes(segments, proposals, () => `node-${++idCount}`)
}

/** Remove the markers of ordered lists, which are not in every format a part of the text. */
const removeItemNumbers = (text: string) => text.replace(/^[\s>]*(?:\d{1,3}[.)]\s+)+/gm, '')
const keepLetters = (text: string) => removeItemNumbers(text).replace(/[^\p{L}\p{N}]/gu, '')

/**
 * Find the texts in order. Return those that are missing, and how many characters of the result belong to
 * none of them.
 */
function compareTexts(result: string, texts: readonly string[]) {
  let position = 0
  let extraLength = 0
  const missing: string[] = []
  for (const text of texts.map(keepLetters)) {
    const index = result.indexOf(text, position)
    if (index < 0) missing.push(text)
    else {
      extraLength += index - position
      position = index + text.length
    }
  }
  return { missing, extraLength: extraLength + result.length - position, length: result.length }
}

const joinNodes = (nodes: readonly KbNode[]) =>
  keepLetters(
    nodes.map(({ kind, title, content }) => (kind === 'section' ? content || title : content)).join('\n'),
  )

/**
 * Return the texts of a step in the order of the article: headings that a step has taken over are before its
 * title.
 */
function placeHeadings(title: string, description: string): string {
  const [headings = ''] = /^(?:\*\*[^\n]*\*\*(?:\n\n|$))*/.exec(description) ?? []
  return [headings, title, description.slice(headings.length)].join('\n')
}

describe('the articles of the suite', () => {
  it('KBI-08 keep every text once and in order, with at most 1 % that is not a part of the article', () => {
    const measurements = articles.flatMap(({ name, blocks, texts }) =>
      [true, false].map((isModelUsed) => ({
        name,
        isModelUsed,
        ...compareTexts(joinNodes(convert(blocks, isModelUsed)), texts),
      })),
    )
    const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
    const extra =
      sum(measurements.map(({ extraLength }) => extraLength)) / sum(measurements.map(({ length }) => length))
    const missing = measurements.filter((measurement) => measurement.missing.length > 0)
    const textCount = sum(articles.map(({ texts }) => texts.length))
    console.info(
      `knowledge import: ${articles.length} articles with ${textCount} texts, ${missing.length / 2} articles with a missing, repeated or moved text, ${(extra * 100).toFixed(2)} % of the result is furniture`,
    )
    expect(missing.map(({ name, missing }) => [name, missing])).toEqual([])
    expect(measurements.filter(({ extraLength, length }) => extraLength > length / 100)).toEqual([])
  })

  it.each(articles.map(({ name }) => name))('%s becomes a valid flow that contains every text', (name) => {
    const { blocks, texts } = findArticle(name)
    // A tree has at most 50 levels.
    const types =
      name === 'long-manual.docx' ? (['procedural'] as const) : (['procedural', 'troubleshooting'] as const)
    for (const type of types) {
      const flow = buildFlow(convert(blocks, true), type) as TreeStructure
      expect(
        validateFlow({ tree_type: type, tree_structure: flow, intake_form: [] }, 'published').errors,
      ).toEqual([])
      const flowText = keepLetters(
        [...JSON.stringify(flow).matchAll(/"title":("(?:[^"\\]|\\.)*"),"description":("(?:[^"\\]|\\.)*")/g)]
          .map(([, title = '', description = '']) =>
            placeHeadings(JSON.parse(title), JSON.parse(description)),
          )
          .join('\n'),
      )
      let position = 0
      for (const text of texts.map(keepLetters)) {
        position = flowText.indexOf(text, position)
        expect([text, position]).toEqual([text, expect.toSatisfy((index: number) => index >= 0)])
      }
    }
  })
})

describe('a long Word document', () => {
  const { blocks } = findArticle('long-manual.docx')
  const { segments, warnings } = splitIntoSegments(blocks)

  it('KBI-09 gets a node per sub-section', () => {
    const unitStarts = segments.filter(({ startsUnit }) => startsUnit)
    expect(unitStarts).toHaveLength(60)
    expect(unitStarts[1]?.text).toBe(
      '## 1.2 Subject of section 2 in chapter 1\n\nBackground of 1.2.\n\n3. Do the first step of 1.2\n\n4. Do the second step of 1.2',
    )
  })

  it('KBI-09 keeps its decision', () => {
    const index = segments.findIndex(({ kind }) => kind === 'decision')
    expect(segments.slice(index, index + 3).map(({ text }) => text)).toEqual([
      'Does the lamp blink?',
      '- Yes: replace the power supply.',
      '- No: replace the fan.',
    ])
  })

  it('KBI-09 names each merged sub-section', () => {
    expect(warnings).toHaveLength(60)
    expect(warnings[1]).toBe(
      '“1.2 Subject of section 2 in chapter 1”: its 3 parts are one node, because an article has at most 100 nodes.',
    )
  })
})

describe('splitIntoSegments', () => {
  const heading = (level: number, text: string): Block => ({ kind: 'heading', level, text })
  const block = (kind: Block['kind'], text: string): Block => ({ kind, level: 0, text })

  it('KBI-09 has no warning for an article that fits', () => {
    expect(splitIntoSegments([heading(1, 'A'), block('text', 'a')]).warnings).toEqual([])
  })

  it('KBI-09 merges sections of the lowest level before others, and names them', () => {
    const blocks = Array.from({ length: 300 }, (_, n) => [
      heading(n % 10 === 0 ? 2 : 3, `Section ${n}`),
      block('item', `- Do ${n}`),
    ]).flat()
    const { segments, warnings } = splitIntoSegments(blocks)
    expect(segments.length).toBeLessThanOrEqual(100)
    expect(segments.every(({ text }) => !/[^#]## /.test(text))).toBe(true)
    expect(warnings[0]).toBe(
      '“Do 0”, “Section 1”, “Section 2” and 1 more are one node, because an article has at most 100 nodes.',
    )
  })

  it('KBI-09 merges decisions last, and names their questions', () => {
    const decision = (n: number) => [
      block('text', `Is ${n} on?`),
      block('item', '- If yes, go.'),
      block('item', '- If no, stop.'),
    ]
    const { segments, warnings } = splitIntoSegments(Array.from({ length: 60 }, (_, n) => decision(n)).flat())
    expect(segments.length).toBeLessThanOrEqual(100)
    expect(warnings.some((warning) => /It is no decision any more: “Is \d+ on\?”/.test(warning))).toBe(true)
  })

  it('makes a decision of an item whose nested items are its options', () => {
    const item = '3. Does it ping?\n    - If it does, wait.\n        - An hour.\n    - If not, replace it.'
    const { segments } = splitIntoSegments([block('item', item)])
    expect(segments.map(({ kind, text }) => [kind, text])).toEqual([
      ['decision', '3. Does it ping?'],
      ['option', '- If it does, wait.\n    - An hour.'],
      ['option', '- If not, replace it.'],
    ])
  })
})

describe('a page', () => {
  const readPage = (html: string) => readBlocksOf('html', html).map(({ text }) => text)

  it('KBI-08 keeps headings whose text is a link or a button', () => {
    const html =
      '<h2><a class="permalink" href="#a">Cause</a></h2><p>Heat.</p><h3><button>Remedy</button></h3><p>Cool it.</p>'
    expect(readPage(html)).toEqual(['Cause', 'Heat.', 'Remedy', 'Cool it.'])
  })

  it('KBI-08 keeps its text below a class with an unlucky name, even if its menu is longer', () => {
    const menu = `<nav><ul>${'<li>Another product of ours</li>'.repeat(50)}</ul></nav><div>${'<a href="/x">More</a>'.repeat(50)}</div>`
    const html = `<h1>Fan</h1>${menu}<div class="content sidebar"><p>Clean the fan with air.</p></div>`
    expect(readPage(html)).toContain('Clean the fan with air.')
  })

  it.each<[string, string[]]>([
    ['<h2>Related articles</h2><ul><li><a href="/a">ABCDEFGHI</a>x</ul>', []],
    ['<h2>Related articles</h2><ul><li><a href="/a">ABCDEFGH</a>x</ul>', ['Related articles', '- ABCDEFGHx']],
    [
      '<h2>Related articles</h2><div><img src="https://x.example/a.png" alt="Diagram"></div>',
      ['Related articles', '\\[image: Diagram\\]'],
    ],
    [`<p>Contents${':'.repeat(32)}</p><ul><li><a href="/a">A</a></ul>`, []],
    [`<p>Contents${':'.repeat(33)}</p><ul><li><a href="/a">A</a></ul>`, [`Contents${':'.repeat(33)}`, '- A']],
    ['<ul><li><a href="#a">A</a><li><a href="#b">B</a></ul>', []],
    ['<ol><li><a href="#a">A</a><ul><li><a href="#c">C</a></ul><li><a href="#b">B</a></ol>', []],
    ['<ul><li><a href="#a">A</a></ul>', ['- A']],
    ['<ul><li><a href="#a">A</a><li><a href="/b">B</a></ul>', ['- A', '- B']],
    ['<ul><li><a href="#a">A</a><li><a href="#b">B</a> c</ul>', ['- A', '- B c']],
    ['<ul><li><a href="#a">A</a><li><a href="#b">If B</a></ul>', ['- A', '- If B']],
    ['<ul><li><a href="#a">A</a><li><a href="#b">B</a><b>c</b></ul>', ['- A', '- Bc']],
    ['<aside>Side</aside>', []],
    ['<aside class="note">Side</aside>', ['Side']],
    ['<div role="complementary">Side</div>', []],
    ['<div role="search">Side</div>', []],
    ['<form>Side</form>', []],
    ['<form><p>Side</p></form>', ['Side']],
    ['<header>Side</header>', []],
    ['<header><h2>Side</h2></header>', ['Side']],
    ['<div class="share">Side</div>', []],
    ['<div id="share">Side</div>', []],
    ['<div class="has-share">Side</div>', ['Side']],
    ['<h2 class="share">Side</h2>', ['Side']],
    [`<div class="share">${'x'.repeat(11)}</div>`, []],
    [`<div class="share">${'x'.repeat(12)}</div>`, ['x'.repeat(12)]],
    ['<p>Back to top</p>', []],
    ['<p>Back to top of it</p>', ['Back to top of it']],
    ['<h2>Side<a href="#s">¶</a></h2>', ['Side']],
    ['<h2>Side<a class="headerlink" href="/s">Link</a></h2>', ['Side']],
    ['<h2>Side <a href="/s">Link</a></h2>', ['Side Link']],
  ])('KBI-08 loses only what is no part of its article: %j', (part, texts) => {
    expect(readPage(`<h1>T</h1><p>Text of it</p>${part}`)).toEqual(['T', 'Text of it', ...texts])
  })

  it.each<[string, string[]]>([
    ['<ul><li><a href="/a">A</a></ul><h1>T</h1><p>x</p>', ['T', 'x']],
    ['<h1>T</h1><ul><li><a href="/a">A</a></ul><p>x</p>', ['T', '- A', 'x']],
    ['<ul><li><a href="/a">A</a></ul><h2>T</h2><p>x</p>', ['- A', 'T', 'x']],
    ['<p>abc</p><main><p>xyz</p></main>', ['xyz']],
    ['<p>abc</p><div role="main"><p>xyz</p></div>', ['xyz']],
    ['<p>abcd</p><main><p>xyz</p></main>', ['abcd', 'xyz']],
    ['<main><p>abc</p></main><main><p>xyz</p></main>', ['abc', 'xyz']],
    ['<nav><p>Only</p></nav>', ['Only']],
  ])('KBI-08 is read from its main part: %j', (html, texts) => {
    expect(readPage(html)).toEqual(texts)
  })
})

describe('the structure of an article', () => {
  const readTexts = (name: string, kind: Block['kind']) =>
    findArticle(name)
      .blocks.filter((block) => block.kind === kind)
      .map(({ text }) => text)
  const markdown = new MarkdownIt()
  const countNested = (text: string) => (markdown.render(text).match(/<[uo]l/g) ?? []).length - 1

  it('KBI-08 keeps the columns of a table with cells over several rows and columns', () => {
    const table = [
      '| Event | Cause | Remedy |',
      '| --- | --- | --- |',
      '| 7031 | Driver crash | Replace the driver |',
      '| | Full disk | Free 2 GB |',
      '| Any other event | | • Collect the log • Open a case |',
    ].join('\n')
    expect(readTexts('learn-portal.html', 'table')).toEqual([table])
    expect(readTexts('site-visit.docx', 'table')).toEqual([
      '| Site | Contact | |\n| --- | --- | --- |\n| North | Ana | 4711 |\n| | Ben | 4712 |',
    ])
  })

  it('KBI-08 nests the lists of pages and of Word documents as markdown does', () => {
    const nestedItem =
      readTexts('learn-portal.html', 'item').find((text) => text.includes('Keep files')) ?? ''
    expect(countNested(nestedItem)).toBe(2)
    expect(countNested(readTexts('site-visit.docx', 'item')[0] ?? '')).toBe(1)
  })
})

describe('the steps of an article', () => {
  const listSteps = (name: string) => {
    const flow = buildFlow(convert(findArticle(name).blocks, true), 'procedural') as { steps: FlowStep[] }
    return flow.steps.map(({ type, title }) => [type, title])
  }

  it('KBI-10 are its instructions, while its notes are texts of steps and sections', () => {
    expect(listSteps('decision.md')).toEqual([
      ['section_header', 'No sound in a meeting'],
      ['section_header', 'Find the device'],
      ['procedure_step', 'Open the settings of the meeting.'],
      ['procedure_step', 'Select the headset as speaker.'],
      ['procedure_step', 'Is the test tone audible?'],
      ['section_header', 'Codes'],
      ['procedure_step', 'Restart-Service Audiosrv'],
      ['procedure_end', 'Done'],
    ])
  })

  it('KBI-10 are its notes if it has nothing else, except for facts', () => {
    const titles = ['Meaning', 'Diagnosis', 'Look at the log.']
    const nodes = titles.map((title, position): KbNode => {
      const isNote = position === 2
      return {
        id: title,
        parent_id: isNote ? 'Diagnosis' : null,
        position,
        kind: isNote ? 'note' : 'section',
        title,
        content: '',
      }
    })
    const fact: KbNode = {
      id: 'fact',
      parent_id: 'Meaning',
      position: 0.5,
      kind: 'note',
      title: 'It is down.',
      content: 'It is down.',
    }
    const flow = buildFlow([...nodes, fact], 'procedural') as { steps: FlowStep[] }
    expect(flow.steps.map(({ type, title, description }) => [type, title, description])).toEqual([
      ['section_header', 'Meaning', 'It is down.'],
      ['section_header', 'Diagnosis', ''],
      ['procedure_step', 'Look at the log.', ''],
      ['procedure_end', 'Done', ''],
    ])
  })

  it('KBI-10 do not include facts and references', () => {
    expect(listSteps('runbook.md')).toEqual([
      ['section_header', 'Disk is full'],
      ['section_header', 'Meaning'],
      ['section_header', 'Diagnosis'],
      ['procedure_step', 'Run the report'],
      ['section_header', 'Mitigation'],
      ['procedure_step', 'Delete old logs.'],
      ['procedure_step', 'Extend the volume.'],
      ['procedure_step', 'Does the alert stay?'],
      ['section_header', 'References'],
      ['procedure_end', 'Done'],
    ])
  })
})
