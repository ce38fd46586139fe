import type { JudgePlacements } from './placeholders.ts'
import { insideComment, insideQuotes, joinedToTextAfter, joinedToTextBefore } from './placement-reasons.ts'
import { judgePowershellStatements } from './powershell/statements.ts'
import { scanPlacements } from './scan-placements.ts'

// PowerShell accepts typographic quotation marks as quotes.
const singleQuotes = "'‘’‚‛"
const doubleQuotes = '"“”„'

type State =
  | 'code'
  | 'line-comment'
  | 'block-comment'
  | 'single-quoted'
  | 'double-quoted'
  | 'single-quoted-here-string'
  | 'double-quoted-here-string'
  /** Between the braces of `${name}`. */
  | 'variable-name'
  /** After `--%`, until the end of the line. */
  | 'verbatim-arguments'

const reasonByState: Record<Exclude<State, 'code'>, string> = {
  'line-comment': insideComment,
  'block-comment': insideComment,
  'single-quoted': insideQuotes,
  'double-quoted': insideQuotes,
  'single-quoted-here-string': 'is inside a here-string',
  'double-quoted-here-string': 'is inside a here-string',
  'variable-name': 'is inside the name of a variable',
  'verbatim-arguments': 'is after --%, where quotes have no meaning',
}

/** Scan the strings, here-strings and comments of a PowerShell script, and judge every statement that a value reaches. */
export const judgePowershellPlacements: JudgePlacements = (script, placeholders) => {
  const reasons = new Map<number, string>()
  /** The script without comments. Strings stay, because the expressions in them are executed. */
  let code = ''
  /** Whether each character of the code is outside quotes. */
  const isCode: boolean[] = []
  const addCode = (text: string, state: State) => {
    code += text
    for (const _ of text) isCode.push(state === 'code')
  }
  const finalState = scanPlacements({
    initialState: 'code' as State,
    script,
    placeholders,
    scan,
    visitPlaceholder: (state: State, { start, end }) => {
      const reason = state === 'code' ? findReasonInCode(script[start - 1] ?? '', script[end] ?? '') : reasonByState[state]
      if (reason) reasons.set(start, reason)
      addCode(script.slice(start, end), state)
    },
    visitText: (state: State, text) => {
      const isComment = state === 'line-comment' || state === 'block-comment'
      addCode(isComment ? text.replace(/[^\n]/g, ' ') : text.replace(/^`\r?\n$/, (continuation) => ' '.repeat(continuation.length)), state)
    },
  })
  const isUnclosed = !/^(code|line-comment|verbatim-arguments)$/.test(finalState) || script.includes('\0')
  if (isUnclosed) for (const { start } of placeholders) if (!reasons.has(start)) reasons.set(start, unclosed)
  return { reasons, commandsByOperand: judgePowershellStatements(code, isCode, placeholders, reasons) }
}

const unclosed = 'is in a script with an unclosed string or comment'

function findReasonInCode(before: string, after: string): string | undefined {
  if (before && /[\w$@`\\/.%~?'"‘’‚‛“”„)\]}-]/.test(before)) return joinedToTextBefore
  return after && /[\w$`\\/'"‘’‚‛“”„({-]/.test(after) ? joinedToTextAfter : undefined
}

interface ScanStep {
  state: State
  length: number
}

/** Return the state after the next token, and the length of that token. */
function scan(state: State, script: string, index: number): ScanStep {
  const char = script[index] ?? ''
  switch (state) {
    case 'code':
      return scanCode(script, index, char)
    case 'line-comment':
    case 'verbatim-arguments':
      return { state: char === '\n' ? 'code' : state, length: 1 }
    case 'block-comment':
      return script.startsWith('#>', index) ? { state: 'code', length: 2 } : { state, length: 1 }
    case 'single-quoted':
      return scanQuoted(state, singleQuotes, script, index)
    case 'double-quoted':
      return char === '`' ? { state, length: 2 } : scanQuoted(state, doubleQuotes, script, index)
    case 'single-quoted-here-string':
      return scanHereString(state, singleQuotes, script, index)
    case 'double-quoted-here-string':
      return scanHereString(state, doubleQuotes, script, index)
    case 'variable-name':
      return { state: char === '}' ? 'code' : state, length: char === '`' ? 2 : 1 }
  }
}

/** Scan a quoted string. A doubled quote is one literal quote. */
function scanQuoted(state: State, quotes: string, script: string, index: number): ScanStep {
  if (!quotes.includes(script[index] ?? '')) return { state, length: 1 }
  return quotes.includes(script[index + 1] ?? ' ') ? { state, length: 2 } : { state: 'code', length: 1 }
}

/** Scan a here-string. A quote and @ at the start of a line end it. */
function scanHereString(state: State, quotes: string, script: string, index: number): ScanStep {
  const isEnd = script[index] === '\n' && quotes.includes(script[index + 1] ?? ' ') && script[index + 2] === '@'
  return isEnd ? { state: 'code', length: 3 } : { state, length: 1 }
}

function scanCode(script: string, index: number, char: string): ScanStep {
  if (char === '`') return { state: 'code', length: script.startsWith('\r\n', index + 1) ? 3 : 2 }
  if (script.startsWith('<#', index)) return { state: 'block-comment', length: 2 }
  if (script.startsWith('--%', index) && /^[\s|]?$/.test(script[index + 3] ?? '')) return { state: 'verbatim-arguments', length: 3 }
  // Inside a word, # does not start a comment.
  if (char === '#' && !/[\w\-#]/.test(script[index - 1] ?? '')) return { state: 'line-comment', length: 1 }
  const next = script[index + 1] ?? ''
  const isHereString = char === '@' && next && (singleQuotes + doubleQuotes).includes(next)
  if (isHereString && /^[ \t]*\r?\n/.test(script.slice(index + 2, index + 200))) {
    return { state: singleQuotes.includes(next) ? 'single-quoted-here-string' : 'double-quoted-here-string', length: 2 }
  }
  if (char === '$' && next === '{') return { state: 'variable-name', length: 2 }
  if (singleQuotes.includes(char)) return { state: 'single-quoted', length: 1 }
  if (doubleQuotes.includes(char)) return { state: 'double-quoted', length: 1 }
  return { state: 'code', length: 1 }
}
