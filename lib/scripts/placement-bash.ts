import type { FindUnsafePlacements } from './placeholders.ts'
import { inCommandPosition, insideComment, insideQuotes, joinedToTextBefore } from './placement-reasons.ts'

/** The syntax that a part of a script is in. */
type Context =
  | 'code'
  | 'single-quoted'
  /** `$'…'`, which has escapes. */
  | 'ansi-quoted'
  | 'double-quoted'
  | 'backticks'
  /** `${…}` */
  | 'expansion'
  /** `$((…))` or `((…))` */
  | 'arithmetic'
  | 'comment'

const reasonByContext: Record<Exclude<Context, 'code'>, string> = {
  'single-quoted': insideQuotes,
  'ansi-quoted': insideQuotes,
  'double-quoted': insideQuotes,
  backticks: 'is inside backticks; use $( … ) instead',
  expansion: 'is inside the braces of a variable',
  arithmetic: 'is inside arithmetic; assign it to a variable first',
  comment: insideComment,
}

interface OpenContext {
  context: Context
  /** The number of open brackets in this context. The count tells the context's own closing bracket from others. */
  bracketDepth: number
  /** The number of open `case` commands. A pattern of `case` ends with a closing bracket that was never opened. */
  caseDepth: number
}

interface HereDocument {
  delimiter: string
  /** `<<-` ignores tabs before the delimiter. */
  ignoresTabs: boolean
}

interface Scanner {
  script: string
  position: number
  /** The outermost context is first. */
  contexts: OpenContext[]
  /** The here-document at the current position. */
  hereDocument: HereDocument | null
  /** Here-documents that start after this line. */
  pendingHereDocuments: HereDocument[]
}

/** How many characters before a placeholder are searched for a command. This limits the time for hostile scripts. */
const maxLookback = 2000

/** Scan a shell script and track its quotes, comments, here-documents and expansions. */
export const findUnsafeBashPlacements: FindUnsafePlacements = (script, placeholders) => {
  const scanner: Scanner = {
    script,
    position: 0,
    contexts: [{ context: 'code', bracketDepth: 0, caseDepth: 0 }],
    hereDocument: null,
    pendingHereDocuments: [],
  }
  const reasons = new Map<number, string>()
  for (const { start, end } of placeholders) {
    while (scanner.position < start) advance(scanner)
    const reason = findReason(scanner, start)
    if (reason) reasons.set(start, reason)
    scanner.position = end
  }
  return reasons
}

function findReason({ script, contexts, hereDocument }: Scanner, start: number): string | undefined {
  if (hereDocument) return 'is inside a here-document'
  // Code inside quotes is unsafe too, because the shell parses the text in the quotes again.
  const outerContext = contexts.map(({ context }) => context).find((context) => context !== 'code')
  if (outerContext) return reasonByContext[outerContext]
  return findReasonInCode(script.slice(Math.max(0, start - maxLookback), start))
}

/** Words after which the shell expects a command, or which execute their arguments. */
const commandWords = new Set(
  'then do else elif if while until time eval exec source command builtin sudo env xargs nohup trap coproc'.split(' '),
)

function findReasonInCode(textBefore: string): string | undefined {
  const text = textBefore.replace(/\\\r?\n/g, ' ')
  const lastChar = text.at(-1) ?? ''
  if (lastChar === '$' || lastChar === '\\') return joinedToTextBefore
  if (/(^|[^<])<<-?[ \t]*$/.test(text)) return 'is the delimiter of a here-document'
  return isCommandPosition(text) ? inCommandPosition : undefined
}

function isCommandPosition(textBefore: string): boolean {
  const text = textBefore.replace(/[ \t]+$/, '')
  const startsCommand = '\n;|&(`!{'.includes(text.at(-1) ?? '\n')
  const isRedirection = /[<>]&$/.test(text)
  if (startsCommand && !isRedirection) return true
  const hasSpaceBefore = /[ \t]$/.test(textBefore)
  if (!hasSpaceBefore) return false
  const wordBefore = /(?:^|[\s;|&(`!])(\w+|\.)$/.exec(text)?.[1]
  if (wordBefore && (wordBefore === '.' || commandWords.has(wordBefore))) return true
  const isShellCommandOption = /(^|[\s/;|&(])(ba|da|z|k)?sh([ \t]+-\w+)*[ \t]+-\w*c\w*$/.test(text)
  return isShellCommandOption
}

/** Move past the next token, and open or close contexts. */
function advance(scanner: Scanner): void {
  if (scanner.hereDocument) {
    advanceInHereDocument(scanner)
    return
  }
  const current = scanner.contexts.at(-1) as OpenContext
  const [length, change] = scanByContext[current.context](scanner, scanner.script[scanner.position] ?? '', current)
  scanner.position += length
  if (change === 'close') scanner.contexts.pop()
  else if (change) scanner.contexts.push({ context: change, bracketDepth: 0, caseDepth: 0 })
}

/** The length of a token, and the context that it opens, or that it closes the current one. */
type ScanStep = [length: number, change?: Context | 'close' | undefined]

/** `char` is the character at the current position. */
const scanByContext: Record<Context, (scanner: Scanner, char: string, current: OpenContext) => ScanStep> = {
  'single-quoted': (_, char) => [1, char === "'" ? 'close' : undefined],
  'ansi-quoted': (_, char) => (char === '\\' ? [2] : [1, char === "'" ? 'close' : undefined]),
  comment: (_, char) => (char === '\n' ? [0, 'close'] : [1]),
  backticks: (_, char) => (char === '\\' ? [2] : [1, char === '`' ? 'close' : undefined]),
  'double-quoted': (scanner, char) => {
    if (char === '\\') return [2]
    if (char === '`') return [1, 'backticks']
    return scanDollar(scanner, char, false) ?? [1, char === '"' ? 'close' : undefined]
  },
  expansion: (scanner, char) => {
    if (char === '\\') return [2]
    if (char === "'") return [1, 'single-quoted']
    if (char === '"') return [1, 'double-quoted']
    return scanDollar(scanner, char, false) ?? [1, char === '}' ? 'close' : undefined]
  },
  arithmetic: (scanner, char, current) => {
    if (char === '(') current.bracketDepth++
    else if (char === ')' && current.bracketDepth > 0) current.bracketDepth--
    else if (scanner.script.startsWith('))', scanner.position)) return [2, 'close']
    return scanDollar(scanner, char, false) ?? [1]
  },
  code: scanCode,
}

function scanCode(scanner: Scanner, char: string, current: OpenContext): ScanStep {
  const { script, position } = scanner
  if (char === '\\') return [2]
  if (char === "'") return [1, 'single-quoted']
  if (char === '"') return [1, 'double-quoted']
  if (char === '`') return [1, 'backticks']
  if (char === '#' && /^$|[\s;|&()]/.test(script[position - 1] ?? '')) return [1, 'comment']
  if (char === '(') return scanOpeningBracket(scanner, current)
  countCases(scanner, current)
  if (char === ')') {
    const closesContext = current.bracketDepth === 0 && current.caseDepth === 0 && scanner.contexts.length > 1
    if (closesContext) return [1, 'close']
    current.bracketDepth = Math.max(0, current.bracketDepth - 1)
  }
  // A here-string, not a here-document.
  if (script.startsWith('<<<', position)) return [3]
  if (script.startsWith('<<', position)) return [scanHereDocumentStart(scanner)]
  if (char === '\n') scanner.hereDocument = scanner.pendingHereDocuments.shift() ?? null
  return scanDollar(scanner, char, true) ?? [1]
}

function countCases({ script, position }: Scanner, current: OpenContext): void {
  if (!/[\s;|&(]/.test(script[position - 1] ?? '\n')) return
  const word = /^(case|esac)\b/.exec(script.slice(position, position + 5))?.[1]
  if (word === 'case') current.caseDepth++
  if (word === 'esac') current.caseDepth = Math.max(0, current.caseDepth - 1)
}

/** Scan an opening bracket. Two brackets at the start of a command open arithmetic. */
function scanOpeningBracket({ script, position }: Scanner, current: OpenContext): ScanStep {
  const before = script.slice(Math.max(0, position - 40), position)
  const isCommandStart = /(^|[\n;|&({!]|\b(then|do|else|if|while|until|for))[ \t]*$/.test(before)
  if (script[position + 1] === '(' && isCommandStart) return [2, 'arithmetic']
  current.bracketDepth++
  return [1]
}

/** Return undefined if there is no dollar sign, or if it opens no context. */
function scanDollar({ script, position }: Scanner, char: string, isInCode: boolean): ScanStep | undefined {
  if (char !== '$') return undefined
  const next = script[position + 1]
  if (script.startsWith('$((', position)) return [3, 'arithmetic']
  if (next === '(') return [2, 'code']
  if (next === '{') return [2, 'expansion']
  if (isInCode && next === "'") return [2, 'ansi-quoted']
  return isInCode && next === '"' ? [2, 'double-quoted'] : undefined
}

/** Add a here-document that starts after this line. Return the length of its operator and delimiter. */
function scanHereDocumentStart({ script, position, pendingHereDocuments }: Scanner): number {
  const match = /^<<(-?)[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|([^\s;|&()<>]+))?/.exec(script.slice(position, position + 300))
  const [text = '<<', dash = '', singleQuoted, doubleQuoted, unquoted] = match ?? []
  const delimiter = singleQuoted ?? doubleQuoted ?? unquoted?.replace(/[\\'"]/g, '')
  if (delimiter !== undefined) pendingHereDocuments.push({ delimiter, ignoresTabs: dash === '-' })
  return text.length
}

/** Move by one character, so that no placeholder is skipped, or by the whole line if it ends the here-document. */
function advanceInHereDocument(scanner: Scanner): void {
  const { script, position } = scanner
  const { delimiter, ignoresTabs } = scanner.hereDocument as HereDocument
  const isLineStart = script[position - 1] === '\n'
  if (!isLineStart) {
    scanner.position++
    return
  }
  const [line = ''] = script.slice(position).split('\n', 1)
  const isEnd = (ignoresTabs ? line.replace(/^\t+/, '') : line) === delimiter
  if (!isEnd) {
    scanner.position++
    return
  }
  scanner.hereDocument = scanner.pendingHereDocuments.shift() ?? null
  scanner.position += line.length + 1
}
