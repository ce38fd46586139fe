import { Parser } from 'htmlparser2'
import { countMarkupSteps } from '../text/count-markup-steps.ts'
import { createWorkBudget } from '../text/work-budget.ts'
import { ArticleError, type Block, type BlockWriter, createBlockWriter, formatCodeBlock } from './blocks.ts'
import { createGrowingText, type GrowingText } from './growing-text.ts'

interface Element {
  name: string
  attributes: Record<string, string>
  children: (Element | string)[]
}

/** Elements whose content is not shown. */
const ignoredElements = new Set(['script', 'style', 'template', 'noscript', 'iframe', 'object', 'svg'])
const inlineElements = new Set(
  'a abbr b bdi bdo cite code del dfn em font i img ins kbd label mark q s samp small span strong sub sup time tt u var wbr'.split(' '),
)
/** A table with one of these elements is a layout table. */
const structuralElements = new Set(['ul', 'ol', 'pre', 'table', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
const maxDepth = 200
/** Stands for `<br>` until white space is collapsed. */
const lineBreak = '\u2028'

/** Read the blocks of an HTML page. Links keep their addresses; scripts are left out. */
export function readHtml(html: string): { title: string | null; blocks: Block[] } {
  const reader: HtmlReader = { writer: createBlockWriter(), lists: [], paragraph: createGrowingText(), headingLevel: 0, title: null }
  readChildren(reader, parse(html))
  writeParagraph(reader)
  return { title: reader.title, blocks: reader.writer.blocks }
}

function parse(html: string): Element {
  const root: Element = { name: '', attributes: {}, children: [] }
  const openElements = [root]
  createWorkBudget().spend(countMarkupSteps(html))
  const parser = new Parser({
    onopentag(name, attributes) {
      const element = { name, attributes, children: [] }
      openElements.at(-1)?.children.push(element)
      openElements.push(element)
      if (openElements.length > maxDepth) throw new ArticleError('The page is nested too deeply')
    },
    ontext(text) {
      openElements.at(-1)?.children.push(text)
    },
    onclosetag() {
      openElements.pop()
    },
  })
  parser.end(html)
  return root
}

interface HtmlReader {
  writer: BlockWriter
  /** The open lists. `marker` is the marker of the current item until it is written. */
  lists: { isOrdered: boolean; nextNumber: number; marker: string | null }[]
  /** The text of the current paragraph so far. */
  paragraph: GrowingText
  /** 0 outside of a heading. */
  headingLevel: number
  title: string | null
}

function readChildren(reader: HtmlReader, { children }: Element): void {
  for (const child of children) {
    if (typeof child === 'string') reader.paragraph.append(child)
    else if (child.name === 'br') reader.paragraph.append(lineBreak)
    else if (child.name === 'title') reader.title ??= collapseSpaces(getText(child)) || null
    else if (inlineElements.has(child.name)) readInlineElement(reader, child)
    else if (!ignoredElements.has(child.name)) readBlockElement(reader, child)
  }
}

function readInlineElement(reader: HtmlReader, element: Element): void {
  readChildren(reader, element)
  appendAttributeText(element, reader.paragraph)
}

/** Append what follows the content of an element. For an image it is the alternative text; for a link, its address unless the text ends with it. */
function appendAttributeText({ name, attributes }: Element, text: GrowingText): void {
  if (name === 'img' && attributes.alt) text.append(` ${attributes.alt} `)
  const href = name === 'a' ? (attributes.href ?? '') : ''
  const isAddress = /^(?:https?|mailto):/i.test(href)
  if (isAddress && !text.endsWith(href)) text.append(` (${href})`)
}

function readBlockElement(reader: HtmlReader, element: Element): void {
  writeParagraph(reader)
  const { name } = element
  if (name === 'pre') writeBlock(reader, 'code', formatCodeBlock(getText(element).replace(/^\n/, '')))
  else if (name === 'table' && !isLayoutTable(element)) writeBlock(reader, 'table', getTableLines(element).join('\n'))
  else if (name === 'ul' || name === 'ol') readList(reader, element)
  else readContainer(reader, element)
}

function readContainer(reader: HtmlReader, element: Element): void {
  const list = reader.lists.at(-1)
  if (element.name === 'li' && list) list.marker = list.isOrdered ? `${list.nextNumber++}.` : '-'
  const headingLevel = /^h([1-6])$/.exec(element.name)?.[1]
  if (headingLevel) reader.headingLevel = Number(headingLevel)
  readChildren(reader, element)
  writeParagraph(reader)
  if (headingLevel) reader.headingLevel = 0
}

function readList(reader: HtmlReader, element: Element): void {
  const nextNumber = Number.parseInt(element.attributes.start ?? '1', 10) || 1
  reader.lists.push({ isOrdered: element.name === 'ol', nextNumber, marker: null })
  readChildren(reader, element)
  writeParagraph(reader)
  reader.lists.pop()
}

function writeParagraph(reader: HtmlReader): void {
  const text = collapseSpaces(reader.paragraph.read())
  reader.paragraph = createGrowingText()
  if (reader.headingLevel > 0) writeBlock(reader, 'heading', text.replaceAll('\n', ' '), reader.headingLevel)
  else writeBlock(reader, 'text', text)
}

/** Inside a list, every block is a part of the current item. */
function writeBlock({ writer, lists }: HtmlReader, kind: Block['kind'], text: string, level = 0): void {
  const list = lists.at(-1)
  if (!list) {
    writer.add(kind, text, level)
    return
  }
  if (!text.trim()) return
  writer.addListLine(lists.length - 1, list.marker, text)
  list.marker = null
}

function collapseSpaces(text: string): string {
  return text
    .replace(/[\t\n\f\r ]+/g, ' ')
    .replaceAll(new RegExp(` ?${lineBreak} ?`, 'g'), '\n')
    .trim()
}

/** Return whether a table is used for layout, because it contains more than cells of text. It is read like any other container. */
function isLayoutTable({ children }: Element): boolean {
  return children.some((child) => typeof child !== 'string' && (structuralElements.has(child.name) || isLayoutTable(child)))
}

/** Return one line per row. A caption and any other content of the table are lines too. */
function getTableLines({ children }: Element): string[] {
  return children.flatMap((child) => {
    if (typeof child === 'string') return collapseSpaces(child) || []
    if (/^(?:tbody|thead|tfoot|form)$/.test(child.name)) return getTableLines(child)
    if (child.name !== 'tr') return getCellText(child) || []
    return child.children
      .map((cell) => (typeof cell === 'string' ? collapseSpaces(cell) : getCellText(cell)))
      .filter(Boolean)
      .join(' | ')
  })
}

function getCellText(element: Element): string {
  return collapseSpaces(getText(element)).replaceAll('\n', ' ')
}

function getText(element: Element): string {
  const text = createGrowingText()
  appendText(element, text)
  return text.read()
}

function appendText(element: Element, text: GrowingText): void {
  const { name, children } = element
  if (ignoredElements.has(name)) return
  if (name === 'br') text.append('\n')
  const needsNoSpaces = inlineElements.has(name) || name === 'br' || name === 'pre' || name === 'title'
  const space = needsNoSpaces ? '' : ' '
  text.append(space)
  for (const child of children) {
    if (typeof child === 'string') text.append(child)
    else appendText(child, text)
  }
  appendAttributeText(element, text)
  text.append(space)
}
