import { insideComment, insideQuotes, joinedToTextAfter, joinedToTextBefore } from './placement-reasons.ts'
import { createPlacementScanner } from './scan-placements.ts'

/** Code, a comment, or a string with these quotes. */
type State = 'code' | 'comment' | "'" | '"' | "'''" | '"""'

/** Find placeholders in a Python script whose value cannot be quoted safely, by scanning its strings and comments. */
export const findUnsafePythonPlacements = createPlacementScanner<State>({
  initialState: 'code',
  scan,
  findReason: (state, script, start, end) => findReason(state, script[start - 1] ?? '', script[end] ?? ''),
})

function findReason(state: State, before: string, after: string): string | undefined {
  if (state === 'comment') return insideComment
  if (state !== 'code') return insideQuotes
  if (/[\w"'\\.]/.test(before)) return joinedToTextBefore
  return /[\w"']/.test(after) ? joinedToTextAfter : undefined
}

/** Return the state after the next token, and the length of that token. */
function scan(state: State, script: string, index: number): { state: State; length: number } {
  const char = script[index] ?? ''
  if (state === 'code') return scanCode(script, index, char)
  if (state === 'comment') return { state: char === '\n' ? 'code' : 'comment', length: 1 }
  if (char === '\\') return { state, length: 2 }
  const isTripleQuoted = state.length === 3
  if (isTripleQuoted) return script.startsWith(state, index) ? { state: 'code', length: 3 } : { state, length: 1 }
  const endsString = char === state || char === '\n'
  return { state: endsString ? 'code' : state, length: 1 }
}

function scanCode(script: string, index: number, char: string): { state: State; length: number } {
  if (char === '#') return { state: 'comment', length: 1 }
  const threeChars = script.slice(index, index + 3)
  if (threeChars === "'''" || threeChars === '"""') return { state: threeChars, length: 3 }
  if (char === "'" || char === '"') return { state: char, length: 1 }
  return { state: 'code', length: char === '\\' ? 2 : 1 }
}
