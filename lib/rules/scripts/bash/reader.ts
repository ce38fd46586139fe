import type { ParsedScript } from 'unbash'
import { findMarked, type MarkedScript } from '#rules/scripts/markers.ts'
import { insideBackticks } from '#rules/scripts/placement-reasons.ts'
import type { Command, Part, ShellScript } from './syntax.ts'

/** The check cannot follow a script after a position. */
export class UnreadableScriptError extends Error {
  readonly position: number
  constructor(position: number) {
    super('The check cannot follow the script')
    this.position = position
  }
}

/** What reading a script shares. */
export interface Reader {
  /** Read the commands inside a word. */
  readScript: (reader: Reader, script: ParsedScript) => Command[]
  marked: MarkedScript
  result: ShellScript
  /** Why a placeholder is refused at this place, even if it is a quoted literal. */
  reason: string | undefined
  /** Whether patterns such as `@(a|b)` are read without `shopt -s extglob`, as in tests. */
  knowsExtendedGlobs: boolean
  /** The placeholders that stand as literals where they may. */
  placed: Set<number>
}

/** Read the nodes inside another place. */
export function readInside<T>(reader: Reader, reason: string | undefined, read: () => T): T {
  const outer = reader.reason
  reader.reason = reason
  const result = read()
  reader.reason = outer
  return result
}

/** Read the commands in backticks, whose escapes move all positions. No placeholder may stand there. */
export function readInBackticks<T>(
  reader: Reader,
  { text, pos }: { text: string; pos: number },
  read: () => T,
): T {
  refuseMarked(reader, text, pos, insideBackticks)
  const { marked } = reader
  reader.marked = { text: '', placeholderByMark: new Map() }
  const result = read()
  reader.marked = marked
  return result
}

/** Refuse the placeholders whose markers a text contains. */
export function refuseMarked(
  { marked, result }: Reader,
  text: string,
  position: number,
  reason: string,
): void {
  for (const { start } of findMarked(marked, text, position))
    if (!result.problems.has(start)) result.problems.set(start, reason)
}

/** Read a quoted literal. It is the value of a placeholder if nothing else is inside the quotes. */
export function readSingleQuoted(
  reader: Reader,
  part: { text: string; value: string; pos: number },
  reason: string,
): Part {
  const placeholder = reader.marked.placeholderByMark.get(part.pos + 1)
  if (placeholder?.start !== part.pos || placeholder.end !== part.pos + part.text.length) {
    refuseMarked(reader, part.text, part.pos, reason)
    return { kind: 'text', text: part.value, isQuoted: true, isLiteral: true }
  }
  if (reader.reason) refuseMarked(reader, part.text, part.pos, reader.reason)
  reader.placed.add(placeholder.start)
  return { kind: 'placeholder', placeholder }
}
