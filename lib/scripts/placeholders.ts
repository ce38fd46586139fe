// The placeholders of a script: `{{ name }}` and `{{ name | filter | filter }}`.

export const filters = ['upper', 'lower', 'trim', 'quote', 'int', 'bool', 'json', 'base64'] as const
export type Filter = (typeof filters)[number]

export interface Placeholder {
  name: string
  /** The names after each |. They may be unknown. */
  filters: string[]
  /** The index in the script of the first character of the placeholder. `end` is the index after the last character. */
  start: number
  end: number
}

const placeholder = /\{\{[ \t]*([a-z][a-z0-9_]{0,59})((?:[ \t]*\|[ \t]*\w{1,40}){0,8})[ \t]*\}\}/g

/** Return all placeholders in order. Other text in double braces is not a placeholder. */
export function findPlaceholders(script: string): Placeholder[] {
  return [...script.matchAll(placeholder)].map((match) => {
    const [text, name = '', filterList = ''] = match
    const filterNames = filterList.split('|').slice(1)
    return { name, filters: filterNames.map((filter) => filter.trim()), start: match.index, end: match.index + text.length }
  })
}

/** Return the line of a position in a script. The first line is 1. */
export function getLineNumber(script: string, position: number): number {
  return script.slice(0, position).split('\n').length
}

export function isFilter(name: string): name is Filter {
  return filters.some((filter) => filter === name)
}

/** How a placeholder's values are written, and who decides them. */
export interface JudgedPlaceholder extends Placeholder {
  /** Whether its values are written as quoted literals. Numbers and booleans are not quoted, and are safe everywhere. */
  isQuoted: boolean
  /** Whether its values are any text. The author of the script decides the values of a choice. */
  isUntrusted: boolean
}

export interface Placements {
  /** Why a placeholder is refused, by its start index. A reason completes the sentence "{{ name }} …". */
  reasons: Map<number, string>
  /** The commands that would read a value with a leading dash as an option that executes it, by the start index of the placeholder. */
  commandsByOperand: Map<number, string>
}

/** Decide for each placeholder of a script what its value may be. */
export type JudgePlacements = (script: string, placeholders: readonly JudgedPlaceholder[]) => Placements
