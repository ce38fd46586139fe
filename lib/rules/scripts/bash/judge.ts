import { afterUnknownCommand, inCommandPosition, usedAsCode } from '#rules/scripts/placement-reasons.ts'
import { judgeArguments } from './arguments.ts'
import {
  assignedToEvaluated,
  type Judgement,
  judgeAssignment,
  judgeAssignmentWord,
  usedInArithmetic,
} from './judgement.ts'
import { evaluators, inputEvaluators, interpreters, optionExecutors, shells } from './rules.ts'
import {
  type Command,
  createVariableWord,
  getCommandName,
  getStaticText,
  type Part,
  type ShellScript,
  stream,
  type Word,
} from './syntax.ts'
import { judgeTest } from './test-operands.ts'
import { unwrapAll, unwrapCommand } from './wrappers.ts'

const maxDepth = 10

export function judgeCommand(judgement: Judgement, command: Command): void {
  const { words, assignments, redirections, kind, isFed } = command
  for (const { name, value } of assignments) judgeAssignment(judgement, name, value)
  const inputs = redirections.filter(({ operator }) => operator.startsWith('<'))
  judgement.input = inputs.length > 0 ? inputs.map(judgement.readInput) : [createVariableWord(stream)]
  judgement.hasInput = isFed || inputs.length > 0
  if (kind === 'test') judgeTest(judgement, words, true)
  else if (words.length > 0) judgeWords(judgement, words)
  if (inputs.length > 0 && (unwrapAll(words) ?? []).some(readsCode))
    judgement.refuse(judgement.input, usedAsCode)
}

function readsCode([first]: readonly Word[]): boolean {
  const name = getCommandName(first) ?? ''
  return (
    /^(\.|source)$/.test(name) || shells.has(name) || interpreters.test(name) || inputEvaluators.has(name)
  )
}

/** Judge the words of a command, or those of a command that a wrapper executes. */
export function judgeWords(judgement: Judgement, words: readonly Word[], wrapperName = ''): void {
  const { refuse, readFile } = judgement
  const [first] = words
  if (!first) return
  refuse([first], inCommandPosition)
  const name = getCommandName(first)
  // A file that the script wrote may contain text.
  if (name === undefined || getStaticText(first)?.includes('/')) refuse([readFile(first)], inCommandPosition)
  if (name === undefined || judgement.depth >= maxDepth) {
    refuse(words.slice(1), afterUnknownCommand)
    return
  }
  if (wrapperName === 'xargs' && isExecutor(name, words)) refuse(judgement.input, usedAsCode)
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
export function judgeVariables({ refuse, evaluatedVariables }: Judgement, shellScript: ShellScript): void {
  // Not only assignments set a variable, but also read and printf -v.
  for (const name of evaluatedVariables) refuse([createVariableWord(name)], assignedToEvaluated(name))
  for (const name of [...shellScript.arithmeticNames, ...findSubscripts(shellScript)])
    refuse([createVariableWord(name)], usedInArithmetic(name))
  for (const name of shellScript.expandedNames) refuse([createVariableWord(name)], usedAsCode)
}

const namedVariables = /^(read|printf|unset|test|\[|declare|typeset|local|export|readonly|getopts|wait)$/

/**
 * Find the variables in the subscript of an argument that names an element of an array, as in `read "a[x]"`.
 */
function findSubscripts({ commands }: ShellScript): string[] {
  return commands.flatMap(({ words, kind }) => {
    const args = kind === 'test' ? words : (unwrapAll(words)?.at(-1) ?? [])
    if (kind !== 'test' && !namedVariables.test(getCommandName(args[0]) ?? '')) return []
    return args.flatMap((word) => {
      const [, subscript = ''] = /^[A-Za-z_]\w*\[(.*)\]/s.exec(getStaticText(word) ?? '') ?? []
      return [...subscript.matchAll(/[A-Za-z_]\w*/g)].map(([name]) => name)
    })
  })
}

/** Return the variables that `declare -i` and `declare -n` let evaluate their values. */
export function findEvaluated({ commands, assignments: allAssignments }: ShellScript): Set<string> {
  const names = new Set<string>()
  let declaresAnyName = false
  for (const { words: allWords, assignments } of commands) {
    const words = unwrapAll(allWords)?.at(-1) ?? []
    if (!/^(declare|typeset|local|export|readonly|integer)$/.test(getCommandName(words[0]) ?? '')) continue
    const texts = words.map((word) => getStaticText(word) ?? getLeadingText(word.parts))
    if (!texts.some((text) => /^-\w*[in]/.test(text))) continue
    for (const text of texts.slice(1))
      if (/^[A-Za-z_]\w*/.test(text)) names.add(/^[A-Za-z_]\w*/.exec(text)?.[0] ?? '')
    for (const { name } of assignments) names.add(name)
    // A name that the script puts together may be that of any variable.
    declaresAnyName ||= words.some(
      (word) => getStaticText(word) === undefined && !getLeadingText(word.parts).includes('='),
    )
  }
  if (declaresAnyName)
    for (const { name } of [...allAssignments, ...commands.flatMap((command) => command.assignments)])
      names.add(name)
  return names
}

function getLeadingText(parts: readonly Part[]): string {
  return parts[0]?.kind === 'text' ? parts[0].text : ''
}
