import { spend } from '#rules/budget.ts'
import { cut } from '#rules/text/clip.ts'
import { createHtmlParser } from '#rules/text/html-parser.ts'
import type { XmlAttributes } from '#rules/text/walk-xml.ts'
import { countMarkupSteps } from '#rules/text/xml.ts'

// Turns the stored label of a draw.io cell into the text that draw.io shows.

const maxLabelLength = 300
/** Of a label before its placeholders and tags are replaced, and of the value of a placeholder. */
const [maxSourceLength, maxValueLength] = [50_000, 1000]
const maxAncestors = 50
const maxHtmlDepth = 200
const stepsPerPlaceholder = 50

/** A cell as the label needs it. */
export interface LabelSource {
  id: string
  parent: string
  style: string
  /** The label as it is stored. */
  value: string
  /** The attributes of the element around the cell, which are its data. */
  data: XmlAttributes | null
}

export interface LabelContext {
  cellById: ReadonlyMap<string, LabelSource>
  /** The values that draw.io itself supplies, such as `page`. */
  variables: Readonly<Record<string, string>>
}

/** Return the label of a cell as one line of text. Only the style `html=1` makes a label HTML. */
export function readLabel(cell: LabelSource, context: LabelContext): string {
  const { data, style } = cell
  const source = cut(cell.value, maxSourceLength)
  const filled = data?.placeholders === '1' ? fillPlaceholders(cell, source, context) : source
  return toLine(isHtml(style) ? htmlToText(filled) : filled)
}

/** Convert a text to one line that is not too long. */
export function toLine(text: string): string {
  return cut(text.replace(/\s+/g, ' ').trim(), maxLabelLength).toWellFormed()
}

/** Of several values, the last one counts. */
function isHtml(style: string): boolean {
  return style.split(';').findLast((property) => property.startsWith('html=')) === 'html=1'
}

/**
 * Replace `%name%` by the attribute of the cell or of the nearest cell around it, of which the page is the
 * last. A second percent sign before it escapes it. A name without a value stays:
 * https://www.drawio.com/doc/faq/placeholders-use
 */
function fillPlaceholders(cell: LabelSource, text: string, context: LabelContext): string {
  const { placeholder } = cell.data ?? {}
  if (placeholder !== undefined) return findValue(cell, placeholder, context) ?? ''
  return text.replace(/%([^%{}^ "'=;]+)%/g, (match, name: string, offset: number) => {
    spend(stepsPerPlaceholder)
    if (name === 'label' || name === 'tooltip') return match
    if (text[offset - 1] === '%') return match.slice(1)
    const value =
      name === 'id' ? cell.id : (findValue(cell, name, context) ?? context.variables[name] ?? match)
    spend(value.length)
    return value
  })
}

function findValue(cell: LabelSource, name: string, { cellById }: LabelContext): string | undefined {
  let current: LabelSource | undefined = cell
  for (let count = 0; current && count <= maxAncestors; count++) {
    spend(1)
    if (current.data && Object.hasOwn(current.data, name))
      return cut(current.data[name] ?? '', maxValueLength)
    current = cellById.get(current.parent)
  }
  return undefined
}

/** Elements that start a line. Others, such as bold letters, may be within a word. */
const blockElements = new Set(
  'address blockquote br dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre table td th tr ul'.split(' '),
)

export function htmlToText(html: string): string {
  if (!/[<&]/.test(html)) return html
  spend(countMarkupSteps(html))
  let text = ''
  let depth = 0
  const addBreak = (name: string) => {
    if (blockElements.has(name)) text += ' '
  }
  const parser = createHtmlParser({
    onopentag(name) {
      // Looking for the element that a tag closes takes time by the depth.
      if (++depth > maxHtmlDepth) parser.pause()
      addBreak(name)
    },
    ontext(part) {
      text += part
    },
    onclosetag(name) {
      depth--
      addBreak(name)
    },
  })
  parser.end(html)
  return text
}
