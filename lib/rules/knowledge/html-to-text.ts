import { createHtmlParser } from '#rules/text/html-parser.ts'
import { createGrowingText, type GrowingText } from './growing-text.ts'
import { findLoss, ignoredElements, inlineElements } from './html-tree.ts'

/**
 * A text that is nested deeper is read up to there: looking for the element that a tag closes takes time by
 * the depth.
 */
const maxDepth = 200
const cellElements = new Set(['td', 'th'])

interface Reader {
  lines: string[]
  line: GrowingText
  /** Whether the current line keeps its spaces. */
  isPreformatted: boolean
  /** Written before the next word. */
  marker: string
  /** Whether a block has ended, so that the next word starts a line. */
  isBlockOver: boolean
  /** Whether the current cell has no words yet. Office programs write a paragraph into each cell. */
  isCellStart: boolean
}

/**
 * Convert HTML to plain lines. Blocks are on lines of their own, the cells of a row on one, and a link is
 * followed by its address unless its text says it. A text without tags keeps its lines.
 */
export function convertHtmlToText(html: string): string {
  const reader: Reader = {
    lines: [],
    line: createGrowingText(),
    isPreformatted: false,
    marker: '',
    isBlockOver: false,
    isCellStart: false,
  }
  const links: string[] = []
  let isFirstCell = true
  /** `hidden` is the depth of the open element that is not shown, or 0. */
  const depth = { all: 0, ignored: 0, hidden: 0, preformatted: /<[a-z!/]/i.test(html) ? 0 : 1 }
  const parser = createHtmlParser({
    onopentag(name, attributes) {
      const { href = '', alt = '' } = attributes
      if (++depth.all > maxDepth) parser.pause()
      if (depth.hidden === 0 && findLoss({ name, attributes }) === 'hidden') depth.hidden = depth.all
      if (isIgnored(name)) depth.ignored++
      else if (name === 'pre') depth.preformatted++
      if (depth.ignored + depth.hidden > 0) return
      if (name === 'a') links.push(href)
      if (name === 'img' && alt) append(reader, ` ${alt} `, false)
      if (name === 'br') {
        if (reader.isBlockOver) endBlock(reader)
        endLine(reader)
      } else if (cellElements.has(name)) {
        if (!isFirstCell) reader.isBlockOver = false
        isFirstCell = false
        reader.isCellStart = true
        append(reader, ' ', false)
      } else if (name === 'tr' || !(reader.isCellStart || inlineElements.has(name))) reader.isBlockOver = true
      if (name === 'tr') isFirstCell = true
      if (name === 'li') reader.marker = '- '
    },
    ontext(text) {
      if (depth.ignored + depth.hidden === 0) append(reader, text, depth.preformatted > 0)
    },
    onclosetag(name) {
      const isInHidden = depth.hidden > 0
      if (depth.hidden === depth.all--) depth.hidden = 0
      if (isIgnored(name)) depth.ignored--
      else if (name === 'pre') depth.preformatted--
      if (isInHidden || depth.ignored > 0 || isIgnored(name)) return
      if (name === 'a') appendAddress(reader, links.pop() ?? '')
      if (name !== 'br' && !inlineElements.has(name) && !cellElements.has(name)) reader.isBlockOver = true
    },
  })
  parser.end(html)
  endLine(reader)
  return reader.lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const isIgnored = (name: string) => ignoredElements.has(name) || name === 'title'

function append(reader: Reader, text: string, isPreformatted: boolean): void {
  const [first = '', ...others] = isPreformatted ? text.split(/\r?\n/) : [text.replace(/[\s\u00a0]+/g, ' ')]
  appendToLine(reader, first, isPreformatted)
  for (const line of others) {
    endLine(reader)
    appendToLine(reader, line, isPreformatted)
  }
}

function appendToLine(reader: Reader, text: string, isPreformatted: boolean): void {
  const hasWords = text.trim() !== ''
  if (hasWords && reader.isBlockOver) endBlock(reader)
  if (isPreformatted) reader.isPreformatted = true
  if (hasWords) {
    reader.line.append(reader.marker)
    reader.marker = ''
    reader.isCellStart = false
  }
  reader.line.append(text)
}

/**
 * Append the address of a link, unless the text ends with it: programs make links of the addresses in a text.
 */
function appendAddress(reader: Reader, href: string): void {
  const [, address] = /^(?:https?:\/\/|mailto:)(.*)$/is.exec(href.trim()) ?? []
  const isShown =
    address === undefined || reader.line.endsWith(address) || reader.line.endsWith(address.replace(/\/$/, ''))
  if (!isShown) append(reader, ` (${href.trim()})`, false)
}

/** End the line if it has words. */
function endBlock(reader: Reader): void {
  if (reader.line.read().trim() !== '') endLine(reader)
  else reader.line = createGrowingText()
  reader.isBlockOver = false
}

function endLine(reader: Reader): void {
  const line = reader.line.read()
  reader.lines.push(
    reader.isPreformatted ? line.replaceAll('\u00a0', ' ').trimEnd() : line.replace(/ {2,}/g, ' ').trim(),
  )
  reader.line = createGrowingText()
  reader.isPreformatted = false
  reader.isBlockOver = false
}
