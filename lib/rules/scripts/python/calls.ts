import { executingVariable } from '#rules/scripts/bash/rules.ts'
import { normalizeCommandName } from '#rules/scripts/bash/syntax.ts'
import type { JudgedPlaceholder } from '#rules/scripts/placeholders.ts'
import { inCommandPosition, usedAsCode } from '#rules/scripts/placement-reasons.ts'
import { findClosing, splitAtCommas } from './brackets.ts'
import { findFile, getFileNode } from './files.ts'
import { executors, interpreter, programStarters, unpicklers, unpicklingFunctions } from './functions.ts'
import { findLists, isList } from './lists.ts'
import { judgeProgram } from './program.ts'
import type { DataFlow } from './taint.ts'
import type { Token } from './tokens.ts'

const isShellOption = (argument: readonly Token[]) => argument[0]?.text === 'shell' && argument[1]?.text === '='

interface Calls extends DataFlow {
  statementsByName: ReadonlyMap<string, ReadonlySet<readonly Token[]>>
  /** The programs that variables start. The first call with a variable judges its lists. */
  programByVariable: Map<string, StartedProgram>
  /** Whether the statements were refused that write the input of a started program. */
  isInputRefused: boolean
  importsUnpickler: boolean
  /** Whether `open` is the function of shelve. */
  importsShelveOpen: boolean
  refuse: (tokens: readonly Token[], reason: string) => void
  forbidOption: (starts: readonly number[], command: string) => void
}

interface StartedProgram {
  isInterpreter: boolean
  /** Whether an argument is a text that the interpreter executes. */
  executesText: boolean
}

/** Refuse the placeholders that reach a call which executes its arguments. */
export function judgeCalls(
  statements: readonly (readonly Token[])[],
  dataFlow: DataFlow,
  reasons: Map<number, string>,
  commandsByOperand: Map<number, string>,
  placeholders: readonly JudgedPlaceholder[],
): void {
  const refuseStarts = (starts: readonly number[], reason: string) => {
    for (const start of starts) if (!reasons.has(start)) reasons.set(start, reason)
  }
  const statementsByName = indexByName(statements)
  const calls: Calls = {
    ...dataFlow,
    statementsByName,
    programByVariable: new Map(),
    isInputRefused: false,
    importsUnpickler: [...statementsByName.keys()].some((name) => unpicklers.test(name)),
    importsShelveOpen: [...(statementsByName.get('shelve') ?? [])].some(
      (statement) => statement[0]?.text === 'from' && statement.some(({ text }) => text === 'open' || text === '*'),
    ),
    refuse: (tokens, reason) => refuseStarts(dataFlow.findSources(tokens), reason),
    forbidOption: (starts, command) => {
      for (const start of starts) commandsByOperand.set(start, command)
    },
  }
  const all = placeholders.filter(({ isUntrusted }) => isUntrusted).map(({ start }) => start)
  for (const statement of statements) judgeStatement(calls, statement, () => refuseStarts(all, aliasReason))
}

/** Return the statements that contain each name, in order. */
function indexByName(statements: readonly (readonly Token[])[]): Map<string, Set<readonly Token[]>> {
  const statementsByName = new Map<string, Set<readonly Token[]>>()
  for (const statement of statements)
    for (const { kind, text } of statement)
      if (kind === 'name') statementsByName.set(text, (statementsByName.get(text) ?? new Set()).add(statement))
  return statementsByName
}

const aliasReason = 'is in a script that gives a function which executes text another name; call that function directly'

function judgeStatement(calls: Calls, statement: readonly Token[], refuseAll: () => void): void {
  const isImport = statement[0]?.text === 'import' || statement[0]?.text === 'from'
  if (isImport)
    refuseNodes(
      calls,
      statement.map(({ text }) => getFileNode(`${text}.py`)),
    )
  for (const [index, token] of statement.entries()) {
    if (token.kind === 'string' && token.isFormat && /\b\w+\s*\(/.test(token.text) && hasExecutor(token.text))
      calls.refuse([token], usedAsCode)
    if (token.kind !== 'name') continue
    const isCalled = statement[index + 1]?.text === '(' && statement[index + 1]?.kind === 'operator'
    if (isExecutor(calls, statement, index)) {
      const isRenamed = isImport ? statement[index + 1]?.text === 'as' : !isCalled && statement[index - 1]?.text !== 'def'
      if (isRenamed || (token.text === 'getattr' && namesExecutor(statement.slice(index)))) refuseAll()
      if (isCalled) refuseExecuted(calls, splitAtCommas(statement.slice(index + 2, findClosing(statement, index + 1))))
    } else if (isProgramStarter(calls, statement, index)) judgeStart(calls, statement, index, isCalled, isImport, refuseAll)
  }
  judgeSpecialStatement(calls, statement)
}

/** Refuse what reaches arguments that are executed, and what reaches the files that they name. */
function refuseExecuted(calls: Calls, args: readonly Token[][]): void {
  calls.refuse(args.flat(), usedAsCode)
  refuseFiles(calls, args)
  const texts = args.flat().flatMap((token) => (token.kind === 'string' ? token.text.split(/[\s"'|;&<>()]+/) : []))
  // A module is imported by its name.
  refuseNodes(
    calls,
    texts.flatMap((text) => [getFileNode(text), getFileNode(`${text}.py`)]),
  )
}

/** Refuse what the script writes to the files that expressions name. */
function refuseFiles(calls: Calls, expressions: readonly (readonly Token[])[]): void {
  refuseNodes(
    calls,
    expressions.flatMap((expression) => findFile(expression, calls.assigned) ?? []),
  )
}

function refuseNodes({ refuse }: Calls, nodes: readonly string[]): void {
  refuse(
    nodes.map((text) => ({ kind: 'name', text })),
    usedAsCode,
  )
}

/** Return whether a string is the name of an executor, as in `getattr(os, "system")`. */
function namesExecutor(tokens: readonly Token[]): boolean {
  return tokens.some((token) => token.kind === 'string' && hasExecutor(token.text))
}

function hasExecutor(text: string): boolean {
  return (text.match(/\w+/g) ?? []).some((name) => executors.has(name) || programStarters.test(name))
}

function isExecutor({ importsUnpickler, importsShelveOpen }: Calls, statement: readonly Token[], index: number): boolean {
  const text = statement[index]?.text ?? ''
  const object = statement[index - 1]?.text === '.' ? (statement[index - 2]?.text ?? '') : ''
  if (text === 'compile' && /^(re|regex)$/.test(object)) return false
  // platform.system() has no argument, string.Template executes nothing.
  if ((text === 'system' && object === 'platform') || (text === 'Template' && object === 'string')) return false
  if (unpicklingFunctions.test(text))
    return unpicklers.test(object) || (!object && (text === 'open' ? importsShelveOpen : importsUnpickler))
  return executors.has(text)
}

function isProgramStarter({ statementsByName: names }: Calls, statement: readonly Token[], index: number): boolean {
  const text = statement[index]?.text ?? ''
  if (!programStarters.test(text)) return false
  const hasObject = statement[index - 1]?.text === '.'
  const object = hasObject ? (statement[index - 2]?.text ?? '') : ''
  if (object === 'asyncio' && text === 'run') return false
  const isKeyword = statement[index + 1]?.text === '=' || statement[index - 1]?.text === 'def'
  return (
    !isKeyword &&
    (names.has('subprocess') || names.has('os') || names.has('pty') || names.has('asyncio') || names.has('__import__') || text === 'Popen')
  )
}

function judgeStart(
  calls: Calls,
  statement: readonly Token[],
  index: number,
  isCalled: boolean,
  isImport: boolean,
  refuseAll: () => void,
): void {
  const isRenamed = isImport ? statement[index + 1]?.text === 'as' : !isCalled
  if (isRenamed) {
    refuseAll()
    return
  }
  if (isImport) return
  const args = splitAtCommas(statement.slice(index + 2, findClosing(statement, index + 1)))
  const usesShell = args.some(
    (arg) => (isShellOption(arg) && arg[2]?.text !== 'False') || isExpandedOptions(arg) || arg[0]?.text === 'executable',
  )
  if (usesShell) {
    refuseExecuted(calls, args)
    calls.refuse([{ kind: 'name', text: 'environ' }], usedAsCode)
    return
  }
  const name = statement[index]?.text ?? ''
  const takesList = /^(run|call|check_call|check_output|Popen|spawn)$/.test(name)
  const first = args.find((arg) => arg[0]?.text === 'args' && arg[1]?.text === '=')?.slice(2) ?? args[0] ?? []
  if (!takesList) {
    judgeProgram(calls, args.slice(/^(exec|spawn)l/.test(name) ? 1 : 0))
    calls.refuse(args[0] ?? [], inCommandPosition)
    refuseFiles(calls, args)
  }
  const program = takesList ? judgeListArgument(calls, first) : describeProgram(args.flat())
  if (!program.isInterpreter) return
  calls.refuse(args.filter((arg) => arg[0]?.text === 'input').flat(), usedAsCode)
  // The text is not read, so it may execute a variable.
  if (program.executesText)
    calls.refuse([...args.filter((arg) => arg[0]?.text === 'env').flat(), { kind: 'name', text: 'environ' }], usedAsCode)
  refuseInput(calls)
}

/** Refuse what statements write to the input of started programs. */
function refuseInput(calls: Calls): void {
  if (calls.isInputRefused) return
  calls.isInputRefused = true
  for (const name of ['communicate', 'stdin'])
    for (const statement of calls.statementsByName.get(name) ?? []) calls.refuse(statement, usedAsCode)
}

/** `**options` may contain `shell=True`. */
function isExpandedOptions(argument: readonly Token[]): boolean {
  return argument[0]?.text === '*' && argument[1]?.text === '*'
}

function describeProgram(tokens: readonly Token[]): StartedProgram {
  const texts = tokens.flatMap(({ kind, text }) => (kind === 'string' ? [text] : []))
  return {
    isInterpreter: texts.some((text) => interpreter.test(normalizeCommandName(text))),
    executesText: texts.some((text) => /^-\w*c$/.test(text)),
  }
}

/** Judge the first argument of subprocess.run: a list, or the name of variables that contain lists. */
function judgeListArgument(calls: Calls, argument: readonly Token[]): StartedProgram {
  const [name] = argument
  const variable = argument.length === 1 && name?.kind === 'name' ? name.text : undefined
  const known = variable === undefined ? undefined : calls.programByVariable.get(variable)
  if (known) return known
  const lists = isList(argument) ? [splitAtCommas(argument.slice(1, -1))] : variable ? findLists(calls, variable) : undefined
  if (!lists) calls.refuse(argument, inCommandPosition)
  else for (const list of lists) judgeProgram(calls, list)
  const program = describeProgram(lists ? lists.flat(2) : argument)
  for (const list of lists ?? [[argument]]) refuseFiles(calls, program.isInterpreter ? list : list.slice(0, 1))
  if (variable !== undefined) calls.programByVariable.set(variable, program)
  return program
}

/** Judge statements that change what is executed later, or that read a name as text. */
function judgeSpecialStatement({ refuse }: Calls, statement: readonly Token[]): void {
  const texts = new Set(statement.filter(({ kind }) => kind === 'name').map(({ text }) => text))
  const readsNames = ['globals', 'locals', 'vars', '__dict__', '__builtins__', 'modules', '__globals__', 'setattr'].some((name) =>
    texts.has(name),
  )
  if (readsNames || (texts.has('sys') && texts.has('path'))) refuse(statement, usedAsCode)
  for (const [index, { kind, text }] of statement.entries()) {
    const isFormat = kind === 'name' && /^(format|format_map)$/.test(text) && statement[index - 1]?.text === '.'
    const template = statement[index - 2]
    if (isFormat && template) refuse([template], 'is a format string; write the format as fixed text')
  }
  const changesEnvironment = texts.has('environ') || texts.has('putenv') || texts.has('env')
  const isExecuted = statement.some(({ kind, text }, index) => {
    const isKey = kind === 'string' || (kind === 'name' && statement[index + 1]?.text === '=')
    return isKey && executingVariable.test(text)
  })
  if (changesEnvironment && isExecuted) refuse(statement, usedAsCode)
}
