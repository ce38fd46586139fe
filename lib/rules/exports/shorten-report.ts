import { getStepsLeft, requestSteps, spend } from '#rules/budget.ts'
import { measureMarkup, type Work } from '#rules/markup/markup-work.ts'
import { findLongestRun } from '#rules/text/code-fences.ts'
import { countWrittenBytes, maxWrittenBytes, shortenedMark } from '#rules/text/written-bytes.ts'
import type { Report } from './report.ts'

/** What a format takes to show a text, in steps. */
export interface FormatWork {
  perCharacter: number
  /** In addition, of a character of a script that may need shaping. */
  perComplexCharacter: number
  perLine: number
  maxSteps: number
  maxBytes: number
}

/** The formats of one text are written without a pause, so they may take what a request may. */
export const textWork: FormatWork = {
  perCharacter: 15,
  perComplexCharacter: 0,
  perLine: 100,
  maxSteps: requestSteps,
  maxBytes: maxWrittenBytes,
}
/**
 * Finding, placing and drawing a glyph takes about 1 µs, shaping it 2 µs, and a line with its part of a page
 * 12 µs.
 */
export const pdfWork: FormatWork = {
  perCharacter: 100,
  perComplexCharacter: 200,
  perLine: 1200,
  maxSteps: Number.POSITIVE_INFINITY,
  maxBytes: maxWrittenBytes,
}

/** Markup may not use this share of the work, so that the rest can still be shown without markup. */
const reservedShare = 0.25
/** Of a part, such as a step or a fact, without its texts. */
const itemWork: Work = { steps: 500, bytes: 300 }
/** A line break with the tags or the indentation of its line. */
const bytesPerLine = 40

/**
 * Return the report without what takes too much work to write, or too much room: a description becomes a code
 * block, which shows its source. A text that does not fit even so becomes a mark, and further parts are left
 * out. Count the rest.
 */
export function shortenReport(report: Report, format: FormatWork): Report {
  let stepsLeft = Math.min(format.maxSteps, getStepsLeft())
  const reserve = stepsLeft * reservedShare
  const whole = measureReport(report, format)
  if (whole.steps + reserve <= stepsLeft && whole.bytes <= format.maxBytes) {
    spend(whole.steps)
    return report
  }
  let bytesLeft = format.maxBytes
  let isCut = false
  const take = ({ steps, bytes }: Work, kept = 0): boolean => {
    if (steps + kept > stepsLeft || bytes > bytesLeft) return false
    spend(steps)
    stepsLeft -= steps
    bytesLeft -= bytes
    return true
  }
  const shortenText = (text: string): string => (take(measureText(text, format)) ? text : shortenedMark)
  const shortenDescription = (text: string): string => {
    const [plain, markup] = [measureText(text, format), measureMarkup(text)]
    if (take({ steps: plain.steps + markup.steps, bytes: plain.bytes + markup.bytes }, reserve)) return text
    return take(plain) ? toCodeBlock(text) : shortenedMark
  }
  const shortenItems = (items: readonly unknown[]): unknown[] => {
    const kept = items.filter(() => take(itemWork))
    if (kept.length < items.length) isCut = true
    return kept.map((item) => shortenValue(item, ''))
  }
  const shortenValue = (value: unknown, key: string): unknown => {
    if (typeof value === 'string')
      return key === 'description' ? shortenDescription(value) : key === 'kind' ? value : shortenText(value)
    if (Array.isArray(value)) return shortenItems(value)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shortenValue(part, name)]))
  }
  const shortened = shortenValue(report, '') as Report
  return isCut ? { ...shortened, notes: shortenedMark } : shortened
}

/** Measure a whole report, which nearly always fits, so that it need not be built again. */
function measureReport(report: Report, format: FormatWork): Work {
  const sum: Work = { steps: 0, bytes: 0 }
  const add = ({ steps, bytes }: Work) => {
    sum.steps += steps
    sum.bytes += bytes
  }
  const addValue = (value: unknown, key: string): void => {
    if (typeof value === 'string') {
      if (key === 'kind') return
      add(measureText(value, format))
      if (key === 'description') add(measureMarkup(value))
    } else if (Array.isArray(value)) {
      for (const item of value) {
        add(itemWork)
        addValue(item, '')
      }
    } else if (typeof value === 'object' && value !== null)
      for (const name of Object.keys(value)) addValue((value as Record<string, unknown>)[name], name)
  }
  addValue(report, '')
  return sum
}

const complexCharacter = /[\u0590-\uffff]/g

function measureText(text: string, { perCharacter, perComplexCharacter, perLine }: FormatWork): Work {
  if (text === '') return { steps: 0, bytes: 0 }
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  const complexCharacters = perComplexCharacter === 0 ? 0 : (text.match(complexCharacter)?.length ?? 0)
  const steps = text.length * perCharacter + complexCharacters * perComplexCharacter + lines * perLine
  return { steps, bytes: countWrittenBytes(text) + lines * bytesPerLine }
}

function toCodeBlock(text: string): string {
  const fence = '~'.repeat(Math.max(2, findLongestRun(text, '~')) + 1)
  return `${fence}\n${text}\n${fence}`
}
