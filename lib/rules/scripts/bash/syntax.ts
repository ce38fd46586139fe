import type { Placeholder } from '#rules/scripts/placeholders.ts'

// The parts of a shell script that decide whether a value can be executed.

export type Part =
  /** `isLiteral` is false for text that the shell replaces, such as `$'\x65'` and `@(a|b)`. */
  | { kind: 'text'; text: string; isQuoted: boolean; isLiteral: boolean }
  | { kind: 'placeholder'; placeholder: Placeholder }
  /** `$name` or `${name…}`. `parts` are those inside the braces. */
  | { kind: 'variable'; name: string; parts: Part[] }
  /** `$( … )`, backticks or `<( … )` */
  | { kind: 'substitution'; commands: Command[] }
  /** `$(( … ))` yields a number. */
  | { kind: 'arithmetic' }

export interface Word {
  parts: Part[]
}

export interface Assignment {
  name: string
  value: Word[]
}

export interface Redirection {
  /** Such as `>`, `<<<` or `<<`. */
  operator: string
  word: Word
}

export interface Command {
  /** `test` is `[[ … ]]`; its words include operators such as `&&`. */
  kind: 'simple' | 'test'
  /** Its position in the script. */
  position: number
  assignments: Assignment[]
  words: Word[]
  redirections: Redirection[]
  /** Whether another command reads its output. */
  isPiped: boolean
  /** Whether it reads the output of another command. */
  isFed: boolean
  /** Whether its output contains what it reports as errors. */
  mergesErrors: boolean
}

/** What a script does. The lists include the commands inside substitutions, functions and loops. */
export interface ShellScript {
  commands: Command[]
  /** Assignments by `${name:=…}` and arithmetic. */
  assignments: Assignment[]
  functionNames: Set<string>
  /** Variables whose value arithmetic evaluates. */
  arithmeticNames: string[]
  /** Variables whose value names a variable (`${!name}`) or is expanded again (`${name@P}`). */
  expandedNames: string[]
  /**
   * The problem of each placeholder that stands where its quotes have no or another meaning, by start index.
   */
  problems: Map<number, string>
}

export function createShellScript(): ShellScript {
  return {
    commands: [],
    assignments: [],
    functionNames: new Set(),
    arithmeticNames: [],
    expandedNames: [],
    problems: new Map(),
  }
}

/** Return text without escapes. Unquoted text may be expanded. */
export function createText(text: string, isQuoted = true): Part {
  return { kind: 'text', text, isQuoted, isLiteral: true }
}

/** Any text of the script, and everything that its commands read. No variable has such a name. */
export const anyText = '=any'
export const stream = '=stream'

export function createVariableWord(name: string): Word {
  return { parts: [{ kind: 'variable', name, parts: [] }] }
}

/**
 * Return the text of a word, or undefined if it depends on variables, placeholders, commands, patterns or
 * braces.
 */
export function getStaticText({ parts }: Word): string | undefined {
  let text = ''
  for (const part of parts) {
    if (part.kind !== 'text' || !part.isLiteral) return undefined
    text += part.text
  }
  return text
}

/** Return whether the shell may replace the word with several words or with file names. */
export function isExpandable({ parts }: Word): boolean {
  const text = parts.map((part) => (part.kind === 'text' && !part.isQuoted ? part.text : '')).join('')
  const brace = text.indexOf('{')
  const hasBraces = brace >= 0 && Math.max(text.lastIndexOf(','), text.lastIndexOf('..')) > brace
  const bracket = text.indexOf('[')
  return /[*?]/.test(text) || hasBraces || (bracket >= 0 && text.lastIndexOf(']') > bracket)
}

/** Return the file name of a command, or undefined if the shell decides it while the script runs. */
export function getCommandName(word: Word | undefined): string | undefined {
  if (!word || isExpandable(word)) return undefined
  const text = getStaticText(word)
  return text === undefined ? undefined : normalizeCommandName(text)
}

/**
 * Return the file name of a program. Windows and macOS ignore case, and Windows separates directories by
 * backslashes too.
 */
export function normalizeCommandName(path: string): string {
  return path
    .replace(/^.*[/\\]/s, '')
    .replace(/\.exe$/i, '')
    .toLowerCase()
}
