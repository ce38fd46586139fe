// The placeholders of a script: `{{ name }}` and `{{ name | filter | filter }}`, and the escape `{{! text
// }}`.

export const filters = ['upper', 'lower', 'trim', 'quote', 'int', 'bool', 'json', 'base64'] as const
export type Filter = (typeof filters)[number]

export interface Placeholder {
  name: string
  /** The names after each |. They may be unknown. */
  filters: string[]
  /**
   * The index in the text of the template of the first character of the placeholder. `end` is the index after
   * the last character.
   */
  start: number
  end: number
}

const placeholder = /\{\{[ \t]*([a-z][a-z0-9_]{0,59})((?:[ \t]*\|[ \t]*\w{1,40}){0,8})[ \t]*\}\}/
/** `{{! text }}` stands for the literal text `{{ text }}`. The first `}}` on the same line ends it. */
const literalBraces = /\{\{!(?:((?:(?!\}\}|\{\{)[^\r\n])*)\}\})?/
const token = new RegExp(`${literalBraces.source}|${placeholder.source}`, 'g')

export interface ParsedTemplate {
  /**
   * The script in which each escape is replaced by the text that it stands for. The positions of the
   * placeholders refer to it.
   */
  text: string
  placeholders: Placeholder[]
  /** The positions in the text of the escapes that do not end. */
  unclosedEscapes: number[]
}

/**
 * Find the placeholders of a script in order, and replace its escapes. Other text in double braces stays as
 * it is.
 */
export function parseTemplate(script: string): ParsedTemplate {
  const placeholders: Placeholder[] = []
  const unclosedEscapes: number[] = []
  let text = ''
  let copiedTo = 0
  for (const match of script.matchAll(token)) {
    const [matched, escaped, name, filterList = ''] = match
    text += script.slice(copiedTo, match.index)
    copiedTo = match.index + matched.length
    const start = text.length
    if (name === undefined && escaped === undefined) unclosedEscapes.push(start)
    text += escaped === undefined ? matched : `{{${escaped}}}`
    if (name === undefined) continue
    const filterNames = filterList.split('|').slice(1)
    placeholders.push({ name, filters: filterNames.map((filter) => filter.trim()), start, end: text.length })
  }
  return { text: text + script.slice(copiedTo), placeholders, unclosedEscapes }
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
  /**
   * Whether its values are written as quoted literals. Numbers and booleans are not quoted, and are safe
   * everywhere.
   */
  isQuoted: boolean
  /** Whether its values are any text. The author of the script decides the values of a choice. */
  isUntrusted: boolean
}

export interface Placements {
  /** Why a placeholder is refused, by its start index. A reason completes the sentence "{{ name }} …". */
  reasons: Map<number, string>
  /**
   * The commands that would read a value with a leading dash as an option that executes it, by the start
   * index of the placeholder.
   */
  commandsByOperand: Map<number, string>
}

/** Refuse placeholders for a reason, unless there is another one. */
export function refuseAll(
  reasons: Map<number, string>,
  placeholders: readonly Placeholder[],
  reason: string,
): void {
  for (const { start } of placeholders) if (!reasons.has(start)) reasons.set(start, reason)
}

/** Decide for each placeholder of a script what its value may be. */
export type JudgePlacements = (script: string, placeholders: readonly JudgedPlaceholder[]) => Placements
