import { canSpend, spend, spendBytes } from '#rules/budget.ts'
import { clip } from '#rules/text/clip.ts'
import { toValueText } from '#rules/text/value-text.ts'
import { type Flow, isStepList } from './structure.ts'
import { listSubflows } from './subflow.ts'
import { walkAll } from './walk.ts'

/** Variables that every session has, whatever its intake form asks. */
const sessionVariables = ['ticket_number', 'client_name', 'target_label'] as const

/** Return the keys of all placeholders in a text, in order and without duplicates. */
export function findPlaceholderKeys(text: string): string[] {
  const keys = new Set<string>()
  let placeholder = findPlaceholder(text, 0)
  while (placeholder) {
    keys.add(placeholder.key)
    placeholder = findPlaceholder(text, placeholder.end)
  }
  return [...keys]
}

/** What one value may add to a text, and all values together: more than an approver may have to read. */
const maxValueLength = 20_000
const maxFilledLength = 500_000
const stepsPerPlaceholder = 20

/** A value that takes the place of the text from index `start` to before index `end`. */
export interface Filling {
  value: string
  start: number
  end: number
}

/**
 * Replace the placeholders of a plain text with their values. A placeholder without a value stays in the
 * text, and so does one whose value has no room left. A long value is cut, and ends with `…`.
 */
export function fillPlaceholders(text: string, values: Readonly<Record<string, unknown>>): string {
  let result = ''
  let copiedTo = 0
  for (const { value, start, end } of collectFillings(text, values)) {
    result += text.slice(copiedTo, start) + value
    copiedTo = end
  }
  return result + text.slice(copiedTo)
}

/** Return the values that fill the placeholders of a text, in their order. */
export function collectFillings(text: string, values: Readonly<Record<string, unknown>>): Filling[] {
  spend(text.length)
  const fillings: Filling[] = []
  let filledLength = 0
  for (
    let placeholder = findPlaceholder(text, 0);
    placeholder;
    placeholder = findPlaceholder(text, placeholder.end)
  ) {
    const { key, start, end } = placeholder
    const fullValue = Object.hasOwn(values, key) ? toValueText(values[key]) : null
    if (fullValue === null) continue
    const value = clip(fullValue, maxValueLength)
    filledLength += value.length
    if (filledLength > maxFilledLength || !canSpend(stepsPerPlaceholder + value.length, value.length)) break
    spend(stepsPerPlaceholder + value.length)
    spendBytes(value.length)
    fillings.push({ value, start, end })
  }
  return fillings
}

/** A `{{ key }}` in a text, from index `start` to before index `end`. */
interface Placeholder {
  key: string
  start: number
  end: number
}

/**
 * Find the first placeholder at or after `from`. It uses no regular expression, because one takes several
 * times as long on a report.
 */
function findPlaceholder(text: string, from: number): Placeholder | null {
  for (let start = text.indexOf('{{', from); start >= 0; start = text.indexOf('{{', start + 1)) {
    const keyStart = skipSpaces(text, start + 2)
    const keyEnd = skipKey(text, keyStart)
    const close = skipSpaces(text, keyEnd)
    if (keyEnd > keyStart && text.startsWith('}}', close))
      return { key: text.slice(keyStart, keyEnd), start, end: close + 2 }
  }
  return null
}

function skipSpaces(text: string, from: number): number {
  let index = from
  while (isSpace(text.charCodeAt(index))) index++
  return index
}

function isSpace(code: number): boolean {
  return (
    code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0xa0 && /\s/.test(String.fromCharCode(code)))
  )
}

/** Return the end of the key at `from`, or `from` when there is no key. A key matches `[A-Za-z_][\w.-]*`. */
function skipKey(text: string, from: number): number {
  let index = from
  while (isKeyCharacter(text.charCodeAt(index), index === from)) index++
  return index
}

function isKeyCharacter(code: number, isFirst: boolean): boolean {
  const lowerCase = code | 0x20
  const isLetter = lowerCase >= 0x61 && lowerCase <= 0x7a
  const isUnderscore = code === 0x5f
  if (isLetter || isUnderscore) return true
  const isDigit = code >= 0x30 && code <= 0x39
  const isDotOrHyphen = code === 0x2e || code === 0x2d
  return !isFirst && (isDigit || isDotOrHyphen)
}

/**
 * Return the placeholders in the titles and descriptions of a flow whose key is no intake field, session
 * variable or output of a sub-flow.
 */
export function findUnfilledPlaceholders({
  tree_structure,
  intake_form,
}: Flow): { node_id: string; path: string; key: string }[] {
  if (!tree_structure || (isStepList(tree_structure) && tree_structure.steps.length === 0)) return []
  const outputKeys = listSubflows(tree_structure).flatMap(({ subflow }) => Object.keys(subflow.outputs ?? {}))
  const knownKeys = new Set<string>([
    ...sessionVariables,
    ...intake_form.map(({ key }) => key),
    ...outputKeys,
  ])
  const unfilled: { node_id: string; path: string; key: string }[] = []
  for (const { node, path } of walkAll(tree_structure)) {
    for (const property of ['title', 'description'] as const) {
      const keys = findPlaceholderKeys(node[property] ?? '').filter((key) => !knownKeys.has(key))
      for (const item of keys.map((key) => ({ node_id: node.id, path: `${path}.${property}`, key })))
        unfilled.push(item)
    }
  }
  return unfilled
}

/** Replace placeholders by their names, for readers who must not see values. */
export function namePlaceholders(text: string): string {
  return text.replace(/\{\{\s*(\w+)\b[^{}]*\}\}/g, (_, key: string) => `[${key.replaceAll('_', ' ')}]`)
}
