import { executingVariable } from '#rules/scripts/bash/rules.ts'
import { inCommandPosition, usedAsCode } from '#rules/scripts/placement-reasons.ts'
import { executesWritten, findWritten } from './files.ts'
import type { ProgramRules } from './flow.ts'
import { executors, programStarters, shellFunctions, unpicklers, unpicklingFunctions } from './functions.ts'
import { describeProgram, findLists, judgeProgram, type StartedProgram } from './programs.ts'
import { isSafeShellText } from './shell-text.ts'
import { getCalleeName, isName, listArguments, listElements, listNodes, type Node } from './tree.ts'

const aliasReason =
  'is in a script that gives a function which executes text another name; call that function directly'

interface Judgement extends ProgramRules {
  nodes: readonly Node[]
  /** The expressions that name the files which the script executes. */
  executedFiles: (readonly Node[])[]
  /** Whether the statements were refused that write the input of a started program. */
  isInputRefused: boolean
  /** The programs in the lists of variables. The first call with a variable judges its lists. */
  programByVariable: Map<string, StartedProgram>
}

/** Refuse the placeholders that reach a place which executes text. */
export function judgeNodes(nodes: readonly Node[], rules: Omit<ProgramRules, 'mentions'>): void {
  const mentions = Map.groupBy(nodes.filter(isName), ({ text }) => text)
  const judgement: Judgement = {
    ...rules,
    nodes,
    mentions,
    executedFiles: [],
    isInputRefused: false,
    programByVariable: new Map(),
  }
  for (const node of nodes) {
    if (isName(node)) judgeName(judgement, node)
    if (isName(node) || node.value !== undefined) judgeSpecialName(judgement, node)
  }
  const written = findWritten(nodes, rules.flow)
  if (written.length > 0 && executesWritten(judgement.executedFiles, nodes, rules.flow))
    rules.refuse(written, usedAsCode)
}

function judgeName(judgement: Judgement, node: Node): void {
  const { parent, text } = node
  const isImport = parent?.kind === 'ImportStatement'
  if (isImport) judgement.executedFiles.push([{ ...node, kind: 'String', value: `${text}.py` }])
  const isKnown = isExecutor(judgement, node)
  if (!isKnown && !isProgramStarter(judgement, node)) return
  const isMember = node.kind === 'PropertyName'
  const call = isMember ? parent?.parent : parent
  const isCalled = call?.kind === 'CallExpression' && getCalleeName(call) === node
  const isDefined =
    parent?.kind === 'FunctionDefinition' || (parent?.kind === 'ArgList' && node.next?.kind === 'AssignOp')
  const isRenamed = isImport ? node.next?.kind === 'as' : !isCalled && !isDefined
  if (isRenamed || (text === 'getattr' && call && listNodes(call).some(namesExecutor)))
    judgement.refuse(
      judgement.nodes.filter(({ placeholder }) => placeholder),
      aliasReason,
    )
  if (!isCalled) return
  if (isKnown) refuseExecuted(judgement, listArguments(call), shellFunctions.test(text))
  else judgeStart(judgement, text, listArguments(call))
}

/** Return whether a string may be the name of an executor, as in `getattr(os, "system")`. */
function namesExecutor({ kind, value, placeholder }: Node): boolean {
  if (kind !== 'String' || placeholder) return false
  return (
    (value?.match(/\w+/g) ?? []).some((name) => executors.has(name) || programStarters.test(name)) ||
    value === undefined
  )
}

/** Return the name of the object before a name, such as `os` in `os.system`. */
function getObjectName({ kind, parent }: Node): string {
  const object = kind === 'PropertyName' ? parent?.children[0] : undefined
  return (object?.kind === 'MemberExpression' ? object.children.at(-1)?.text : object?.text) ?? ''
}

function isExecutor({ mentions }: ProgramRules, node: Node): boolean {
  const { text } = node
  const object = getObjectName(node)
  if (text === 'compile' && /^(re|regex)$/.test(object)) return false
  // platform.system() has no argument, string.Template executes nothing.
  if ((text === 'system' && object === 'platform') || (text === 'Template' && object === 'string'))
    return false
  if (!unpicklingFunctions.test(text)) return executors.has(text)
  if (object) return unpicklers.test(object)
  const imports = (mentions.get('shelve') ?? []).some(({ parent }) =>
    parent?.children.some((child) => /^(open|\*)$/.test(child.text)),
  )
  return text === 'open' ? imports : [...mentions.keys()].some((name) => unpicklers.test(name))
}

function isProgramStarter({ mentions }: ProgramRules, node: Node): boolean {
  if (!programStarters.test(node.text) || (getObjectName(node) === 'asyncio' && node.text === 'run'))
    return false
  return (
    node.text === 'Popen' ||
    ['subprocess', 'os', 'pty', 'asyncio', '__import__'].some((name) => mentions.has(name))
  )
}

/** Refuse what reaches arguments that are executed, and what reaches the files that they name. */
function refuseExecuted(
  { refuse, executedFiles, flow, forbidOption }: Judgement,
  args: readonly Node[][],
  isShell: boolean,
): void {
  executedFiles.push(args.flat())
  for (const [index, arg] of args.entries())
    if (!(isShell && index === 0 && isSafeShellText(arg, { flow, forbidOption }))) refuse(arg, usedAsCode)
}

function judgeStart(judgement: Judgement, name: string, args: readonly Node[][]): void {
  const { refuse, executedFiles, mentions } = judgement
  const getOption = (option: string) =>
    args.find(([first]) => first?.text === option && first.next?.kind === 'AssignOp')?.slice(2)
  const shell = getOption('shell')
  if (
    (shell && shell[0]?.text !== 'False') ||
    getOption('executable') ||
    args.some(([first]) => first?.text === '**')
  ) {
    refuseExecuted(judgement, args, !getOption('executable'))
    refuse(mentions.get('environ') ?? [], usedAsCode)
    return
  }
  const takesList = /^(run|call|check_call|check_output|Popen|spawn)$/.test(name)
  if (!takesList) {
    judgeProgram(judgement, args.slice(/^(exec|spawn)l/.test(name) ? 1 : 0))
    refuse(args[0] ?? [], inCommandPosition)
    executedFiles.push(...args)
  }
  const program = takesList
    ? judgeList(judgement, getOption('args') ?? args[0] ?? [])
    : describeProgram(args.flat())
  if (!program.isInterpreter) return
  refuse(getOption('input') ?? [], usedAsCode)
  // The text is not read, so it may execute a variable.
  if (program.executesText)
    refuse([...(getOption('env') ?? []), ...(mentions.get('environ') ?? [])], usedAsCode)
  // Other statements may write to the input of the program.
  if (!judgement.isInputRefused)
    for (const node of [...(mentions.get('communicate') ?? []), ...(mentions.get('stdin') ?? [])])
      refuse([getStatement(node)], usedAsCode)
  judgement.isInputRefused = true
}

/** Judge the first argument of subprocess.run: a list, or the name of variables that contain lists. */
function judgeList(judgement: Judgement, argument: readonly Node[]): StartedProgram {
  const { refuse, executedFiles } = judgement
  const [node] = argument
  const variable = argument.length === 1 && node?.kind === 'VariableName' ? node.text : undefined
  const known = variable && judgement.programByVariable.get(variable)
  if (known) return known
  const elements = argument.length === 1 && node && listElements(node)
  const lists = elements ? [elements] : variable ? findLists(judgement, variable) : undefined
  if (!lists) refuse(argument, inCommandPosition)
  for (const list of lists ?? []) judgeProgram(judgement, list)
  const program = describeProgram(lists ? lists.flat(2) : argument)
  for (const list of lists ?? [[argument]])
    executedFiles.push(...(program.isInterpreter ? list : list.slice(0, 1)))
  if (variable) judgement.programByVariable.set(variable, program)
  return program
}

/** Return the statement, or the part of one with blocks, that a node belongs to. */
function getStatement(node: Node): Node {
  let statement = node
  while (statement.parent && !statement.parent.isCompound) statement = statement.parent
  return statement
}

const namespaces = /^(globals|locals|vars|__dict__|__builtins__|modules|__globals__|setattr)$/

/** Judge names and texts that change what is executed later, or that read a name as text. */
function judgeSpecialName({ refuse, mentions }: Judgement, node: Node): void {
  const { text, value, parent, next } = node
  const isSearchPath = text === 'path' && getObjectName(node) === 'sys'
  if (isName(node) && (namespaces.test(text) || isSearchPath)) refuse([getStatement(node)], usedAsCode)
  if (node.kind === 'PropertyName' && /^(format|format_map)$/.test(text) && parent?.children[0])
    refuse([parent.children[0]], 'is a format string; write the format as fixed text')
  const key = value ?? (next?.kind === 'AssignOp' ? text : '')
  if (executingVariable.test(key) && ['environ', 'env', 'putenv'].some((name) => mentions.has(name)))
    refuse([getStatement(node)], usedAsCode)
}
