import { parse } from 'unbash'
import { spend } from '#rules/budget.ts'
import type { MarkedScript } from '#rules/scripts/markers.ts'
import { readScript } from './commands.ts'
import { type Reader, UnreadableScriptError } from './reader.ts'
import type { ShellScript } from './syntax.ts'

// The one reader of shell scripts. The judge of placeholders and that of risks read its commands.

/** Create the reader that adds the commands of a script to `result`. */
export function createReader(
  marked: MarkedScript,
  result: ShellScript,
  { knowsExtendedGlobs }: Pick<Reader, 'knowsExtendedGlobs'>,
): Reader {
  return { readScript, marked, result, reason: undefined, knowsExtendedGlobs, placed: new Set() }
}

/** What the parser reads of one character costs. */
const stepsPerCharacter = 20
const maxDepth = 60
/** The parser searches all here-documents for the end of each. */
const maxHereDocuments = 1000

/**
 * Read a text. Throw an UnreadableScriptError if its brackets are nested so deeply that the parser might not
 * end.
 */
export function readText(reader: Reader, text: string): void {
  spend(text.length * stepsPerCharacter)
  let depth = 0
  for (const { 0: char, index } of text.matchAll(/[(){}]/g)) {
    depth = '({'.includes(char) ? depth + 1 : Math.max(0, depth - 1)
    if (depth > maxDepth) throw new UnreadableScriptError(index)
  }
  if (text.split('<<').length > maxHereDocuments) throw new UnreadableScriptError(0)
  readScript(reader, parse(text))
}
