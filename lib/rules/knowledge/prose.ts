import { spendBytes } from '#rules/budget.ts'
import { escapeInline, escapeLineStart, type Markdown, toMarkdown } from '#rules/markup/markdown.ts'
import { findLongestRun } from '#rules/text/code-fences.ts'
import { countPlaces } from '#rules/text/count-places.ts'
import { createGrowingText } from './growing-text.ts'

/** Bytes of memory of a line beside its text. */
const lineBytes = 60

/** Stands for a line break until white space is collapsed. */
export const lineBreak = '\u2028'

/** The words of a paragraph, and what is special about them. */
export interface Prose {
  addText(text: string): void
  /** Add text that is shown as it is, such as a command. */
  addCode(text: string): void
  /** Add the address of a link in brackets, unless the text ends with it. */
  addAddress(address: string): void
  /** Return the words without any mark. White space is unchanged. */
  readText(): string
  readMarkdown(collapse: (text: string) => string): Markdown
}

export function createProse(): Prose {
  const text = createGrowingText()
  const parts: string[] = []
  /** Whether the last word so far may be a path. */
  let isInPath = false
  const add = (plain: string, markdown: string) => {
    text.append(plain)
    if (markdown !== '') parts.push(markdown)
  }
  return {
    addText(plain) {
      add(plain, escapeInline(plain, isInPath))
      const lastWord = /(?<!\S)\S*$/.exec(plain.slice(-260))?.[0] ?? ''
      isInPath = /[\\:%]/.test(lastWord) || (isInPath && lastWord.length === plain.length)
    },
    addCode(plain) {
      const code = plain.replace(/\s+/g, ' ').trim()
      add(code, formatCodeSpan(code))
    },
    addAddress(address) {
      // An address with marks of markdown is written so that parsers leave it alone.
      if (!text.endsWith(address))
        add(
          ` (${address})`,
          /[*_`~[\]\\&|]/.test(address) && !/[\s<>]/.test(address) ? ` (<${address}>)` : ` (${address})`,
        )
    },
    readText: text.read,
    readMarkdown(collapse) {
      const markdown = collapse(parts.join(''))
      // Each line is in memory twice.
      spendBytes(countPlaces(markdown, '\n') * lineBytes)
      return toMarkdown(markdown.split('\n').map(escapeLineStart).join('\n'))
    },
  }
}

/** Write code between backticks that are longer than any run of backticks in it. */
export function formatCodeSpan(code: string): string {
  if (code === '') return ''
  const fence = '`'.repeat(findLongestRun(code, '`') + 1)
  const padding = /^`|`$/.test(code) ? ' ' : ''
  return `${fence}${padding}${code}${padding}${fence}`
}

const superscripts = new Map(
  [...'0123456789+-=()ni'].map((char, index) => [char, '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ'[index] as string]),
)
const subscripts = new Map(
  [...'0123456789+-=()'].map((char, index) => [char, '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎'[index] as string]),
)

/**
 * Write raised or lowered characters. Those that Unicode does not have, such as the mark of a footnote,
 * follow a space.
 */
export function writeRaised(text: string, isLowered: boolean): string {
  const characters = isLowered ? subscripts : superscripts
  const content = text.trim()
  if (content === '') return text
  const raised = Array.from(content, (char) => characters.get(char))
  if (raised.every((char) => char !== undefined)) return raised.join('')
  return isLowered || /^[®™©ªº°]$/.test(content) ? content : ` ${content}`
}
