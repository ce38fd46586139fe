import { afterExecutingOption, needsFixedFormat, usedAsCode } from '#rules/scripts/placement-reasons.ts'
import { type Judgement, judgeAssignmentWord, usedInArithmetic } from './judgement.ts'
import {
  batchFile,
  evaluators,
  executingOptions,
  inputEvaluators,
  interpreters,
  optionExecutors,
  shells,
} from './rules.ts'
import { createVariableWord, getStaticText, isExpandable, type Word } from './syntax.ts'
import { judgeTest } from './test-operands.ts'

type JudgeArguments = (judgement: Judgement, args: readonly Word[], name: string) => void

const inRemoteCommand = 'would be executed by the other computer'

/** Judge the arguments of a command whose name is known. */
export function judgeArguments(judgement: Judgement, name: string, args: readonly Word[]): void {
  const { refuse, forbidOption, input } = judgement
  if (inputEvaluators.has(name)) refuse(input, usedAsCode)
  if (shells.has(name) || interpreters.test(name)) judgeInterpreter(judgement, args, name)
  else if (Object.hasOwn(judgeByName, name)) judgeByName[name]?.(judgement, args, name)
  else if (evaluators.has(name) || batchFile.test(name)) refuse(args, usedAsCode)
  if (!optionExecutors.has(name)) return
  const dashes = args.findIndex((arg) => getStaticText(arg) === '--')
  forbidOption(dashes < 0 ? args : args.slice(0, dashes), name)
  judgeOptionValues(judgement, args, name)
}

/** Refuse text in the value of an option that executes it. */
function judgeOptionValues({ refuse }: Judgement, args: readonly Word[], name: string): void {
  const options = executingOptions[name]
  if (!options) return
  for (const [index, word] of args.entries()) {
    const [first] = word.parts
    const leadingText = first?.kind === 'text' ? first.text : ''
    const option = leadingText.startsWith('--') ? leadingText.replace(/=.*/s, '') : leadingText.slice(0, 2)
    if (options.test(getText(args[index - 1])) || options.test(option)) refuse([word], afterExecutingOption)
  }
}

function getText(word: Word | undefined): string {
  return (word && getStaticText(word)) ?? ''
}

const scriptModules = new Set(['pip', 'venv', 'http.server', 'json.tool', 'ensurepip'])

/** Arguments may follow the file of the script. Without a file, the interpreter executes its input. */
function judgeInterpreter(judgement: Judgement, args: readonly Word[], name: string): void {
  const { refuse, readFile, input } = judgement
  const harmlessOption = shells.has(name)
    ? /^(-[eux]+|--(norc|noprofile|login)|-l|-o|pipefail)$/
    : /^-[uBEIs]$/
  const scriptIndex = args.findIndex((arg) => !harmlessOption.test(getText(arg)))
  const script = args[scriptIndex]
  const text = getText(script)
  const isModule =
    name.startsWith('python') && text === '-m' && scriptModules.has(getText(args[scriptIndex + 1]))
  const isFile = script && /^[^-]/.test(text) && !text.startsWith('/dev/') && !isExpandable(script)
  if (isFile) refuse([readFile(script)], usedAsCode)
  if (isFile || isModule) return
  if (shells.has(name) && /^-[a-z]*c$/.test(text)) {
    // In a shell script the text after -c is judged as commands of its own.
    if (!judgement.judgesNestedText || getStaticText(args[scriptIndex + 1] ?? { parts: [] }) === undefined)
      refuse(args, usedAsCode)
    return
  }
  refuse([...args, ...(script ? [readFile(script)] : []), ...input], usedAsCode)
}

/** Refuse text in the format of printf: it could be the option -v. */
function judgePrintf({ refuse }: Judgement, args: readonly Word[]): void {
  const isFixed = args[0] && getStaticText(args[0]) !== undefined && !isExpandable(args[0])
  const setsVariable = getText(args[0]) === '-v'
  if (!isFixed) refuse(args, needsFixedFormat)
  else if (setsVariable) refuse(args.slice(0, 3), needsFixedFormat)
}

const judgeDeclaration: JudgeArguments = (judgement, args) => {
  for (const word of args) judgeAssignmentWord(judgement, word)
}

const judgeAwk: JudgeArguments = ({ refuse, input }, args) => {
  let index = 0
  for (; index < args.length; index++) {
    const [first] = args[index]?.parts ?? []
    const text = first?.kind === 'text' ? first.text : ''
    if (/^-[vF]$/.test(text)) {
      const value = args[++index]
      const isAssignment = value?.parts[0]?.kind === 'text' && /^\w+=/.test(value.parts[0].text)
      if (text === '-v' && value && !isAssignment) refuse([value], usedAsCode)
    } else if (!/^-[vF]./.test(text)) break
  }
  const program = args[index]
  if (!program) return
  refuse([program], usedAsCode)
  const executes = /\bsystem\b|@|getline|\|/.test(getText(program).replaceAll('||', ''))
  const isUnknown = getText(program).startsWith('-') || (getStaticText(program) === undefined && index > 0)
  if (executes) refuse(input, usedAsCode)
  if (executes || isUnknown) refuse(args, usedAsCode)
}

const judgeSed: JudgeArguments = ({ refuse, input }, args) => {
  const isScriptOption = (word: Word | undefined) => /^(-\w*[ef]|--expression|--file)$/.test(getText(word))
  const hasScriptOption = args.some(isScriptOption)
  let isScriptRead = hasScriptOption
  for (const [index, word] of args.entries()) {
    const text = getText(word)
    const isScript = isScriptOption(args[index - 1]) || (!isScriptRead && !text.startsWith('-'))
    const [first] = word.parts
    const isOption = first?.kind === 'text' && first.text.startsWith('-')
    if (isScript || isOption) refuse([word], usedAsCode)
    if (isScript) isScriptRead = true
    if (isScript && /^\d*e|[;{]\s*\d*e|[^\w\s][gpIiMm0-9]*e[gpIiMm0-9]*\s*([;}\n]|$)/.test(text))
      refuse([...input, ...args], usedAsCode)
  }
}

const sshOptionsWithValue = /^-[bcDEeFiIJlLmOopQRSwW]$/
const judgeSsh: JudgeArguments = ({ refuse, input, hasInput }, args) => {
  let index = 0
  for (; index < args.length; index++) {
    const [first] = args[index]?.parts ?? []
    const text = first?.kind === 'text' ? first.text : ''
    if (sshOptionsWithValue.test(text) && getText(args[index]) === text) index++
    else if (!text.startsWith('-')) break
  }
  const remote = args.slice(index + 1)
  refuse(remote, inRemoteCommand)
  const readsCode = remote.some((word) =>
    /\b(\w*sh|eval|source|python\w*|perl|ruby|node|php|xargs|parallel|at)\b/.test(
      getStaticText(word) ?? 'sh',
    ),
  )
  if (remote.length === 0 || hasInput || readsCode) refuse(input, usedAsCode)
}

/** The part after the colon of `host:path` is read by the shell of the other computer. */
const judgeRemoteCopy: JudgeArguments = ({ refuse }, args) => {
  for (const word of args) {
    const colon = word.parts.findIndex((part) => part.kind === 'text' && part.text.includes(':'))
    if (colon >= 0 && word.parts.slice(colon + 1).some(({ kind }) => kind !== 'text'))
      refuse([word], inRemoteCommand)
  }
}

const judgeFind: JudgeArguments = (judgement, args) => {
  let start = -1
  for (const [index, arg] of args.entries()) {
    const text = getText(arg)
    if (start < 0 && /^-(exec|execdir|ok|okdir)$/.test(text)) start = index + 1
    const isEnd = /^[;+]$/.test(text) || index === args.length - 1
    if (start < 0 || !isEnd) continue
    judgement.judgeWords(judgement, args.slice(start, index + 1), 'find')
    start = -1
  }
}

const judgeGit: JudgeArguments = ({ refuse }, args) => {
  const executesText = args.some((arg) =>
    /^(submodule|bisect|filter-branch|difftool|mergetool)$/.test(getText(arg)),
  )
  const config = args.findIndex((arg) => getText(arg) === 'config')
  const isName = args.slice(config).some((arg) => /^user\.(name|email)$/.test(getText(arg)))
  if (executesText || (config >= 0 && !isName)) refuse(args, usedAsCode)
}

/** The first argument is the database file. The others are commands. */
const judgeSqlite: JudgeArguments = ({ refuse }, args) => {
  const file = args.findIndex((arg) => !getText(arg).startsWith('-'))
  refuse(args.slice(0, file), usedAsCode)
  refuse(args.slice(file + 1), usedAsCode)
}

const judgeSet: JudgeArguments = ({ refuse }, args) => {
  if (getText(args[0]) !== '--') refuse(args, usedAsCode)
}

/** The arguments of let are arithmetic. */
const judgeLet: JudgeArguments = ({ refuse }, args) => {
  refuse(args, usedAsCode)
  const texts = args.flatMap(({ parts }) => parts.map((part) => (part.kind === 'text' ? part.text : '')))
  for (const [name] of texts.join(' ').matchAll(/[A-Za-z_]\w*/g))
    refuse([createVariableWord(name)], usedInArithmetic(name))
}

/** A file that the script wrote may contain text. */
const judgeSource: JudgeArguments = ({ refuse, readFile }, args) => {
  refuse([...args, ...args.slice(0, 1).map(readFile)], usedAsCode)
}

const judgeByName: Readonly<Record<string, JudgeArguments>> = {
  printf: judgePrintf,
  let: judgeLet,
  source: judgeSource,
  '.': judgeSource,
  test: (judgement, args) => judgeTest(judgement, args, false),
  '[': (judgement, args) => judgeTest(judgement, args.slice(0, -1), false),
  export: judgeDeclaration,
  declare: judgeDeclaration,
  typeset: judgeDeclaration,
  local: judgeDeclaration,
  readonly: judgeDeclaration,
  set: judgeSet,
  awk: judgeAwk,
  gawk: judgeAwk,
  mawk: judgeAwk,
  sed: judgeSed,
  ssh: judgeSsh,
  scp: judgeRemoteCopy,
  rsync: judgeRemoteCopy,
  find: judgeFind,
  git: judgeGit,
  sqlite3: judgeSqlite,
}
