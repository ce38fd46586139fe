import { type JudgePlacements, refuseAll } from './placeholders.ts'
import { joinedToTextAfter, joinedToTextBefore } from './placement-reasons.ts'
import { judgeCalls } from './python/calls.ts'
import { followValues } from './python/taint.ts'
import { readPythonTokens, type Token } from './python/tokens.ts'

const unknownQuotes = 'is in a script whose quotes the check cannot follow; use other quotes inside the braces of an f-string'

/** Read the tokens of a Python script, and judge every call that a value reaches. */
export const judgePythonPlacements: JudgePlacements = (script, placeholders) => {
  const { tokens, reasons, isAmbiguous } = readPythonTokens(script, placeholders)
  for (const placeholder of placeholders) {
    const reason = findReason(script[placeholder.start - 1] ?? '', script[placeholder.end] ?? '')
    if (reason && !reasons.has(placeholder.start)) reasons.set(placeholder.start, reason)
  }
  const statements = splitStatements(tokens)
  const commandsByOperand = new Map<number, string>()
  const dataFlow = followValues(statements)
  if (isAmbiguous || script.includes('\0')) refuseAll(reasons, placeholders, unknownQuotes)
  else if (!dataFlow) refuseAll(reasons, placeholders, 'is in a script that takes too long to check; write shorter statements')
  else judgeCalls(statements, dataFlow, reasons, commandsByOperand, placeholders)
  return { reasons, commandsByOperand }
}

function findReason(before: string, after: string): string | undefined {
  if (/[\p{L}\p{N}_"'\\.]/u.test(before)) return joinedToTextBefore
  return /[\p{L}\p{N}_"']/u.test(after) ? joinedToTextAfter : undefined
}

function splitStatements(tokens: readonly Token[]): Token[][] {
  const statements: Token[][] = [[]]
  for (const token of tokens) {
    if (token.kind === 'end') statements.push([])
    else statements.at(-1)?.push(token)
  }
  return statements.filter((statement) => statement.length > 0)
}
