import { findEvaluated, judgeCommand, judgeVariables, judgeWords } from './bash/judge.ts'
import type { Judgement } from './bash/judgement.ts'
import { findExecutedTexts } from './bash/nested.ts'
import { createReader, readText } from './bash/read-text.ts'
import { type Reader, UnreadableScriptError } from './bash/reader.ts'
import {
  createShellScript,
  getCommandName,
  getStaticText,
  type ShellScript,
  type Word,
} from './bash/syntax.ts'
import { followVariables } from './bash/variables.ts'
import { unwrapAll } from './bash/wrappers.ts'
import { markPlaceholders } from './markers.ts'
import { getLineNumber, type JudgedPlaceholder, type JudgePlacements, refuseAll } from './placeholders.ts'
import { insideComment } from './placement-reasons.ts'

/**
 * A backslash at the end of a line that may continue a token, which a parser could read as two.
 * https://www.gnu.org/software/bash/manual/html_node/Escape-Character.html
 */
const splitToken = /[^\s|&;]\\\n[^\s]|[|&;]\\\n[|&;()<>]/
/** A quote after an escape or a dollar opens no literal. */
const isQuotable = (before: string) => !/(?:^|[^\\])(?:\\\\)*\\$|\$$/.test(before)

/** Parse a shell script, and judge every command and variable that a value reaches. */
export const judgeBashPlacements: JudgePlacements = (script, placeholders) => {
  const result = createShellScript()
  const untrusted = placeholders.filter(({ isUntrusted }) => isUntrusted).map(({ start }) => start)
  const stoppedAt = readCommands(script, placeholders, result)
  if (stoppedAt === undefined) return judgeCommands(result, untrusted)
  refuseAll(
    result.problems,
    placeholders,
    `is in a script that the check cannot follow after line ${getLineNumber(script, stoppedAt)}`,
  )
  return { reasons: result.problems, commandsByOperand: new Map() }
}

/** Read all commands of a script. Return the position after which it cannot be followed, if there is one. */
function readCommands(script: string, placeholders: readonly JudgedPlaceholder[], result: ShellScript) {
  const marked = markPlaceholders(script, placeholders, "'", isQuotable)
  if (!marked || script.includes('\0')) return 0
  const split = splitToken.exec(script)
  if (split) return split.index
  const reader = createReader(marked, result, { knowsExtendedGlobs: false })
  try {
    readText(reader, marked.text)
    refuseUnplaced(reader, script, placeholders)
    readExecutedTexts(reader)
    return undefined
  } catch (error) {
    if (error instanceof UnreadableScriptError) return error.position
    // An expression of very many operators exceeds the stack.
    if (error instanceof RangeError) return 0
    throw error
  }
}

/** Refuse the placeholders that the parser did not read as a part of the script. */
function refuseUnplaced(
  { placed, result }: Reader,
  script: string,
  placeholders: readonly JudgedPlaceholder[],
): void {
  for (const { start, isQuoted } of placeholders) {
    if (!isQuoted || placed.has(start) || result.problems.has(start)) continue
    const lineStart = script.lastIndexOf('\n', start) + 1
    if (!script.slice(lineStart, start).includes('#')) throw new UnreadableScriptError(start)
    result.problems.set(start, insideComment)
  }
}

/** Read the texts that the shell executes as commands of their own. The list of commands grows meanwhile. */
function readExecutedTexts(reader: Reader): void {
  const unmarked = { ...reader, marked: { text: '', placeholderByMark: new Map() } }
  for (const command of reader.result.commands) {
    const { words, position } = command
    const executed = unwrapAll(words)
    if (!executed || executed.some(changesSyntax)) throw new UnreadableScriptError(position)
    for (const text of findExecutedTexts(command, executed)) {
      try {
        readText(unmarked, text)
      } catch (error) {
        throw error instanceof UnreadableScriptError ? new UnreadableScriptError(position) : error
      }
    }
  }
}

/**
 * Return whether a command changes how the shell reads later lines, by aliases, the history or assignments
 * after a command.
 */
function changesSyntax([first, ...args]: readonly Word[]): boolean {
  const texts = args.map((word) => getStaticText(word) ?? '')
  const name = getCommandName(first)
  if (name === 'shopt') return texts.includes('expand_aliases')
  return name === 'set' && texts.some((text) => /^-\w*[Hk]|^(histexpand|keyword)$/.test(text))
}

function judgeCommands(result: ShellScript, untrusted: readonly number[]) {
  const { findSources, ...variables } = followVariables(result, untrusted)
  const reasons = result.problems
  const commandsByOperand = new Map<number, string>()
  const judgement: Judgement = {
    ...variables,
    findSources,
    input: [],
    hasInput: false,
    refuse: (words, reason) => {
      for (const start of findSources(words)) if (!reasons.has(start)) reasons.set(start, reason)
    },
    forbidOption: (words, command) => {
      for (const start of findSources(words.map(getFirstPart))) commandsByOperand.set(start, command)
    },
    evaluatedVariables: findEvaluated(result),
    judgesNestedText: true,
    depth: 0,
    judgeWords,
  }
  for (const command of result.commands) judgeCommand(judgement, command)
  judgeVariables(judgement, result)
  return { reasons, commandsByOperand }
}

/** Return a word of the part that decides the first character. */
function getFirstPart({ parts }: Word): Word {
  const first = parts.find((part) => part.kind !== 'text' || part.text !== '')
  return { parts: first ? [first] : [] }
}
