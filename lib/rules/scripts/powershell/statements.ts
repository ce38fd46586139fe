import {
  batchFile,
  evaluators,
  executingOptions,
  interpreters,
  optionExecutors,
  shells,
} from '#rules/scripts/bash/rules.ts'
import type { JudgedPlaceholder } from '#rules/scripts/placeholders.ts'
import {
  afterExecutingOption,
  afterText,
  afterUnknownCommand,
  asPattern,
  inCommandPosition,
  usedAsCode,
} from '#rules/scripts/placement-reasons.ts'
import { createProgramFinder, findCalls, findCommands } from './commands.ts'
import { findExecutedParts } from './executors.ts'
import { splitStatements } from './split.ts'
import { createSourceFinder } from './variables.ts'
import { findWrittenScripts } from './written-files.ts'

interface Judgement {
  /**
   * Return the names of the programs that a call operator may execute, or undefined if they are not known.
   */
  findPrograms(called: string): string[] | undefined
  /** Refuse the placeholders whose values reach a part of a statement. */
  refuse(part: string, reason: string): void
  /** Refuse values that start with a dash in the operands of a command. */
  forbidOption(operands: string, command: string): void
}

/**
 * Refuse the placeholders that reach an executor. Return those that must not start with a dash, with the name
 * of the command.
 */
export function judgePowershellStatements(
  code: string,
  isCode: readonly boolean[],
  placeholders: readonly JudgedPlaceholder[],
  reasons: Map<number, string>,
): Map<number, string> {
  const commandsByOperand = new Map<number, string>()
  if (!placeholders.some(({ isUntrusted }) => isUntrusted)) return commandsByOperand
  // Other dashes are operators too.
  const statements = splitStatements(code.replace(/[–—―]/g, '-'), isCode, placeholders)
  const findSources = createSourceFinder(statements, placeholders)
  const judgement: Judgement = {
    findPrograms: createProgramFinder(statements),
    refuse: (part, reason) => {
      for (const start of findSources(part)) if (!reasons.has(start)) reasons.set(start, reason)
    },
    forbidOption: (operands, command) => {
      for (const start of findSources(operands)) commandsByOperand.set(start, command)
    },
  }
  for (const text of statements) judgeStatement(judgement, text)
  const refused = statements.some(namesExecutor) ? statements : findWrittenScripts(statements)
  for (const text of refused) judgement.refuse(text, usedAsCode)
  return commandsByOperand
}

/** Return whether a statement gives an executor another name. */
function namesExecutor(text: string): boolean {
  const unnamed = text.replace(aliasSetter, '')
  return unnamed !== text && findExecutedParts(unnamed).length > 0
}

const aliasSetter = /(?<![\w-])(?:set-alias|sal|new-alias|nal)(?![\w-])/gi
const patternOperand = /-[ci]?(?:not)?(?:like|match|replace|split)\s*\(?\s*(\u{f0000}\d+;)/giu
/** A member whose name is text, and a command or type that a string names. */
const member = /(?:::|\.)\s*(\u{f0000}\d+;|\$\(.*|\(?[$"'][^\s()]*)/gu

function judgeStatement(judgement: Judgement, text: string): void {
  const { refuse } = judgement
  // The text after the first command of a name contains the others.
  const restByName = new Map<string, string>()
  const addCommand = (name: string, rest: string) => restByName.has(name) || restByName.set(name, rest)
  for (const { name, rest } of findCommands(text)) addCommand(name, rest)
  const calledParts = new Set<string>()
  for (const { called, rest } of findCalls(text)) {
    const programs = called === undefined ? undefined : judgement.findPrograms(called)
    // A block may contain values. Its statements are judged where they stand.
    const isBlock = programs?.length === 0
    if (!isBlock) calledParts.add(called ?? text)
    for (const name of programs ?? [unknownProgram]) addCommand(name, rest)
  }
  for (const part of calledParts) refuse(part, inCommandPosition)
  for (const [name, rest] of restByName) judgeProgram(judgement, name, rest)
  for (const [, operand = ''] of text.matchAll(patternOperand)) refuse(operand, asPattern)
  for (const part of findExecutedParts(text)) refuse(part, usedAsCode)
  refuse(findAssignedText(text), afterText)
  for (const [, name = ''] of text.matchAll(member)) refuse(name, inCommandPosition)
}

/** Words that may stand after an equals sign and are no commands. */
const keywords = /^(?:if|for|foreach|while|do|switch|try|data)$/i
// Bounded: at the start of a statement, and what follows is read once.
const assignedWords =
  /^\s*(?:\[[\w.[\]]+\]\s*)?\$\{?[\w:.]+\}?\s*\+?=\s*([A-Z][A-Za-z]*)(?=\s)((?:\u{f0000}\d+;|[^|;)}\n])*)/u

/**
 * Return what follows a word such as `Share` that is assigned. Commands have a verb and a noun or are written
 * small, so it is a text without quotes.
 */
function findAssignedText(text: string): string {
  const [, word = '', rest = ''] = assignedWords.exec(text) ?? []
  return keywords.test(word) ? '' : rest
}

const unknownProgram = '?'
/** Keywords and cmdlets of PowerShell with the name of a command that executes its arguments elsewhere. */
const ownNames = new Set(['trap', 'history', 'alias', 'read', 'wait'])

function judgeProgram({ refuse, forbidOption }: Judgement, name: string, rest: string): void {
  if (name === unknownProgram) refuse(rest, afterUnknownCommand)
  if (name === 'ssh') refuse(rest.trim().replace(/^\S+/, ''), usedAsCode)
  const isInterpreter = (interpreters.test(name) && !/^(powershell|pwsh)$/.test(name)) || shells.has(name)
  const isEvaluator = isInterpreter || batchFile.test(name) || (evaluators.has(name) && !ownNames.has(name))
  if (isEvaluator) refuse(rest, usedAsCode)
  if (!optionExecutors.has(name)) return
  const words = rest.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
  for (const [index, word] of words.entries()) {
    const option = executingOptions[name]
    if (!option) break
    const hasValue = option.test(/^(-\w|--[\w-]+=)/.exec(word)?.[0].replace('=', '') ?? '')
    if (hasValue || option.test(words[index - 1] ?? '')) refuse(word, afterExecutingOption)
  }
  forbidOption([...rest.matchAll(/\s(\u{f0000}\d+;|\$\w+)/gu)].map(([operand]) => operand).join(' '), name)
}
