import type { Placeholder } from '#rules/scripts/placeholders.ts'
import type { Command, FunctionBody, Part, ShellScript } from './syntax.ts'

/** The position in a script, and what was found so far. */
export interface Parser {
  script: string
  position: number
  /** Where the script, or the here-document that is read, ends. */
  end: number
  placeholderByStart: ReadonlyMap<number, Placeholder>
  /** The number of open quotes, expansions and substitutions. */
  depth: number
  hereDocuments: HereDocument[]
  /** The number of open braces around commands. */
  braceDepth: number
  /** The functions whose end was not read, with the braces around each. */
  openFunctions: { body: FunctionBody; braceDepth: number }[]
  result: ShellScript
  /** Set when the rest of the script cannot be understood. Its placeholders are refused. */
  isStopped: boolean
  /** The readers of commands and of parts of words. They are fields, because the files that define them need one another. */
  readCommands: (parser: Parser, closing: string) => Command[]
  readPart: (parser: Parser, char: string) => Part[]
  readQuotedParts: (parser: Parser, closingQuote: string, reason: string) => Part[]
  /** Where it stopped. */
  stoppedAt: number
}

export interface HereDocument {
  delimiter: string
  isQuoted: boolean
  /** `<<-` ignores tabs before the delimiter. */
  ignoresTabs: boolean
  addBody: (parts: Part[]) => void
}

const maxDepth = 40

export type Readers = Pick<Parser, 'readCommands' | 'readPart' | 'readQuotedParts'>

export function createParser(
  script: string,
  placeholders: readonly Placeholder[],
  result: ShellScript,
  { readCommands, readPart, readQuotedParts }: Readers,
  depth = 0,
): Parser {
  return {
    script,
    position: 0,
    end: script.length,
    placeholderByStart: new Map(placeholders.map((placeholder) => [placeholder.start, placeholder])),
    depth,
    hereDocuments: [],
    braceDepth: 0,
    openFunctions: [],
    result,
    isStopped: false,
    stoppedAt: 0,
    readCommands,
    readPart,
    readQuotedParts,
  }
}

export function createShellScript(): ShellScript {
  return {
    ...{ commands: [], assignments: [], functionNames: new Set(), functionBodies: [] },
    ...{ arithmeticNames: [], expandedNames: [], problems: new Map() },
  }
}

/** Give up: the rest of the script is not read. */
export function stop(parser: Parser): void {
  if (!parser.isStopped) parser.stoppedAt = parser.position
  parser.isStopped = true
  parser.position = parser.end
}

export function peek(parser: Parser, offset = 0): string {
  const index = parser.position + offset
  return index < parser.end ? (parser.script[index] ?? '') : ''
}

export function isAt(parser: Parser, text: string): boolean {
  return parser.position + text.length <= parser.end && parser.script.startsWith(text, parser.position)
}

export function isAtEnd(parser: Parser): boolean {
  return parser.position >= parser.end
}

/** Match a sticky expression at the current position. Without a match return an empty text. */
export function matchHere(parser: Parser, expression: RegExp): string {
  expression.lastIndex = parser.position
  const text = expression.exec(parser.script)?.[0] ?? ''
  return text.slice(0, parser.end - parser.position)
}

/** Read the placeholder at the current position, if there is one. Refuse it if there is a reason. */
export function takePlaceholder(parser: Parser, reason?: string): Placeholder | undefined {
  const placeholder = parser.placeholderByStart.get(parser.position)
  if (!placeholder) return undefined
  if (reason) parser.result.problems.set(placeholder.start, reason)
  parser.position = placeholder.end
  return placeholder
}

/** Read nested syntax. Stop at an extreme depth, which only a hostile script has. */
export function nest<Result>(parser: Parser, empty: Result, read: () => Result): Result {
  if (parser.depth >= maxDepth) {
    stop(parser)
    return empty
  }
  parser.depth++
  const result = read()
  parser.depth--
  return result
}
