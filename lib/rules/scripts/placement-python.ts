import { markPlaceholders } from './markers.ts'
import { getLineNumber, type JudgedPlaceholder, type JudgePlacements, refuseAll } from './placeholders.ts'
import { insideComment, joinedToTextAfter, joinedToTextBefore } from './placement-reasons.ts'
import { judgeNodes } from './python/calls.ts'
import { followValues } from './python/flow.ts'
import { readPythonScript } from './python/script.ts'

/** Parse a Python script, and judge every call that a value reaches. */
export const judgePythonPlacements: JudgePlacements = (script, placeholders) => {
  const reasons = new Map<number, string>()
  const commandsByOperand = new Map<number, string>()
  for (const placeholder of placeholders) {
    const reason = findReason(script[placeholder.start - 1] ?? '', script[placeholder.end] ?? '')
    if (reason) reasons.set(placeholder.start, reason)
  }
  // A carriage return alone ends a line too.
  const stoppedAt = judgeScript(script.replace(/\r(?!\n)/g, '\n'), placeholders, {
    reasons,
    commandsByOperand,
  })
  if (stoppedAt !== undefined)
    refuseAll(
      reasons,
      placeholders,
      `is in a script that the check cannot follow after line ${getLineNumber(script, stoppedAt)}`,
    )
  return { reasons, commandsByOperand }
}

function findReason(before: string, after: string): string | undefined {
  if (/[\p{L}\p{N}_"'\\.]/u.test(before)) return joinedToTextBefore
  return /[\p{L}\p{N}_"']/u.test(after) ? joinedToTextAfter : undefined
}

interface Judged {
  reasons: Map<number, string>
  commandsByOperand: Map<number, string>
}

/** Judge all statements. Return the position after which the script cannot be followed, if there is one. */
function judgeScript(
  script: string,
  placeholders: readonly JudgedPlaceholder[],
  { reasons, commandsByOperand }: Judged,
) {
  const isJoined = new Set(reasons.keys())
  const marked = markPlaceholders(script, placeholders, '"', (_, { start }) => !isJoined.has(start))
  if (!marked || script.includes('\0') || otherEncoding.test(script)) return 0
  const { nodes, placed, stoppedAt, reasons: quoted } = readPythonScript(marked)
  for (const [start, reason] of quoted) reasons.set(start, reason)
  if (stoppedAt !== undefined) return stoppedAt
  for (const { start, isQuoted } of placeholders)
    if (isQuoted && !placed.has(start) && !reasons.has(start)) reasons.set(start, insideComment)
  const untrusted = placeholders.filter(({ isUntrusted }) => isUntrusted).map(({ start }) => start)
  const flow = followValues(nodes, untrusted)
  judgeNodes(nodes, {
    flow,
    refuse: (refused, reason) => {
      for (const start of flow.findSources(refused)) if (!reasons.has(start)) reasons.set(start, reason)
    },
    forbidOption: (starts, command) => {
      for (const start of starts) commandsByOperand.set(start, command)
    },
  })
  return undefined
}

/**
 * In another encoding, such as UTF-7, a value could end its literal.
 * https://docs.python.org/3/reference/lexical_analysis.html#encoding-declarations
 */
const otherEncoding =
  /^(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\n|\r))?[ \t\f]*#[^\r\n]*?coding[:=][ \t]*(?!(?:utf-?8|ascii|us-ascii|latin-?1|iso-8859-1)(?![-\w.]))[-\w.]/i
