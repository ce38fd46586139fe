import { type JudgePlacements, refuseAll } from './placeholders.ts'
import {
  afterUnknownCharacters,
  insideComment,
  insideQuotes,
  joinedToTextAfter,
  joinedToTextBefore,
} from './placement-reasons.ts'
import { code as initialState, type State, scan } from './powershell/scan.ts'
import { judgePowershellStatements } from './powershell/statements.ts'
import { scanPlacements } from './scan-placements.ts'

const unclosed = 'is in a script with an unclosed string or comment'
const insideHereString = 'is inside a here-string'

const reasonByKind: Record<Exclude<State['kind'], 'code'>, string> = {
  'nested-code': insideQuotes,
  'line-comment': insideComment,
  'block-comment': insideComment,
  'single-quoted': insideQuotes,
  'double-quoted': insideQuotes,
  'single-quoted-here-string': insideHereString,
  'double-quoted-here-string': insideHereString,
  'variable-name': 'is inside the name of a variable',
  'verbatim-arguments': 'is after --%, where quotes have no meaning',
  unknown: afterUnknownCharacters,
}

/**
 * Scan the strings, here-strings and comments of a PowerShell script, and judge every statement that a value
 * reaches.
 */
export const judgePowershellPlacements: JudgePlacements = (body, placeholders) => {
  // A carriage return alone ends a line too.
  const script = body.replace(/\r(?!\n)/g, '\n')
  const reasons = new Map<number, string>()
  /** The script without comments. Strings stay, because the expressions in them are executed. */
  let code = ''
  /** Whether each character of the code is outside quotes. */
  const isCode: boolean[] = []
  const addCode = (text: string, isOutsideQuotes: boolean) => {
    code += text
    for (let index = 0; index < text.length; index++) isCode.push(isOutsideQuotes)
  }
  const finalState = scanPlacements({
    initialState,
    script,
    placeholders,
    scan,
    visitPlaceholder: ({ kind }, { start, end }) => {
      const reason =
        kind === 'code' ? findReasonInCode(script.charAt(start - 1), script.charAt(end)) : reasonByKind[kind]
      if (reason) reasons.set(start, reason)
      addCode(script.slice(start, end), kind === 'code')
    },
    visitText: ({ kind, outer }, text) => {
      if (kind === 'line-comment' || kind === 'block-comment')
        addCode(text.replace(/[^\n]/g, ' '), endsLine(kind, outer, text))
      else
        addCode(
          text.replace(/^`\r?\n$/, (continuation) => ' '.repeat(continuation.length)),
          kind === 'code' || endsLine(kind, outer, text),
        )
    },
  })
  const isUnclosed =
    !/^(code|line-comment|verbatim-arguments)$/.test(finalState.kind) || script.includes('\0')
  if (isUnclosed) refuseAll(reasons, placeholders, unclosed)
  return { reasons, commandsByOperand: judgePowershellStatements(code, isCode, placeholders, reasons) }
}

/** Return whether a text is the line break after a comment or verbatim arguments. */
function endsLine(kind: State['kind'], outer: State | undefined, text: string): boolean {
  return text === '\n' && outer?.kind === 'code' && (kind === 'line-comment' || kind === 'verbatim-arguments')
}

function findReasonInCode(before: string, after: string): string | undefined {
  if (/[\w$@`\\/.%~?*^'"‘’‚‛“”„)\]}-]/.test(before)) return joinedToTextBefore
  return /[\w$`\\/%~?*^@:!'"‘’‚‛“”„({-]/.test(after) ? joinedToTextAfter : undefined
}
