// Follows the quoting of a PowerShell script.

// PowerShell accepts typographic quotation marks as quotes.
const singleQuotes = "'‘’‚‛"
const doubleQuotes = '"“”„'

type StateKind =
  | 'code'
  /** Code between `$(` and `)` in a double-quoted string. */
  | 'nested-code'
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
  /** After characters whose meaning depends on the command. */
  | 'unknown'

export interface State {
  kind: StateKind
  /** What follows the end of this state. Only code has none. */
  outer?: State
  /** The number of brackets in nested code that are open. */
  depth?: number
}

interface ScanStep {
  state: State
  length: number
}

export const code: State = { kind: 'code' }

/** Return the state after the next token, and the length of that token. */
export function scan(state: State, script: string, index: number): ScanStep {
  const char = script.charAt(index)
  const outer = state.outer ?? code
  switch (state.kind) {
    case 'code':
    case 'nested-code':
      return scanCode(state, script, index)
    case 'line-comment':
    case 'verbatim-arguments':
      return { state: char === '\n' ? outer : state, length: 1 }
    case 'block-comment':
      return script.startsWith('#>', index) ? { state: outer, length: 2 } : { state, length: 1 }
    case 'single-quoted':
      return scanQuoted(state, singleQuotes, script, index)
    case 'double-quoted':
      return scanExpansion(state, script, index) ?? scanQuoted(state, doubleQuotes, script, index)
    case 'single-quoted-here-string':
      return scanHereString(state, singleQuotes, script, index)
    case 'double-quoted-here-string':
      return scanExpansion(state, script, index) ?? scanHereString(state, doubleQuotes, script, index)
    case 'variable-name':
      return { state: char === '}' ? outer : state, length: char === '`' ? 2 : 1 }
    case 'unknown':
      return { state, length: 1 }
  }
}

/** Scan an escape or the start of an expression in a double-quoted string. */
function scanExpansion(state: State, script: string, index: number): ScanStep | undefined {
  if (script[index] === '`') return { state, length: 2 }
  if (script.startsWith('$$(', index)) return { state: { kind: 'unknown', outer: state }, length: 2 }
  if (script.startsWith('$(', index))
    return { state: { kind: 'nested-code', outer: state, depth: 1 }, length: 2 }
  return script.startsWith('${', index)
    ? { state: { kind: 'variable-name', outer: state }, length: 2 }
    : undefined
}

/** Scan a quoted string. A doubled quote is one literal quote. */
function scanQuoted(state: State, quotes: string, script: string, index: number): ScanStep {
  if (!quotes.includes(script.charAt(index))) return { state, length: 1 }
  return isOneOf(quotes, script[index + 1]) ? { state, length: 2 } : { state: state.outer ?? code, length: 1 }
}

/** Scan a here-string. A quote and @ at the start of a line end it. */
function scanHereString(state: State, quotes: string, script: string, index: number): ScanStep {
  const isEnd = script[index] === '\n' && isOneOf(quotes, script[index + 1]) && script[index + 2] === '@'
  return isEnd ? { state: state.outer ?? code, length: 3 } : { state, length: 1 }
}

function isOneOf(chars: string, char: string | undefined): boolean {
  return char !== undefined && chars.includes(char)
}

/** The start of a here-string, until the end of its line. */
const hereStringStart = /@['‘’‚‛"“”„][^\S\n]*\n/y

function scanCode(state: State, script: string, index: number): ScanStep {
  const char = script.charAt(index)
  const open = (kind: StateKind, length: number): ScanStep => ({ state: { kind, outer: state }, length })
  if (char === '`') return { state, length: script.startsWith('\r\n', index + 1) ? 3 : 2 }
  if (char === '#' || script.startsWith('<#', index) || script.startsWith('--%', index)) {
    const kind = findKind(script, index)
    if (kind) return open(kind, kind === 'line-comment' ? 1 : kind === 'block-comment' ? 2 : 3)
  }
  hereStringStart.lastIndex = index
  if (char === '@' && hereStringStart.test(script))
    return open(
      isOneOf(singleQuotes, script[index + 1]) ? 'single-quoted-here-string' : 'double-quoted-here-string',
      2,
    )
  if (script.startsWith('${', index)) return open('variable-name', 2)
  if (isOneOf(singleQuotes, char)) return open('single-quoted', 1)
  if (isOneOf(doubleQuotes, char)) return open('double-quoted', 1)
  return { state: state.kind === 'nested-code' ? countBracket(state, char) : state, length: 1 }
}

function countBracket(state: State, char: string): State {
  const depth = (state.depth ?? 0) + (char === '(' ? 1 : 0) - (char === ')' ? 1 : 0)
  return depth === 0 ? (state.outer ?? code) : { ...state, depth }
}

/** What may end or hide other text, so that its meaning must be known. */
const delimiters = /['"‘’‚‛“”„`@<{}()]|--%/
const maxWordLength = 200
const maxLineLength = 1000
/** The name of a command, or an argument: PowerShell reads expressions in another way. */
const commandWord = /^[a-z\\*~][\w.\\/:*~-]*#*$/i
const command = /^\s*(?:[&.]\s+)?[a-z][\w.\\/:-]*\s[^=]*$/i

/** Return what starts at `#`, `<#` or `--%`, or undefined if it is part of a word. */
function findKind(script: string, index: number): StateKind | undefined {
  const word =
    /(?<![^\s;(){},|&])[^\s;(){},|&]*$/.exec(script.slice(Math.max(0, index - maxWordLength), index))?.[0] ??
    ''
  const isWordStart = word === '' && !/[})]/.test(script.charAt(index - 1))
  const [line = ''] = script.slice(index + 1, index + maxLineLength).split('\n', 1)
  const hasDelimiters = delimiters.test(line.slice(2)) || line.length >= maxLineLength - 1
  if (script[index] === '-') {
    if (!/^(?:[\s|]|$)/.test(script.slice(index + 3, index + 4))) return undefined
    const before =
      /(?<![^\n;|{}(&])[^\n;|{}(&]*$/.exec(script.slice(Math.max(0, index - maxWordLength), index))?.[0] ?? ''
    if (/\s$/.test(before) && command.test(before) && !(hasDelimiters && /[|&]/.test(line)))
      return 'verbatim-arguments'
    return hasDelimiters ? 'unknown' : undefined
  }
  if (isWordStart) return script[index] === '#' ? 'line-comment' : 'block-comment'
  if (script[index] === '<') return 'unknown'
  if (word.length < maxWordLength && commandWord.test(word)) return undefined
  return hasDelimiters || delimiters.test(line) ? 'unknown' : undefined
}
