import { spend } from '#rules/budget.ts'
import { escapeMarkdown, type Markdown, toMarkdown } from '#rules/markup/markdown.ts'
import { type Block, type BlockWriter, createBlockWriter, formatCodeBlock } from './blocks.ts'
import { applySheets, applyStyles, type PageStyles } from './html-styles.ts'
import {
  collapseSpaces,
  type Element,
  findLoss,
  getCode,
  getText,
  ignoredElements,
  inlineElements,
  listElements,
  parseHtml,
} from './html-tree.ts'
import { countLoss, createLosses, type Losses, losePicture } from './losses.ts'
import { removeFurniture } from './page-furniture.ts'
import { createProse, lineBreak, type Prose, writeRaised } from './prose.ts'
import { type Cell, formatTable } from './table.ts'

/**
 * Read the article of an HTML page. Links keep their addresses; scripts and page furniture are left out.
 * Yield between its passes.
 */
export function* readHtml(
  html: string,
  losses: Losses = createLosses(),
  readMarkdown: MarkdownReader = () => [],
): Generator<void, { title: string | null; blocks: Block[] }> {
  const root = parseHtml(html)
  yield
  const steps = countElements(root) * stepsPerElement
  spend(steps / 2)
  applySheets(root)
  const article = removeFurniture(root)
  yield
  spend(steps / 2)
  return { title: findTitle(root), blocks: readElement(article, losses, readMarkdown) }
}

/** Return the blocks of a part of a page as markdown. */
export function readHtmlPart(html: string, losses: Losses, styles: PageStyles | null = null): string[] {
  const root = parseHtml(html)
  spend(countElements(root) * stepsPerElement)
  if (styles) applyStyles(root, styles)
  return readElement(root, losses, () => []).map(({ kind, level, text }) =>
    kind === 'heading' ? `${'#'.repeat(level)} ${escapeMarkdown(text)}` : text,
  )
}

function readElement(element: Element, losses: Losses, readMarkdown: MarkdownReader): Block[] {
  const reader: HtmlReader = {
    writer: createBlockWriter(),
    lists: [],
    paragraph: createProse(),
    headingLevel: 0,
    losses,
    readMarkdown,
  }
  readChildren(reader, leaveOutUnseen(element, losses))
  writeParagraph(reader)
  return reader.writer.blocks
}

/** Leave out what the page strikes through or does not show, and count each once. */
function leaveOutUnseen(element: Element, losses: Losses): Element {
  const children = element.children.flatMap((child) => {
    if (typeof child === 'string') return child
    const kind = findLoss(child)
    if (kind === null) return leaveOutUnseen(child, losses)
    if (getText(child).trim() !== '') countLoss(losses, kind)
    return []
  })
  return { ...element, children }
}

/** Finding furniture, layout tables, lists and cells looks at an element several times. */
const stepsPerElement = 500

function countElements(element: Element): number {
  return listElements(element).reduce((sum, child) => sum + countElements(child), 1)
}

/** A title has at most 300 characters when its white space is collapsed. */
const maxTitleLength = 3000

function findTitle(element: Element): string | null {
  for (const child of listElements(element)) {
    const title =
      child.name === 'title'
        ? collapseSpaces(getText(child).slice(0, maxTitleLength))
        : ignoredElements.has(child.name)
          ? null
          : findTitle(child)
    if (title) return title
  }
  return null
}

interface HtmlReader {
  writer: BlockWriter
  /** The open lists. `marker` is the marker of the current item until it is written. */
  lists: { style: ListStyle; nextNumber: number; step: 1 | -1; marker: string | null }[]
  /** The current paragraph so far. */
  paragraph: Prose
  /** 0 outside of a heading. */
  headingLevel: number
  losses: Losses
  readMarkdown: MarkdownReader
}

/** Reads a markdown text in a page. It is given, because markdown can have HTML as well. */
type MarkdownReader = (text: string) => readonly Block[]

function readChildren(reader: HtmlReader, { children }: Element): void {
  for (const child of children) {
    if (typeof child === 'string') reader.paragraph.addText(child)
    else if (child.name === 'br') reader.paragraph.addText(lineBreak)
    else if (inlineElements.has(child.name)) readInlineElement(reader, child)
    else if (child.attributes['ac:name'] === 'status') reader.paragraph.addText(getMacroTitle(child))
    else if (child.name !== 'title' && !ignoredElements.has(child.name)) readBlockElement(reader, child)
  }
}

const codeElements = /^(?:code|samp|tt)$/

function readInlineElement(reader: HtmlReader, element: Element): void {
  const { name, attributes } = element
  const { paragraph } = reader
  const hasBlock = listElements(element).some((child) => !inlineElements.has(child.name))
  if (name === 'img' || name === 'ac:image') readPicture(reader, element)
  else if (codeElements.test(name) && !hasBlock) paragraph.addCode(getText(element))
  else if (name === 'sup' || name === 'sub') {
    if (hasBlock || listElements(element).length > 0) readChildren(reader, element)
    else paragraph.addText(writeRaised(getText(element), name === 'sub'))
  } else if (name === 'ri:page' && attributes['ri:content-title'])
    paragraph.addText(attributes['ri:content-title'])
  else readChildren(reader, element)
  const href = name === 'a' ? (attributes.href ?? '') : ''
  if (/^(?:https?|mailto):/i.test(href)) reader.paragraph.addAddress(href)
}

/**
 * Name a picture. One whose text is empty is decoration, except a screenshot that was pasted; one without a text
 * has the name of its file (https://html.spec.whatwg.org/multipage/images.html#alt).
 */
function readPicture({ paragraph, losses }: HtmlReader, element: Element): void {
  const { alt, src = '' } = element.attributes
  const attachment = listElements(element).map(({ attributes }) => attributes['ri:filename'] ?? '')
  const isPasted = /^data:image\/(?!svg)/i.test(src)
  // A page that loads its pictures later has their addresses elsewhere.
  const later = ['data-src', 'data-original', 'data-lazy-src'].map((key) => element.attributes[key] ?? '')
  const address = /^data:/i.test(src) ? (later.find(Boolean) ?? '') : src
  const file = alt === undefined || isPasted ? nameFile(address) : ''
  const name = alt || attachment.find(Boolean) || file
  if (name === '' && element.name === 'img' && !isPasted) return
  paragraph.addText(` ${losePicture(losses, name)} `)
}

const maxAddressLength = 2000

/** Return the last part of the path of an address, of which only the start is read. */
const nameFile = (address: string) =>
  address.slice(0, maxAddressLength).split(/[?#]/, 1)[0]?.split('/').at(-1) ?? ''

function readBlockElement(reader: HtmlReader, element: Element): void {
  writeParagraph(reader)
  const { name } = element
  if (name === 'pre') writeBlock(reader, 'code', formatCodeBlock(getCode(element)))
  else if (name === 'table' && !isLayoutTable(element)) readTable(reader, element)
  else if (name === 'ul' || name === 'ol' || name === 'ac:task-list') readList(reader, element)
  else if (name === 'ac:structured-macro') readMacro(reader, element)
  else if (!/^ac:(?:parameter|task-id|task-uuid)$/.test(name)) readContainer(reader, element)
}

/** Return the title of a macro of Confluence, the only one of its parameters that the page shows. */
const getMacroTitle = (element: Element) =>
  listElements(element)
    .filter(({ name, attributes }) => name === 'ac:parameter' && attributes['ac:name'] === 'title')
    .map(getText)
    .join(' ')

/** Read a macro of the storage format of Confluence. */
function readMacro(reader: HtmlReader, element: Element): void {
  reader.paragraph.addText(getMacroTitle(element))
  writeParagraph(reader)
  const code = listElements(element).filter(({ name }) => name === 'ac:plain-text-body')
  const isMarkdown = /^(?:\w+-)?markdown$/.test(element.attributes['ac:name'] ?? '')
  for (const body of code)
    if (isMarkdown)
      for (const { kind, level, text } of reader.readMarkdown(getText(body).trim()))
        if (kind === 'heading') reader.writer.add(kind, text, level)
        else writeBlock(reader, kind, toMarkdown(text))
    else writeBlock(reader, 'code', formatCodeBlock(getText(body).trim()))
  if (code.length === 0) readContainer(reader, element)
}

function readContainer(reader: HtmlReader, element: Element): void {
  const list = reader.lists.at(-1)
  if (list && (element.name === 'li' || element.name === 'ac:task')) list.marker = takeMarker(list, element)
  if (element.name === 'ac:task-status') {
    if (list?.marker) list.marker += getText(element).trim() === 'complete' ? ' [x]' : ' [ ]'
    return
  }
  const headingLevel = /^h([1-6])$/.exec(element.name)?.[1]
  if (headingLevel) reader.headingLevel = Number(headingLevel)
  readChildren(reader, element)
  writeParagraph(reader)
  if (headingLevel) reader.headingLevel = 0
}

function readList(reader: HtmlReader, element: Element): void {
  const { start, reversed, type } = element.attributes
  const items = listElements(element).filter(({ name }) => name === 'li').length
  const firstNumber = parseInteger(start) ?? (reversed === undefined ? 1 : items)
  const style = element.name !== 'ol' ? 'bullet' : /^[aA]$/.test(type ?? '') ? 'letter' : 'number'
  reader.lists.push({ style, nextNumber: firstNumber, step: reversed === undefined ? 1 : -1, marker: null })
  readChildren(reader, element)
  writeParagraph(reader)
  reader.lists.pop()
}

/** Letters have no markdown, so the letter of an item is a part of its text. */
type ListStyle = 'bullet' | 'number' | 'letter'

function takeMarker(list: HtmlReader['lists'][number], { attributes }: Element): string {
  if (list.style === 'bullet') return '-'
  const number = parseInteger(attributes.value) ?? list.nextNumber
  list.nextNumber = number + list.step
  const hasLetter = list.style === 'letter' && number >= 1 && number <= 26
  return `${Math.max(0, number)}.${hasLetter ? ` ${String.fromCharCode(0x60 + number)})` : ''}`
}

function parseInteger(value: string | undefined): number | undefined {
  return /^\s*-?\d{1,9}\s*$/.test(value ?? '') ? Number(value) : undefined
}

function writeParagraph(reader: HtmlReader): void {
  const { paragraph } = reader
  reader.paragraph = createProse()
  if (reader.headingLevel > 0) {
    const heading = collapseSpaces(paragraph.readText()).replaceAll('\n', ' ')
    const { lists, writer } = reader
    if (lists.length === 0) writer.add('heading', heading, reader.headingLevel)
    else writeBlock(reader, 'text', escapeMarkdown(heading))
  } else writeBlock(reader, 'text', paragraph.readMarkdown(collapseSpaces))
}

/** Inside a list, every block is a part of the current item. */
function writeBlock(
  { writer, lists }: HtmlReader,
  kind: Exclude<Block['kind'], 'heading'>,
  text: Markdown,
): void {
  const list = lists.at(-1)
  if (!list) {
    writer.add(kind, text)
    return
  }
  if (!text.trim()) return
  writer.addListLine(lists.length - 1, list.marker, text)
  list.marker = null
}

/** Elements in a table that is used for layout. */
const layoutContent = new Set(['table', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

/** Return whether a table is used for layout. It is read like any other container. */
function isLayoutTable(table: Element): boolean {
  if (/^(?:presentation|none)$/.test(table.attributes.role ?? '')) return true
  const rows = listRows(table)
  const hasOneColumn = rows.every((row) => listCells(row).length < 2)
  const content = findContent(table)
  // A frame around a list or code has one row.
  return hasOneColumn || content === 'layout' || (content !== 'text' && rows.length < 2)
}

/** Return the strongest sign of a layout table in an element. */
function findContent(element: Element): 'layout' | 'lines' | 'text' {
  let content: 'lines' | 'text' = 'text'
  for (const child of listElements(element)) {
    if (layoutContent.has(child.name)) return 'layout'
    const isCode = child.name === 'pre' && getCode(child).trim().includes('\n')
    const childContent = findContent(child)
    if (childContent === 'layout') return 'layout'
    if (childContent === 'lines' || isCode || child.name === 'ul' || child.name === 'ol') content = 'lines'
  }
  return content
}

/** Write a table. A caption and any other content outside its rows are a text before it. */
function readTable(reader: HtmlReader, table: Element): void {
  const outsideTexts = listTableParts(table).flatMap((part) => {
    if (typeof part !== 'string' && part.name === 'tr') return []
    return readCellText(reader, part) || []
  })
  if (outsideTexts.length > 0) writeBlock(reader, 'text', toMarkdown(outsideTexts.join('\n')))
  writeBlock(
    reader,
    'table',
    formatTable(listRows(table).map((row) => listCells(row).map((cell) => readCell(reader, cell)))),
  )
}

/** Return the rows and whatever else a table contains. */
function listTableParts({ children }: Element): (Element | string)[] {
  return children.flatMap((child) => {
    const isGroup = typeof child !== 'string' && /^(?:tbody|thead|tfoot|form)$/.test(child.name)
    return isGroup ? listTableParts(child) : child
  })
}

function listRows(table: Element): Element[] {
  return listTableParts(table).filter((part) => typeof part !== 'string' && part.name === 'tr') as Element[]
}

/** Return the cells of a row. A text or another element between them is a cell too. */
function listCells({ children }: Element): (Element | string)[] {
  return children.filter((child) => typeof child !== 'string' || child.trim())
}

function readCell(reader: HtmlReader, cell: Element | string): Cell {
  const { colspan, rowspan } = typeof cell === 'string' ? {} : cell.attributes
  return { text: readCellText(reader, cell), columns: parseSpan(colspan), rows: parseSpan(rowspan) }
}

/**
 * Return the text of a cell on one line, with bullets before list items. Each line of code is a code of its
 * own.
 */
function readCellText(reader: HtmlReader, cell: Element | string): Markdown {
  const innerReader: HtmlReader = { ...reader, paragraph: createProse() }
  const read = ({ children }: Element): void => {
    for (const child of children) {
      if (typeof child === 'string' || child.name === 'br')
        innerReader.paragraph.addText(typeof child === 'string' ? child : ' ')
      else if (child.name === 'pre')
        for (const line of getCode(child).split('\n')) addSpaced(() => innerReader.paragraph.addCode(line))
      else if (listElements(child).length === 0 && inlineElements.has(child.name))
        readInlineElement(innerReader, child)
      else if (inlineElements.has(child.name)) {
        read(child)
        if (child.name === 'a' && /^(?:https?|mailto):/i.test(child.attributes.href ?? ''))
          innerReader.paragraph.addAddress(child.attributes.href ?? '')
      } else if (!ignoredElements.has(child.name)) {
        innerReader.paragraph.addText(child.name === 'li' ? ' • ' : ' ')
        read(child)
        innerReader.paragraph.addText(' ')
      }
    }
  }
  const addSpaced = (add: () => void) => {
    innerReader.paragraph.addText(' ')
    add()
    innerReader.paragraph.addText(' ')
  }
  read(typeof cell === 'string' ? { name: 'td', attributes: {}, children: [cell] } : cell)
  return innerReader.paragraph.readMarkdown((text) => text.replace(/\s+/g, ' ').trim())
}

function parseSpan(value: string | undefined): number {
  return /^[1-9]\d{0,3}$/.test(value?.trim() ?? '') ? Number(value) : 1
}
