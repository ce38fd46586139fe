import { spend } from '#rules/budget.ts'
import { countPlaces } from '#rules/text/count-places.ts'
import { readHtmlPart } from './html.ts'
import { type PageStyles, readSheets } from './html-styles.ts'
import { findLoss, ignoredElements, inlineElements } from './html-tree.ts'
import { countLoss, type Losses, losePicture } from './losses.ts'
import { formatCodeSpan, writeRaised } from './prose.ts'

// Wikis export what markdown cannot write as HTML. It becomes markdown here, before blocks are looked for.

export const blockElements = new Set(
  'address article aside blockquote center dd details dialog div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)
/** Elements that empty lines do not end, and those whose text is markdown unless it has elements of a page. */
const longElements = ['table', 'ul', 'ol', 'dl', 'pre']
const containers = /^(?:address|article|center|details|div|figure|footer|header|main|section)$/
const voidElements = /^(?:br|hr|img|wbr)$/
/** Steps of looking for the end of a tag, beside those of its text. */
const stepsPerTag = 100
/** A code span, an escaped bracket, or a tag. */
const token = /`+[^`\n]*`+|\\<|<(\/?)([a-z][a-z0-9]{0,20})((?:\s(?:"[^"<>]*"|'[^'<>]*'|[^<>"'])*)?)\/?>/gi
const listMarker = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/

interface Tag {
  name: string
  isEnd: boolean
  attributes: Record<string, string>
  at: number
  end: number
}

/** A line of a markdown text. Code is not read, and a row of a table stays one line. */
export type LineKind = 'code' | 'row' | 'text'

/**
 * Replace the HTML in a markdown text. A word in angle brackets is a tag if HTML has it and its end is in the
 * text, otherwise a placeholder, such as `<user>`.
 */
export function replaceHtml(text: string, kinds: readonly LineKind[], losses: Losses): string {
  if (!/<[a-z]/i.test(text)) return text
  spend(countPlaces(text, '<') * stepsPerTag)
  const lines = text.split('\n')
  const ended = new Set(
    Array.from(text.matchAll(/<\/([a-z][a-z0-9]{0,20})\s*>/gi), ([, name = '']) => name.toLowerCase()),
  )
  const known = { ended, styles: readSheets(listSheets(text), () => []) }
  const names = { ...known, long: new Set(longElements), areUnseenEnded: true }
  const parts: string[] = []
  for (let start = 0; start < lines.length; ) {
    let end = start + 1
    if (kinds[start] !== 'code') {
      end = findEndOfPart(lines, kinds, start, names)
      parts.push(
        replacePart(lines.slice(start, end).join('\n'), { ...known, losses, isRow: kinds[start] === 'row' }),
      )
    } else parts.push(lines[start] ?? '')
    start = end
  }
  return parts.join('\n')
}

/** Return the style sheets in a text, without those for paper. */
function listSheets(text: string): string[] {
  if (!/<style/i.test(text)) return []
  const [, ...sheets] = text.split(/<style(?!\s[^<>]{0,100}print)[^<>]{0,100}>/i)
  return sheets.map((sheet) => sheet.split(/<\/style/i, 1)[0] ?? '')
}

interface Known {
  /** The names of elements whose end is somewhere in the text. */
  ended: ReadonlySet<string>
  /** What the style sheets in the text say. */
  styles: PageStyles | null
}

interface Names extends Known {
  /** Those that empty lines do not end, as far as each so far had its end. */
  long: Set<string>
  /** Whether each element that is not read had its end so far. Empty lines do not end one either. */
  areUnseenEnded: boolean
}

/**
 * Return the line after the paragraph that starts at a line, with the lists and tables of HTML in it, and what a
 * page does not show.
 */
function findEndOfPart(
  lines: readonly string[],
  kinds: readonly LineKind[],
  start: number,
  names: Names,
): number {
  if (kinds[start] === 'row') return start + 1
  const { long } = names
  /** The elements whose ends are looked for, besides those of `long`. */
  const unseen = new Set<string>()
  let open = 0
  let endOfParagraph: number | undefined
  for (let at = start; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line.trim() === '' || (at > start && kinds[at] !== 'text')) {
      endOfParagraph ??= Math.max(at, start + 1)
      if (open <= 0) return at > start ? at : endOfParagraph
    }
    for (const tag of listTags(line, names)) {
      if (names.areUnseenEnded && !tag.isEnd && findLoss(tag) !== null) unseen.add(tag.name)
      if (long.has(tag.name) || unseen.has(tag.name)) open += tag.isEnd ? -1 : 1
    }
  }
  if (open <= 0) return lines.length
  // The end of one is missing, so looking for those of the others would take quadratic time.
  const end = endOfParagraph ?? lines.length
  for (const { name } of listTags(lines.slice(start, end).join('\n'), names)) long.delete(name)
  if (unseen.size > 0) names.areUnseenEnded = false
  return end
}

function listTags(text: string, { ended, styles }: Known): Tag[] {
  if (!text.includes('<')) return []
  return Array.from(text.matchAll(token)).flatMap((match): Tag[] => {
    const [whole, slash, word, rest = ''] = match
    const name = word?.toLowerCase() ?? ''
    const isKnown = blockElements.has(name) || inlineElements.has(name) || ignoredElements.has(name)
    if (!(voidElements.test(name) || (isKnown && ended.has(name)))) return []
    const [at, end] = [match.index, match.index + whole.length]
    const tag = { name, isEnd: slash === '/', attributes: readAttributes(rest), at, end }
    if (!tag.isEnd) styles?.(tag)
    return [tag]
  })
}

function readAttributes(text: string): Record<string, string> {
  const found = text.matchAll(/([\w:-]{1,100})(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g)
  return Object.fromEntries(
    Array.from(found, ([, name = '', ...values]) => [
      name.toLowerCase(),
      values.find((value) => value !== undefined) ?? '',
    ]),
  )
}

/** Return the index of the end tag of each tag. */
function matchTags(tags: readonly Tag[]): Map<number, number> {
  const open = new Map<string, number[]>()
  const ends = new Map<number, number>()
  for (const [index, { name, isEnd }] of tags.entries()) {
    const starts = open.get(name) ?? []
    open.set(name, starts)
    const start = isEnd ? starts.pop() : undefined
    if (start !== undefined) ends.set(start, index)
    else if (!isEnd) starts.push(index)
  }
  return ends
}

interface Place extends Known {
  losses: Losses
  /** Whether the text has to stay on its line. */
  isRow: boolean
}

function replacePart(text: string, place: Place): string {
  const { styles, losses, isRow } = place
  const tags = listTags(text, place)
  if (tags.length === 0) return text
  const ends = matchTags(tags)
  /** How many elements of a page start before each tag. */
  let count = 0
  const blockCounts = tags.map(({ name }) =>
    blockElements.has(name) && !containers.test(name) && name !== 'summary' ? count++ : count,
  )
  const read = (first: number, last: number, from: number, to: number): string => {
    const parts: string[] = []
    let [line, at] = ['', from]
    const write = (part: string) => {
      parts.push(part)
      const lineStart = part.lastIndexOf('\n') + 1
      line = (lineStart === 0 ? line + part : part.slice(lineStart)).slice(0, 100)
    }
    for (let index = first; index < last; index++) {
      const tag = tags[index] as Tag
      const endIndex = ends.get(index) ?? index
      const end = tags[endIndex] as Tag
      const hasBlocks = (blockCounts[endIndex] ?? 0) > (blockCounts[index] ?? 0)
      const isContainer = containers.test(tag.name) && !hasBlocks
      const lost = findLoss(tag)
      write(text.slice(at, tag.at))
      at = tag.end
      if (tag.name === 'img') write(replacePicture(tag, losses))
      else if (tag.name === 'br') {
        // The end of a line is a line break already.
        if (isRow) write(' ')
        else if (!/^[ \t]*(?:\n|$)/.test(text.slice(at, at + 100))) write(`\n${getPrefix(line)}`)
      } else if (lost === null && isContainer) {
        if (tag.isEnd && text[at] !== '\n' && !isRow) write(`\n${getPrefix(line)}`)
      } else if (endIndex !== index) {
        const inner = () => read(index + 1, endIndex, tag.end, end.at)
        if (lost !== null) countLoss(losses, lost)
        else if (tag.name === 'summary') write(`**${inner().trim()}**`)
        else if (blockElements.has(tag.name)) {
          const blocks = readHtmlPart(text.slice(tag.at, end.end), losses, styles)
          write(isRow ? ` ${joinLines(blocks)} ` : placeBlocks(blocks, line))
        } else if (replacedElements.test(tag.name)) write(replaceInline(tag, inner))
        else if (!ignoredElements.has(tag.name)) continue
        index = endIndex
        at = end.end
        if (lost !== null && /(?:^|\s)$/.test(parts.at(-1) ?? '') && text[at] === ' ') at++
      }
    }
    return [...parts, text.slice(at, to)].join('')
  }
  return read(0, tags.length, 0, text.length)
}

const joinLines = (texts: readonly string[]) =>
  texts.map((text) => text.replace(/\n\s*/g, ' ').replace(/^(?:[-*+]|\d+\.) /, '• ')).join(' ')

/** Return the spaces and quote marks before the text of a line, with which the next line goes on. */
function getPrefix(line: string): string {
  const quote = /^[ \t>]{0,30}/.exec(line)?.[0] ?? ''
  const marker = listMarker.exec(line.slice(quote.length))?.[0] ?? ''
  return quote + ' '.repeat(marker.length)
}

function placeBlocks(texts: readonly string[], line: string): string {
  const prefix = getPrefix(line)
  const isAtStart = line.trim() === '' || listMarker.exec(line)?.[0] === line
  const lines = texts
    .map((text, index) =>
      listMarker.test(text) && listMarker.test(texts[index - 1] ?? '') ? text : `\n${text}`,
    )
    .join('\n')
    .slice(1)
    .split('\n')
    .map((text) => (text === '' ? prefix.trimEnd() : prefix + text))
  const blocks = lines.join('\n')
  return isAtStart ? `${blocks.slice(line.length)}\n` : `\n${prefix.trimEnd()}\n${blocks}\n`
}

function replacePicture({ attributes: { alt = '', src = '' } }: Tag, losses: Losses): string {
  return losePicture(losses, alt || (src.startsWith('data:') ? '' : (src.split('/').at(-1) ?? '')))
}

const replacedElements = /^(?:a|code|samp|tt|sup|sub)$/

function replaceInline({ name, attributes: { href = '' } }: Tag, read: () => string): string {
  const text = read()
  if (name === 'a') return /^(?:https?|mailto):[^\s<>()]*$/i.test(href) ? `[${text}](${href})` : text
  if (name === 'sup' || name === 'sub') return writeRaised(text, name === 'sub')
  return formatCodeSpan(text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'))
}
