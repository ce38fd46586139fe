import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import MarkdownIt from 'markdown-it'
import { createBudget, runWithin } from '#rules/budget.ts'
import { readArticleFile, readText } from '#rules/knowledge/article.ts'
import type { Block } from '#rules/knowledge/blocks.ts'
import { buildDocx, docxParagraph, docxSpanTable } from './knowledge.ts'

/** An article and what a reader of it sees, in order. */
export interface SampleArticle {
  name: string
  blocks: Block[]
  texts: string[]
}

const sampleFolder = join(import.meta.dirname, '../lib/rules/knowledge/articles')
// A folder with articles in markdown, for example of a public runbook collection.
const realFolder = process.env.ARTICLES_DIR ?? ''

/** Read the articles of the suite, and those of the folder ARTICLES_DIR. */
export async function readSampleArticles(): Promise<SampleArticle[]> {
  const folders = [sampleFolder, ...(existsSync(realFolder) ? [realFolder] : [])]
  const files = folders.flatMap((folder) =>
    readdirSync(folder).map((name) => ({ name, bytes: readFileSync(join(folder, name)) })),
  )
  const fromFiles = files.map(({ name, bytes }) =>
    readSample(name, new Uint8Array(bytes), findTexts(name, bytes.toString('utf8'))),
  )
  const fromWord = wordArticles.map(({ name, parts }) => {
    const body = parts.map(({ xml }) => xml).join('')
    const texts = parts.flatMap((part) => part.texts)
    return readSample(name, buildDocx(body), texts)
  })
  return Promise.all([...fromFiles, ...fromWord])
}

async function readSample(
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  texts: string[],
): Promise<SampleArticle> {
  return {
    name,
    blocks: (await runWithin(createBudget(), () => readArticleFile({ bytes, name, type: '' }))).blocks,
    texts,
  }
}

function findTexts(name: string, content: string): string[] {
  return name.endsWith('.html') ? findPageTexts(content) : findMarkdownTexts(content)
}

const inlineTags = /<\/?(?:a|b|code|em|i|small|span|strong|tt)(?:\s[^>]*)?>/g

/**
 * Return the texts of a page. What does not belong to its article is between `<!--furniture-->` and
 * `<!--/furniture-->`.
 */
function findPageTexts(html: string): string[] {
  return html
    .replace(/<!--furniture-->[\s\S]*?<!--\/furniture-->/g, '')
    .replace(/<(title|style|script)>[\s\S]*?<\/\1>/g, '')
    .replace(/<a [^>]*href="(https?:[^"]+)"[^>]*>([^<]*)<\/a>/g, '$2 $1')
    .replace(inlineTags, '')
    .split(/<[^>]*>/)
    .filter((text) => text.trim())
}

const detailsTags = /<\/?(?:details|summary)>/g
const markdown = new MarkdownIt({ html: true })
markdown.block.ruler.disable('reference')

function findMarkdownTexts(article: string): string[] {
  const body = article.replace(/^---\n[\s\S]*?\n---\n/, '')
  const isText = (type: string) => /^(?:inline|fence|code_block|html_block)$/.test(type)
  return markdown
    .parse(body, {})
    .flatMap(({ type, content, info }) =>
      isText(type) ? [`${info.trim()} ${content.replace(detailsTags, '')}`] : [],
    )
}

interface WordPart {
  xml: string
  texts: string[]
}

const paragraph = (text: string, style = '', list?: [number, number]): WordPart => ({
  xml: docxParagraph(text, style, list),
  texts: [text],
})
const heading = (text: string, level: 1 | 2) => paragraph(text, `berschrift${level}`)

const spanTable: WordPart = {
  xml: docxSpanTable([
    [{ text: 'Site' }, { text: 'Contact', columns: 2 }],
    [{ text: 'North', startsRows: true }, { text: 'Ana' }, { text: '4711' }],
    [{ text: '', continuesRows: true }, { text: 'Ben' }, { text: '4712' }],
  ]),
  texts: ['Site', 'Contact', 'North', 'Ana', '4711', 'Ben', '4712'],
}

/** 20 chapters of three sub-sections, one of which asks a question. */
export const longArticle: WordPart[] = Array.from({ length: 20 }, (_, chapter) => [
  heading(`Chapter ${chapter + 1}`, 1),
  ...[1, 2, 3].flatMap((section) => [
    heading(`${chapter + 1}.${section} Subject of section ${section} in chapter ${chapter + 1}`, 2),
    paragraph(`Background of ${chapter + 1}.${section}.`),
    paragraph(`Do the first step of ${chapter + 1}.${section}`, '', [1, 0]),
    paragraph(`Do the second step of ${chapter + 1}.${section}`, '', [1, 0]),
  ]),
  ...(chapter === 6
    ? [
        paragraph('Does the lamp blink?'),
        paragraph('Yes: replace the power supply.', '', [2, 0]),
        paragraph('No: replace the fan.', '', [2, 0]),
      ]
    : []),
]).flat()

const wordArticles: { name: string; parts: WordPart[] }[] = [
  { name: 'long-manual.docx', parts: longArticle },
  {
    name: 'site-visit.docx',
    parts: [
      heading('Visit of a site', 1),
      paragraph('Announce the visit a day before.'),
      spanTable,
      heading('In the server room', 2),
      paragraph('Note the temperature', '', [1, 0]),
      paragraph('at the front', '', [1, 1]),
      paragraph('at the back', '', [1, 1]),
      paragraph('Photograph the cabling', '', [1, 0]),
      paragraph('The room is locked at night.'),
    ],
  },
  {
    name: 'tape-library.docx',
    parts: [
      paragraph('Is the door of the library closed?'),
      paragraph('If it is open, close it.', '', [2, 0]),
      paragraph('If it is closed, restart the robot.', '', [2, 0]),
      paragraph('tapectl reset', 'Quelltext'),
      paragraph('Wait for the inventory.'),
    ],
  },
]

/** Read the blocks of a text at once, without the pauses of a request. */
export function readBlocksOf(format: 'markdown' | 'text' | 'html', content: string): Block[] {
  const work = readText(format, content)
  for (;;) {
    const { done, value } = work.next()
    if (done) return value.blocks
  }
}
