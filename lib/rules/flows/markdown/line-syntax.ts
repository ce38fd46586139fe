import { classifyLines, codeLine } from '#rules/text/code-fences.ts'
import { findUnstorableText, isStorable, readJson } from '#rules/text/json.ts'

// The syntax of single lines. Writing and reading share this file, so that they cannot diverge.

/** A problem in the file, described for a technician. */
export interface LineProblem {
  /** The first line of the file is 1. */
  line: number
  message: string
}
export type ReportProblem = (line: number, message: string) => void

const maxProblems = 200
/** Problems in memory; more of them are counted but not stored. */
const maxStoredProblems = 50 * maxProblems

/**
 * Create a collector of problems. `list` returns the first 200 by line, and one that says how many more there
 * are.
 */
export function createProblemList(): { report: ReportProblem; list: () => LineProblem[] } {
  const storedProblems: LineProblem[] = []
  let count = 0
  return {
    report: (line, message) => {
      count++
      if (count <= maxStoredProblems) storedProblems.push({ line, message })
    },
    list: () => {
      const problems = storedProblems.toSorted((a, b) => a.line - b.line).slice(0, maxProblems)
      if (count <= maxProblems) return problems
      const lastLine = problems.at(-1)?.line ?? 1
      return [...problems, { line: lastLine, message: `There are ${count - maxProblems} more problems` }]
    },
  }
}

// Matches a line of a description that needs a backslash in front: one with a meaning in this format, and a
// blank line. Backslashes at the start of such a line are part of the match, so each escape adds one and each
// unescape removes one.
const escapableLine =
  /^\\*(?: {0,3}(?:#{2,3}(?:[ \t]|$)|->[ \t]*(?:#|\{#|$)|[-*+][ \t].*?->[ \t]*(?:#|\{#|$)|Attachment:[ \t]*"|Subflow:[ \t]*\{|Evidence:[ \t]*\w+[ \t]+\w+[ \t]*"|Approval:[ \t][\w \t-]*minutes=|`{3,}[^`]*$|~{3})|\s*$)/s

/**
 * Return the description as lines of the file. A line with a meaning in this format gets a backslash in
 * front, except in code.
 */
export function escapeDescription(description: string): string[] {
  if (description === '') return []
  const lines = description.split('\n')
  const kinds = classifyLines(lines)
  const firstTextLine = lines.findIndex(hasText)
  const lastTextLine = lines.findLastIndex(hasText)
  return lines.map((line, index) => {
    if (kinds[index] === codeLine) return line
    // Blank lines at the edges are escaped, because reading drops them there.
    const isInnerBlankLine = !hasText(line) && index > firstTextLine && index < lastTextLine
    return !isInnerBlankLine && escapableLine.test(line) ? `\\${line}` : line
  })
}

/** Reverse `escapeDescription` for one line outside of code. */
export function unescapeLine(line: string): string {
  return line.startsWith('\\') && escapableLine.test(line) ? line.slice(1) : line
}

export function hasText(line: string): boolean {
  return line.trim() !== ''
}

// An arrow with a target, or at the end of the line. Other arrows are text.
const arrow = /->(?=[ \t]*(?:#|\{#|$))/
const arrowsInLabel = /-(\\*)>(?=[ \t]*(?:#|\{#|$))/g
const escapedArrowsInLabel = /-\\(\\*)>(?=[ \t]*(?:#|\{#|$))/g

/** Escape each `{#` in a title, because it would start an attribute block. */
export function escapeTitle(title: string): string {
  return title.replace(/\{(\\*)#/g, '{\\$1#')
}

export function unescapeTitle(text: string): string {
  return text.replace(/\{\\(\\*)#/g, '{$1#').trim()
}

/** Escape each arrow in the label of an option. */
export function escapeLabel(label: string): string {
  return label.replace(arrowsInLabel, '-\\$1>')
}

/** Split `label -> target` at its arrow. Return null without an arrow. */
export function splitLink(text: string): { label: string; target: string } | null {
  const match = arrow.exec(text)
  if (!match) return null
  const label = text.slice(0, match.index).trim().replace(escapedArrowsInLabel, '-$1>')
  const target = text.slice(match.index + '->'.length).trim()
  return { label, target }
}

/** A control character, or one that other YAML or table parsers remove or read as a line break. */
export const unusualCharacter = /[\p{Cc}\u2028\u2029\ufeff\ufffe\uffff]/u

/**
 * Return JSON in which every unusual character is escaped, so that YAML and markdown readers see one plain
 * line.
 */
export function toPlainJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const plainWord = /^[\p{L}\p{N}_][\p{L}\p{N}_.:-]*$/u

/** Return an id or an attribute value as it is if it is a plain word, else as a JSON string. */
export function formatWord(value: string): string {
  return plainWord.test(value) ? value : toPlainJson(value)
}

/** Return an attribute block: `{#id name=value flag}`. */
export function formatAttributes(id: string, attributes: readonly string[]): string {
  return `{#${[formatWord(id), ...attributes].join(' ')}}`
}

/** Parse a JSON value. Return undefined for invalid JSON, and for texts that cannot be stored. */
export function parseStorableJson(json: string): unknown {
  try {
    const value = readJson(json)
    return [value].flat().every((item) => typeof item !== 'string' || isStorable(item)) ? value : undefined
  } catch {
    return undefined
  }
}

/** Parse a JSON object. Return undefined for anything else, and for one with a text that cannot be stored. */
export function parseStorableObject(json: string): object | undefined {
  try {
    const value = readJson(json)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && findUnstorableText(value, []).length === 0 ? value : undefined
  } catch {
    return undefined
  }
}

export interface LineScanner {
  /** Consume a match of the sticky `pattern` at the current position. Return undefined without a match. */
  take: (pattern: RegExp) => string | undefined
  /** Consume a word or a JSON string. Return undefined if there is neither. */
  takeWord: () => string | undefined
  isAtEnd: () => boolean
}

/** Create a scanner that reads one line from left to right. */
export function createLineScanner(line: string): LineScanner {
  let position = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = position
    const matchedText = pattern.exec(line)?.[0]
    if (matchedText !== undefined) position += matchedText.length
    return matchedText
  }
  const takeJsonString = (): string | undefined => {
    const end = line[position] === '"' ? findEndOfString(line, position) : -1
    const value = end < 0 ? undefined : parseStorableJson(line.slice(position, end))
    if (typeof value !== 'string') return undefined
    position = end
    return value.trim()
  }
  return {
    take,
    takeWord: () => takeJsonString() ?? take(/[^\s"{}=]+/y),
    isAtEnd: () => position === line.length,
  }
}

/**
 * Return the index after the closing quote of the JSON string that starts at `start`, or -1 without a closing
 * quote.
 */
function findEndOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') return i + 1
  }
  return -1
}

export interface Attributes {
  id: string
  /** The value of a flag is true. */
  values: Map<string, string | true>
}

/** Read the attribute block at the end of a line. Return undefined if it is invalid. */
export function readAttributes(scanner: LineScanner): Attributes | undefined {
  if (scanner.take(/\{#/y) === undefined) return undefined
  const id = scanner.takeWord()
  if (!id) return undefined
  const values = new Map<string, string | true>()
  while (scanner.take(/[ \t]+/y) !== undefined) {
    const name = scanner.take(/[a-z_]+/y)
    if (name === undefined) break
    const value = scanner.take(/=/y) === undefined ? true : scanner.takeWord()
    if (value === undefined || values.has(name)) return undefined
    values.set(name, value)
  }
  const isClosed = scanner.take(/\}[ \t]*/y) !== undefined && scanner.isAtEnd()
  return isClosed ? { id, values } : undefined
}
