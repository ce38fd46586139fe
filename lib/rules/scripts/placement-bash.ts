import { readCommands } from './bash/commands.ts'
import { parseNestedText } from './bash/expansions.ts'
import { findDeclared, judgeCommand, judgeVariables, judgeWords } from './bash/judge.ts'
import type { Judgement } from './bash/judgement.ts'
import { createParser, createShellScript, isAtEnd, type Parser, stop } from './bash/parser.ts'
import { shells } from './bash/rules.ts'
import { getCommandName, getStaticText, type Word } from './bash/syntax.ts'
import { createSourceFinder } from './bash/taint.ts'
import { readPart, readQuotedParts } from './bash/words.ts'
import { unwrapAll } from './bash/wrappers.ts'
import { getLineNumber, type JudgedPlaceholder, type JudgePlacements, refuseAll } from './placeholders.ts'

/**
 * A backslash at the end of a line that may continue a token. The parser reads such tokens as two, and the shell as one.
 * https://www.gnu.org/software/bash/manual/html_node/Escape-Character.html
 */
const splitToken = /[^\s|&;]\\\n[^\s]|[|&;]\\\n[|&;()<>]/

/** Parse a shell script, and judge every command and variable that a value reaches. */
export const judgeBashPlacements: JudgePlacements = (script, placeholders) => {
  const parser = createParser(script, placeholders, createShellScript(), { readCommands, readPart, readQuotedParts })
  readScript(parser)
  const reasons = parser.result.problems
  if (parser.isStopped) {
    refuseAll(reasons, placeholders, `is in a script that the check cannot follow after line ${getLineNumber(script, parser.stoppedAt)}`)
    return { reasons, commandsByOperand: new Map() }
  }
  return judgeScript(parser, placeholders)
}

function readScript(parser: Parser): void {
  const { script, result } = parser
  if (script.includes('\0') || splitToken.test(script)) {
    stop(parser)
    return
  }
  readCommands(parser, '')
  if (!isAtEnd(parser)) {
    stop(parser)
    return
  }
  // The list grows while the texts that the shell executes are read.
  for (const command of result.commands) {
    const executed = unwrapAll(command.words)
    if (!executed) {
      stop(parser)
      return
    }
    for (const words of executed) {
      const text = getExecutedText(words)
      if (text) parseNestedText(parser, text)
    }
    if (getCommandName(command.words[0]) === 'shopt' && command.words.some((word) => getStaticText(word) === 'expand_aliases')) stop(parser)
    if (parser.isStopped) return
  }
}

/** Return the fixed text that a command executes. */
function getExecutedText(words: readonly Word[]): string | undefined {
  const name = getCommandName(words[0]) ?? ''
  const args = words.slice(1).map((word) => getStaticText(word))
  if (name === 'eval') return args.every((arg) => arg !== undefined) ? args.join(' ') : undefined
  if (name === 'trap') return args.find((arg) => arg !== '--')
  if (!shells.has(name)) return undefined
  const option = args.findIndex((arg) => arg !== undefined && /^-[a-z]*c$/.test(arg))
  return option < 0 ? undefined : args[option + 1]
}

function judgeScript({ result }: Parser, placeholders: readonly JudgedPlaceholder[]) {
  const untrusted = new Set(placeholders.filter(({ isUntrusted }) => isUntrusted).map(({ start }) => start))
  const findSources = createSourceFinder(result, (start) => untrusted.has(start))
  const reasons = result.problems
  const commandsByOperand = new Map<number, string>()
  const judgement: Judgement = {
    shellScript: result,
    findSources,
    refuse: (words, reason) => {
      for (const start of findSources(words)) if (!reasons.has(start)) reasons.set(start, reason)
    },
    forbidOption: (words, command) => {
      for (const start of findSources(words.map(getFirstPart))) commandsByOperand.set(start, command)
    },
    evaluatedVariables: findDeclared(result, /^-\w*[in]/),
    judgesNestedText: true,
    depth: 0,
    judgeWords,
  }
  for (const command of result.commands) judgeCommand(judgement, command)
  const associative = findDeclared(result, /^-\w*A/)
  judgeVariables(judgement, (name) => associative.has(name))
  return { reasons, commandsByOperand }
}

/** Return a word of the part that decides the first character. */
function getFirstPart({ parts }: Word): Word {
  const first = parts.find((part) => part.kind !== 'text' || part.text !== '')
  return { parts: first ? [first] : [] }
}
