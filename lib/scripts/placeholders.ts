// `{{ name }}` and `{{ name | filter | filter }}` in a script.

export const filters = ['upper', 'lower', 'trim', 'quote', 'int', 'bool', 'json', 'base64'] as const
export type Filter = (typeof filters)[number]

export interface Placeholder {
  name: string
  /** As they are written; not all need be filters. */
  filters: string[]
  /** Where it begins and ends in the body. */
  start: number
  end: number
}

/** Every placeholder, from the first to the last. What stands in double braces and reads otherwise is none. */
export function placeholdersOf(body: string): Placeholder[] {
  return [...body.matchAll(/\{\{[ \t]*([a-z][a-z0-9_]{0,59})((?:[ \t]*\|[ \t]*\w{1,40}){0,8})[ \t]*\}\}/g)].map((match) => ({
    name: match[1] ?? '',
    filters: (match[2] ?? '')
      .split('|')
      .slice(1)
      .map((filter) => filter.trim()),
    start: match.index,
    end: match.index + match[0].length,
  }))
}

/** The line a position is on, from 1. */
export function lineOf(body: string, position: number): number {
  return body.slice(0, position).split('\n').length
}

export function isFilter(name: string): name is Filter {
  return filters.some((filter) => filter === name)
}

/** Finds the placeholders where no value can be quoted safely. Maps the start of each to the reason, in plain words. */
export type FindUnsafePlaces = (body: string, placeholders: readonly Placeholder[]) => Map<number, string>
