import { afterUnknownCommand, inCommandPosition, usedAsCode } from '#rules/scripts/placement-reasons.ts'
import { judgeArguments } from './arguments.ts'
import {
  assignedToEvaluated,
  createVariableWord,
  type Judgement,
  judgeAssignment,
  judgeAssignmentWord,
  streamWord,
  usedInArithmetic,
} from './judgement.ts'
import { evaluators, inputEvaluators, interpreters, optionExecutors, shells } from './rules.ts'
import { type Command, getCommandName, getStaticText, type Part, type ShellScript, type Word } from './syntax.ts'
import { getFileNode } from './taint.ts'
import { judgeTest } from './test-operands.ts'
import { unwrapCommand } from './wrappers.ts'

const maxDepth = 10

export function judgeCommand(judgement: Judgement, command: Command): void {
  const { words, assignments, redirections, kind } = command
  for (const { name, value } of assignments) judgeAssignment(judgement, name, value)
  if (kind === 'test') judgeTest(judgement, words, true)
  else if (words.length > 0) judgeWords(judgement, words)
  const name = getCommandName(words[0])
  const isEvaluator =
    name && (name === '.' || name === 'source' || shells.has(name) || interpreters.test(name) || inputEvaluators.has(name))
  if (isEvaluator) for (const { word } of redirections) judgement.refuse([word], usedAsCode)
}

/** Judge the words of a command, or those of a command that a wrapper executes. */
export function judgeWords(judgement: Judgement, words: readonly Word[], wrapperName = ''): void {
  const { refuse } = judgement
  const [first] = words
  if (!first) return
  refuse([first], inCommandPosition)
  const name = getCommandName(first)
  if (name === undefined || judgement.depth >= maxDepth) {
    refuse(words.slice(1), afterUnknownCommand)
    return
  }
  // A file that the script wrote may contain text.
  const path = getStaticText(first) ?? ''
  if (path.includes('/')) refuse([createVariableWord(getFileNode(path))], inCommandPosition)
  if (wrapperName === 'xargs' && isExecutor(name, words)) refuse([streamWord], usedAsCode)
  judgement.depth++
  judgeNamedCommand(judgement, name, words)
  judgement.depth--
}

function isExecutor(name: string, words: readonly Word[]): boolean {
  if (unwrapCommand(words)) return true
  return shells.has(name) || interpreters.test(name) || evaluators.has(name) || optionExecutors.has(name)
}

function judgeNamedCommand(judgement: Judgement, name: string, words: readonly Word[]): void {
  const wrapped = unwrapCommand(words)
  if (!wrapped) {
    judgeArguments(judgement, name, words.slice(1))
    return
  }
  const { inner, isUncertain, positionals, assignments } = wrapped
  if (isUncertain) judgement.refuse(words, afterUnknownCommand)
  for (const word of assignments) judgeAssignmentWord(judgement, word)
  judgement.forbidOption(positionals, name)
  const isSearch = name === 'command' && inner.length === 0
  if (!isSearch) judgeWords(judgement, inner, name)
}

/** Judge what arithmetic and expansions do with the values of variables. */
export function judgeVariables({ shellScript, refuse, evaluatedVariables }: Judgement, isAssociative: (name: string) => boolean): void {
  // Not only assignments set a variable, but also read and printf -v.
  for (const name of evaluatedVariables) refuse([createVariableWord(name)], assignedToEvaluated(name))
  for (const { name, arrayName } of shellScript.arithmeticNames)
    if (!isAssociative(arrayName)) refuse([createVariableWord(name)], usedInArithmetic(name))
  for (const name of shellScript.expandedNames) refuse([createVariableWord(name)], usedAsCode)
}

/** Return the declared attribute of the variables in `declare -i name`, by name. */
export function findDeclared({ commands, assignments: allAssignments }: ShellScript, letters: RegExp): Set<string> {
  const names = new Set<string>()
  let declaresAnyName = false
  for (const { words, assignments } of commands) {
    if (!/^(declare|typeset|local|export|readonly|integer)$/.test(getCommandName(words[0]) ?? '')) continue
    const texts = words.map((word) => getStaticText(word) ?? getLeadingText(word.parts))
    if (!texts.some((text) => letters.test(text))) continue
    for (const text of texts.slice(1)) if (/^[A-Za-z_]\w*/.test(text)) names.add(/^[A-Za-z_]\w*/.exec(text)?.[0] ?? '')
    for (const { name } of assignments) names.add(name)
    // A name that the script puts together may be that of any variable.
    declaresAnyName ||= words.some((word) => getStaticText(word) === undefined && !getLeadingText(word.parts).includes('='))
  }
  if (declaresAnyName) for (const { name } of [...allAssignments, ...commands.flatMap((command) => command.assignments)]) names.add(name)
  return names
}

function getLeadingText(parts: readonly Part[]): string {
  return parts[0]?.kind === 'text' ? parts[0].text : ''
}
