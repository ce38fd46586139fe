import { storable } from '../../text/json.ts'
import { code, fencesOf } from './fences.ts'

// The grammar that writing and reading the markdown form share, so that neither can drift from the other.

/** A place in the file, its line counted from 1, and what is wrong there in a technician's words. */
export interface LineProblem {
  line: number
  message: string
}
export type Say = (line: number, message: string) => void

const most = 200

/** Collects problems, of which an answer holds the first 200 by line and how many more there are. */
export function problemList(): { say: Say; found: () => LineProblem[] } {
  const all: LineProblem[] = []
  let count = 0
  return {
    say: (line, message) => void (++count <= 50 * most && all.push({ line, message })),
    found: () => {
      const sorted = all.toSorted((a, b) => a.line - b.line).slice(0, most)
      const { line = 1 } = sorted.at(-1) ?? {}
      return count > most ? [...sorted, { line, message: `There are ${count - most} more problems` }] : sorted
    },
  }
}

// A line of a description that means something here, or is blank, after as many backslashes as it has: each stands for one less.
const escapable =
  /^\\*(?: {0,3}(?:#{2,3}(?:[ \t]|$)|->[ \t]*(?:#|\{#|$)|[-*+][ \t].*?->[ \t]*(?:#|\{#|$)|Attachment:[ \t]*"|`{3,}[^`]*$|~{3})|\s*$)/s

/** A description as lines of the file: those that would mean something get one backslash. */
export function textLines(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  const fences = fencesOf(lines)
  const first = lines.findIndex(filled)
  const last = lines.findLastIndex(filled)
  return lines.map((line, index) => {
    if (fences[index] === code) return line
    const plain = line.trim() === '' && index > first && index < last
    return !plain && escapable.test(line) ? `\\${line}` : line
  })
}

/** One line of a description outside of code, as it was before `textLines`. */
export function plainLine(line: string): string {
  return line.startsWith('\\') && escapable.test(line) ? line.slice(1) : line
}

export function filled(line: string): boolean {
  return line.trim() !== ''
}

const arrow = /->(?=[ \t]*(?:#|\{#|$))/
const arrows = /-(\\*)>(?=[ \t]*(?:#|\{#|$))/g
const escapedArrows = /-\\(\\*)>(?=[ \t]*(?:#|\{#|$))/g

export function titleText(title: string): string {
  return title.replace(/\{(\\*)#/g, '{\\$1#')
}

export function plainTitle(text: string): string {
  return text.replace(/\{\\(\\*)#/g, '{$1#').trim()
}

export function labelText(label: string): string {
  return label.replace(arrows, '-\\$1>')
}

/** `label -> target` in its two parts; null when it leads nowhere, not even to nothing. */
export function splitLabel(text: string): { label: string; rest: string } | null {
  const found = arrow.exec(text)
  if (!found) return null
  return { label: text.slice(0, found.index).trim().replace(escapedArrows, '-$1>'), rest: text.slice(found.index + 2).trim() }
}

/** Characters that are not seen, or that other readers of YAML and tables take for a line's end. */
export const unusual = /[\p{Cc}\u2028\u2029\ufeff\ufffe\uffff]/u

const word = /^[\p{L}\p{N}_][\p{L}\p{N}_.:-]*$/u

/** JSON text in plain characters alone, so that no reader of YAML or markdown sees a break or a mark in it. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** An id or a value of an attribute: as it is when it is a plain word. */
export function wordText(value: string): string {
  return word.test(value) ? value : jsonText(value)
}

/** `{#id name=value flag}`. */
export function attributesText(id: string, attributes: readonly string[]): string {
  return `{#${[wordText(id), ...attributes].join(' ')}}`
}

/** A JSON value that can be stored; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return [value].flat().every((item) => typeof item !== 'string' || storable(item)) ? value : undefined
  } catch {
    return undefined
  }
}

/** Reads one line from left to right; what is not there is undefined and moves nothing. */
export function scanner(text: string) {
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const [found] = pattern.exec(text) ?? []
    if (found !== undefined) at += found.length
    return found
  }
  const quoted = (): string | undefined => {
    const end = text[at] === '"' ? endOfString(text, at) : -1
    const value = end < 0 ? undefined : parseJson(text.slice(at, end))
    if (typeof value !== 'string') return undefined
    at = end
    return value.trim()
  }
  return { take, value: () => quoted() ?? take(/[^\s"{}=]+/y), done: () => at === text.length }
}
export type Scanner = ReturnType<typeof scanner>

/** Behind the quote that closes the one at `start`; -1 when none does. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') return i + 1
  }
  return -1
}

/** What an attribute block holds: flags are true. */
export interface Attributes {
  id: string
  values: Map<string, string | true>
}

/** The attribute block that ends the line; undefined when it cannot be read. */
export function readAttributes(scan: Scanner): Attributes | undefined {
  if (scan.take(/\{#/y) === undefined) return undefined
  const id = scan.value()
  if (!id) return undefined
  const values = new Map<string, string | true>()
  while (scan.take(/[ \t]+/y) !== undefined) {
    const name = scan.take(/[a-z_]+/y)
    if (name === undefined) break
    const value = scan.take(/=/y) === undefined ? true : scan.value()
    if (value === undefined || values.has(name)) return undefined
    values.set(name, value)
  }
  const closed = scan.take(/\}[ \t]*/y) !== undefined && scan.done()
  return closed ? { id, values } : undefined
}
