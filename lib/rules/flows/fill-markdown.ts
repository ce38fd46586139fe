import { canSpend, spend } from '#rules/budget.ts'
import {
  type Code,
  createMark,
  findPlaces,
  type Place,
  type PlaceKind,
} from '#rules/markup/filling-places.ts'
import { escapeMarkdown, type Markdown } from '#rules/markup/markdown.ts'
import { measureMarkup } from '#rules/markup/markup-work.ts'
import { deepLine, readLastWord } from '#rules/markup/parser.ts'
import { findLongestRun } from '#rules/text/code-fences.ts'
import { collectFillings, type Filling } from './placeholders.ts'

/** Words that mean the same at every place. */
const plainValue = /^[\p{L}\p{N}]+(?:[-._:@,]+[\p{L}\p{N}]+)*$/u
const stepsPerCharacter = 20

/**
 * Replace the placeholders of a markdown text with their values, so that a reader sees each value as it was
 * typed. It is escaped for its place, and unchanged in code. Line breaks stay where the place can have them.
 */
export function fillMarkdown(markdown: Markdown, values: Readonly<Record<string, unknown>>): Markdown {
  const fillings = collectFillings(markdown, values)
  const length = fillings.reduce((sum, { value }) => sum + value.length, 0)
  // A deep text is shown as plain text.
  if (fillings.every(({ value }) => plainValue.test(value)) || deepLine.test(markdown))
    return splice(markdown, fillings) as Markdown
  spend(length * stepsPerCharacter)
  const marked: Filling[] = []
  const source = splice(markdown, fillings, (_, index) => createMark(index), marked).replaceAll('\r', '\n')
  const { steps } = measureMarkup(source)
  const isAffordable = canSpend(2 * steps)
  if (isAffordable) spend(steps)
  const places = isAffordable ? findPlaces(source) : new Map<number, Place>()
  const edits = [
    ...marked.map((mark, index) =>
      fillMark(fillings[index]?.value ?? '', source, mark, places.get(index)?.kind),
    ),
    ...listFences(source, marked, fillings, places),
  ]
  return splice(
    source,
    edits.toSorted((a, b) => a.start - b.start || a.end - b.end),
  ) as Markdown
}

/** Return the text with the fillings in it. `placed` gets their indexes in the result. */
function splice(
  text: string,
  fillings: readonly Filling[],
  write: (value: string, index: number) => string = (value) => value,
  placed: Filling[] = [],
): string {
  const parts: string[] = []
  let [length, copiedTo] = [0, 0]
  for (const [index, { value, start, end }] of fillings.entries()) {
    const writtenValue = write(value, index)
    parts.push(text.slice(copiedTo, start), writtenValue)
    length += start - copiedTo
    placed.push({ value: writtenValue, start: length, end: length + writtenValue.length })
    length += writtenValue.length
    copiedTo = end
  }
  return parts.join('') + text.slice(copiedTo)
}

/** A backslash before the mark would escape the first character of the value. */
function fillMark(value: string, source: string, mark: Filling, kind: PlaceKind = 'text'): Filling {
  const writtenValue = writeValue(value, source, mark, kind)
  const [run] = /(?<!\\)\\*$/.exec(readLastWord(source, mark.start)) ?? ['']
  const isEscape = run.length % 2 === 1 && ['text', 'cell', 'heading'].includes(kind)
  return isEscape
    ? { value: `&#92;${writtenValue}`, start: mark.start - 1, end: mark.end }
    : { ...mark, value: writtenValue }
}

/** With an exclamation mark before it, a link would be an image. */
function escapeBeforeLink(text: string, next: string | undefined): string {
  return next === '[' && text.endsWith('!') ? `${text.slice(0, -1)}\\!` : text
}

function writeValue(value: string, source: string, { start, end }: Filling, kind: PlaceKind): string {
  const lines = value.split(/\r\n?|\n/)
  const isInPath = /[\\:%]/.test(readLastWord(source, start))
  const escapeLine = (line: string, index: number) => keepEdges(escapeMarkdown(line, index === 0 && isInPath))
  switch (kind) {
    case 'text':
      return escapeBeforeLink(lines.map(escapeLine).join('\\\n'), source[end])
    case 'cell':
    case 'heading':
      return escapeLine(lines.join(' '), 0)
    case 'title':
      return escapeLine(lines.join(' '), 0).replace(/["'()]/g, writeNumber)
    case 'code':
      return lines.join(' ')
    case 'cell-code':
      return lines.join(' ').replaceAll('|', '\\|')
    case 'block':
      return lines.join(
        `\n${/^[ \t>]*/.exec(source.slice(source.lastIndexOf('\n', start) + 1, start))?.[0] ?? ''}`,
      )
    case 'info':
      return value.replace(/[^\w+#.-]/g, '')
    case 'address':
      return encodeAddress(value).replace(/&(?=[#a-z])/gi, '&amp;')
    case 'autolink':
      return encodeAddress(value)
  }
}

const writeNumber = (char: string) => `&#${char.charCodeAt(0)};`

/** Parsers drop white space at the ends of a line, but not if it is written by number. */
function keepEdges(line: string): string {
  return line.trim() === line ? line : line.replace(/^\s|\s$/g, writeNumber)
}

/** Encode what would end an address. */
function encodeAddress(value: string): string {
  return value.replace(/[\s\p{Cc}<>()[\]\\"`|{}*_]/gu, (char) =>
    char === '_' || char === '*'
      ? `%${char.charCodeAt(0).toString(16).toUpperCase()}`
      : encodeURIComponent(char).replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29')),
  )
}

/** Return longer fences for code whose values contain its fence. */
function listFences(
  source: string,
  marked: readonly Filling[],
  fillings: readonly Filling[],
  places: ReadonlyMap<number, Place>,
): Filling[] {
  const codes = new Set([...places.values()].flatMap(({ code }) => (code?.fence ? code : [])))
  const lineStarts = [0]
  for (let end = source.indexOf('\n'); end >= 0; end = source.indexOf('\n', end + 1)) lineStarts.push(end + 1)
  return [...codes].flatMap((code) => {
    const values = code.indexes.map((index) => fillings[index]?.value ?? '')
    const longestRun = values.reduce(
      (max, value) => Math.max(max, findLongestRun(value, code.fence.slice(0, 1))),
      0,
    )
    if (code.lines)
      return longestRun < code.fence.length ? [] : listBlockFences(source, code, longestRun, lineStarts)
    const [first, last] = [marked[code.indexes[0] ?? 0], marked[code.indexes.at(-1) ?? 0]]
    return first && last ? listSpanFences(source, code, first, last, values, longestRun) : []
  })
}

function listBlockFences(
  source: string,
  { fence, lines }: Code,
  longestRun: number,
  lineStarts: readonly number[],
): Filling[] {
  const [first, end] = lines ?? [0, 0]
  return [first, end - 1].flatMap((line) => {
    const start = source.indexOf(fence, lineStarts[line])
    const isInLine = start >= 0 && start < (lineStarts[line + 1] ?? source.length + 1)
    return isInLine
      ? { value: (fence[0] ?? '').repeat(longestRun + 1 - fence.length), start, end: start }
      : []
  })
}

function listSpanFences(
  source: string,
  { fence }: Code,
  first: Filling,
  last: Filling,
  values: readonly string[],
  longestRun: number,
): Filling[] {
  const [open, close] = [findFence(source, fence, first.start, -1), findFence(source, fence, last.end, 1)]
  if (open === null || close === null) return []
  const more = longestRun < fence.length ? '' : '`'.repeat(longestRun + 1 - fence.length)
  const firstChar = first.start === open + fence.length ? values[0]?.[0] : source[open + fence.length]
  const lastChar = last.end === close ? values.at(-1)?.at(-1) : source[close - 1]
  const isPadded = source[open + fence.length] === ' ' && source[close - 1] === ' '
  const needsPadding =
    firstChar === '`' || lastChar === '`' || (!isPadded && firstChar === ' ' && lastChar === ' ')
  const padding = needsPadding ? ' ' : ''
  if (more === '' && padding === '') return []
  return [
    { value: more + fence + padding, start: open, end: open + fence.length },
    { value: padding + fence + more, start: close, end: close + fence.length },
  ]
}

/** Find the nearest run of backticks that is exactly as long as a fence, before or after an index. */
function findFence(source: string, fence: string, from: number, direction: 1 | -1): number | null {
  for (let index = direction < 0 ? from - 1 : from; index >= 0 && index < source.length; index += direction) {
    if (source[index] !== '`') continue
    let end = index
    while (source[end + direction] === '`') end += direction
    if (Math.abs(end - index) + 1 === fence.length) return Math.min(index, end)
    index = end
  }
  return null
}
