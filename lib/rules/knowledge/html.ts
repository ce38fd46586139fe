import type { Budget } from '#rules/budget.ts'
import { type Block, type BlockWriter, createBlockWriter, formatCodeBlock } from './blocks.ts'
import { createGrowingText, type GrowingText } from './growing-text.ts'
import {
  appendAttributeText,
  collapseSpaces,
  type Element,
  getText,
  ignoredElements,
  inlineElements,
  lineBreak,
  listElements,
  parseHtml,
} from './html-tree.ts'
import { removeFurniture } from './page-furniture.ts'
import { type Cell, formatTable } from './table.ts'

/** Read the article of an HTML page. Links keep their addresses; scripts and page furniture are left out. Yield between its passes. */
export function* readHtml(html: string, budget: Budget): Generator<void, { title: string | null; blocks: Block[] }> {
  const root = parseHtml(html, budget)
  yield
  const steps = countElements(root) * stepsPerElement
  budget.spend(steps / 2)
  const article = removeFurniture(root)
  yield
  budget.spend(steps / 2)
  const reader: HtmlReader = { writer: createBlockWriter(), lists: [], paragraph: createGrowingText(), headingLevel: 0 }
  readChildren(reader, article)
  writeParagraph(reader)
  return { title: findTitle(root), blocks: reader.writer.blocks }
}

/** Finding furniture, layout tables, lists and cells looks at an element several times. */
const stepsPerElement = 500

function countElements(element: Element): number {
  return listElements(element).reduce((sum, child) => sum + countElements(child), 1)
}

function findTitle(element: Element): string | null {
  for (const child of listElements(element)) {
    const title = child.name === 'title' ? collapseSpaces(getText(child)) : ignoredElements.has(child.name) ? null : findTitle(child)
    if (title) return title
  }
  return null
}

interface HtmlReader {
  writer: BlockWriter
  /** The open lists. `marker` is the marker of the current item until it is written. */
  lists: { isOrdered: boolean; nextNumber: number; marker: string | null }[]
  /** The text of the current paragraph so far. */
  paragraph: GrowingText
  /** 0 outside of a heading. */
  headingLevel: number
}

function readChildren(reader: HtmlReader, { children }: Element): void {
  for (const child of children) {
    if (typeof child === 'string') reader.paragraph.append(child)
    else if (child.name === 'br') reader.paragraph.append(lineBreak)
    else if (inlineElements.has(child.name)) readInlineElement(reader, child)
    else if (child.name !== 'title' && !ignoredElements.has(child.name)) readBlockElement(reader, child)
  }
}

function readInlineElement(reader: HtmlReader, element: Element): void {
  readChildren(reader, element)
  appendAttributeText(element, reader.paragraph)
}

function readBlockElement(reader: HtmlReader, element: Element): void {
  writeParagraph(reader)
  const { name } = element
  if (name === 'pre') writeBlock(reader, 'code', formatCodeBlock(getText(element).replace(/^\n/, '')))
  else if (name === 'table' && !isLayoutTable(element)) readTable(reader, element)
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

/** Elements in a table that is used for layout. */
const layoutContent = new Set(['table', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

/** Return whether a table is used for layout. It is read like any other container. */
function isLayoutTable(table: Element): boolean {
  if (/^(?:presentation|none)$/.test(table.attributes.role ?? '')) return true
  const rows = listRows(table)
  const hasOneColumn = rows.every((row) => listCells(row).length < 2)
  const content = findContent(table)
  // A frame around a list or code has one row.
  return hasOneColumn || content === 'layout' || (content === 'list' && rows.length < 2)
}

/** Return the strongest sign of a layout table in an element. */
function findContent(element: Element): 'layout' | 'list' | 'text' {
  let content: 'list' | 'text' = 'text'
  for (const child of listElements(element)) {
    const isCode = child.name === 'pre' && getText(child).trim().includes('\n')
    if (layoutContent.has(child.name) || isCode) return 'layout'
    const childContent = findContent(child)
    if (childContent === 'layout') return 'layout'
    if (childContent === 'list' || child.name === 'ul' || child.name === 'ol') content = 'list'
  }
  return content
}

/** Write a table. A caption and any other content outside its rows are a text before it. */
function readTable(reader: HtmlReader, table: Element): void {
  const outsideTexts = listTableParts(table).flatMap((part) => {
    if (typeof part !== 'string' && part.name === 'tr') return []
    return collapseSpaces(typeof part === 'string' ? part : getText(part)) || []
  })
  if (outsideTexts.length > 0) writeBlock(reader, 'text', outsideTexts.join('\n'))
  writeBlock(reader, 'table', formatTable(listRows(table).map((row) => listCells(row).map(readCell))))
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

function readCell(cell: Element | string): Cell {
  const text = typeof cell === 'string' ? cell : getText(cell)
  const { colspan, rowspan } = typeof cell === 'string' ? {} : cell.attributes
  return { text, columns: parseSpan(colspan), rows: parseSpan(rowspan) }
}

function parseSpan(value: string | undefined): number {
  return /^[1-9]\d{0,3}$/.test(value?.trim() ?? '') ? Number(value) : 1
}
