import { createSourceGraph, type Values } from '#rules/scripts/source-graph.ts'
import { fileReaders, fileWriters, interpreters, reporters, shells } from './rules.ts'
import {
  anyText,
  type Command,
  createVariableWord,
  getCommandName,
  getStaticText,
  type Part,
  type Redirection,
  type ShellScript,
  stream,
  type Word,
} from './syntax.ts'
import { unwrapAll } from './wrappers.ts'

// A variable is text as soon as the script assigns text to it anywhere: order, branches and scopes are
// ignored.

/** Returns the placeholders of text that reach the value of these words, by start index. */
export type FindSources = (words: readonly Word[]) => number[]

/** The arguments of functions and nested shells. */
const positional = '@'
/** A variable whose name the script puts together. */
const unknownVariable = '=variable'
/** The text of the files whose name the script puts together, and of all files that it writes. */
const unknownFile = '=unknown file'
const everyFile = '=every file'
/** Files that a script hardly writes and often reads, such as /etc/os-release. */
const systemPath = /^\/(etc|usr|proc|sys)\//

export interface Variables {
  findSources: FindSources
  /** Return a word with the text of the file that a word names. */
  readFile(word: Word): Word
  /** Return a word with the text that a redirection reads. */
  readInput(redirection: Redirection): Word
}

interface Names {
  script: ShellScript
  /** The text of the variables that the script sets to one fixed text. */
  constants: ReadonlyMap<string, string | undefined>
  assign(name: string, words: readonly Word[]): void
}

export function followVariables(script: ShellScript, untrusted: readonly number[]): Variables {
  const graph = createSourceGraph()
  const isUntrusted = new Set(untrusted)
  const constants = findConstants(script)
  const collect = (words: readonly Word[]): Values => {
    const values: Values = { placeholders: [], names: [] }
    const visitWord = ({ parts }: Word) => parts.forEach(visit)
    const visit = (part: Part) => {
      if (part.kind === 'placeholder' && isUntrusted.has(part.placeholder.start))
        values.placeholders.push(part.placeholder.start)
      if (part.kind === 'variable') {
        values.names.push(normalizeName(part.name), unknownVariable)
        part.parts.forEach(visit)
      }
      if (part.kind === 'substitution') visitOutput(part.commands, names, visitWord)
    }
    words.forEach(visitWord)
    return values
  }
  const names: Names = {
    script,
    constants,
    assign: (name, words) => {
      graph.assign(normalizeName(name), collect(words))
      // Arithmetic evaluates a text that is the name of a variable.
      for (const word of words) graph.connect(getVariableName(word) ?? '', normalizeName(name))
    },
  }
  graph.assign(anyText, { placeholders: [...untrusted], names: [] })
  for (const { name, value } of script.assignments) names.assign(name, value)
  for (const command of script.commands) assignCommand(command, names)
  const findSources = graph.follow()
  return {
    findSources: (words) => findSources(collect(words)),
    readFile: (word) => readFile(word, names),
    readInput: (input) => readInput(input, names),
  }
}

function findConstants({ commands }: ShellScript): Map<string, string | undefined> {
  const constants = new Map<string, string | undefined>()
  for (const { assignments } of commands)
    for (const { name, value } of assignments) {
      const text = value[0] && value.length === 1 ? getStaticText(value[0]) : undefined
      constants.set(name, constants.has(name) && constants.get(name) !== text ? undefined : text)
    }
  return constants
}

function normalizeName(name: string): string {
  return /^(\d+|[@*])$/.test(name) ? positional : name
}

/** Visit what commands print: a number, their words and what they read. */
function visitOutput(commands: readonly Command[], names: Names, visitWord: (word: Word) => void): void {
  const last = commands.at(-1)
  if (last && printsNumber(last) && commands.every((command) => command === last || command.isPiped)) return
  for (const command of commands) {
    const { words, redirections, assignments, mergesErrors } = command
    const name = getProgramName(words)
    for (const { value } of assignments) value.forEach(visitWord)
    for (const redirection of redirections) visitWord(readInput(redirection, names))
    if (name !== undefined && reporters.has(name) && !mergesErrors) continue
    words.forEach(visitWord)
    // Nothing is known about the output of a function.
    if (words.length > 0 && (name === undefined || names.script.functionNames.has(name)))
      visitWord(createVariableWord(anyText))
    if (readsStream(command, name)) visitWord(createVariableWord(stream))
    if (fileReaders.has(name ?? '')) for (const word of words.slice(1)) visitWord(readFile(word, names))
  }
}

/** Return the name of the program that a command executes in the end. */
function getProgramName(words: readonly Word[]): string | undefined {
  return getCommandName(unwrapAll(words)?.at(-1)?.[0])
}

function printsNumber({ words, kind }: Command): boolean {
  const [name, ...args] = words.map((word) => getStaticText(word) ?? '')
  if (kind === 'test') return false
  // With a file as argument, wc prints its name too.
  if (name === 'wc') return args.every((arg) => /^-[clmwL]+$/.test(arg))
  if (name === 'grep') return args.some((arg) => /^-\w*c/.test(arg))
  if (name === 'date') return args.includes('+%s')
  return name === 'tr' && /^-(dc|cd)$/.test(args[0] ?? '') && /^(0-9|\[:digit:\])$/.test(args[1] ?? '')
}

/** Return whether the output of a command may contain the input of the script. */
function readsStream({ words, redirections, isFed }: Command, name: string | undefined): boolean {
  if (isFed || words.length === 0 || redirections.some(({ operator }) => operator.startsWith('<')))
    return false
  const isFile = (word: Word) => !/^(-|\/dev\/|\/proc\/self)/.test(getStaticText(word) ?? '')
  if (name === 'cat') return !words.slice(1).some(isFile)
  return fileReaders.has(name ?? '') || shells.has(name ?? '') || interpreters.test(name ?? '')
}

function assignCommand(command: Command, names: Names): void {
  const { words, assignments, redirections, isPiped, kind, position } = command
  const { assign, script } = names
  for (const { name, value } of assignments) assign(name, value)
  const inputs = redirections.filter(({ operator }) => operator.startsWith('<'))
  for (const input of inputs) assign(stream, [readInput(input, names)])
  const isWritten = redirections.some(({ operator }) => operator.includes('>'))
  // A node of its own, so that the work stays linear.
  const output = createVariableWord(`=output ${position}`)
  if (isPiped || isWritten)
    assign(`=output ${position}`, [
      ...words.slice(1),
      ...inputs.map(({ word }) => word),
      { parts: [{ kind: 'substitution', commands: [command] }] },
    ])
  if (isPiped) assign(stream, [output])
  for (const { operator, word } of redirections)
    if (operator.includes('>') && getStaticText(word) !== '/dev/null') write(word, output, names)
  if (words.length === 0) return
  const name = getCommandName(words[0])
  if (name === undefined || name === 'set' || script.functionNames.has(name))
    assign(positional, words.slice(1))
  // The shell stores the last argument of a command in $_.
  assign(kind === 'test' ? 'BASH_REMATCH' : '_', kind === 'test' ? words : words.slice(-1))
  for (const inner of unwrapAll(words) ?? [])
    assignArguments(getCommandName(inner[0]) ?? '', inner.slice(1), command, names)
}

/** Follow the variables and files that the arguments of a command name. */
function assignArguments(
  name: string,
  args: readonly Word[],
  { redirections, position }: Command,
  names: Names,
): void {
  const { assign } = names
  if (shells.has(name)) assign(positional, args)
  if (fileWriters.has(name)) {
    const files = createVariableWord(`=files ${position}`)
    assign(`=files ${position}`, [...args, createVariableWord(stream)])
    for (const [index, word] of args.entries()) {
      const isFile =
        !downloaders.test(name) || namesFile.test(getStaticText(args[index - 1] ?? { parts: [] }) ?? '')
      if (!isFile) continue
      assign(`=files ${position}`, [readFile(word, names)])
      write(word, files, names)
    }
  }
  const assignNames = (targets: readonly Word[], values: readonly Word[]) => {
    for (const target of targets) assign(getVariableName(target) ?? unknownVariable, values)
  }
  if (/^(read|mapfile|readarray)$/.test(name)) {
    const inputs = redirections.filter(({ operator }) => operator.startsWith('<'))
    const input =
      inputs.length > 0
        ? inputs.map((redirection) => readInput(redirection, names))
        : [createVariableWord(stream)]
    for (const variable of ['REPLY', 'MAPFILE']) assign(variable, input)
    const variables = args.filter((word) => !(getStaticText(word) ?? '').startsWith('-'))
    assign(`=files ${position}`, input)
    assignNames(variables, [createVariableWord(`=files ${position}`), ...input.slice(0, 1)])
  }
  if (name === 'getopts') {
    assign('OPTARG', [createVariableWord(positional), ...args.slice(2)])
    assignNames(args.slice(1, 2), [createVariableWord(positional), ...args.slice(2)])
  }
  if (name === 'printf' && getStaticText(args[0] ?? { parts: [] }) === '-v')
    assignNames(args.slice(1, 2), args)
  // `env name=value`, `declare "name=value"`
  for (const { parts } of args) {
    const [first, ...rest] = parts
    const [, variable, value = ''] =
      (first?.kind === 'text' && /^([A-Za-z_]\w*)\+?=(.*)$/s.exec(first.text)) || []
    if (variable)
      assign(variable, [{ parts: [{ kind: 'text', text: value, isQuoted: true, isLiteral: true }, ...rest] }])
  }
}

const downloaders = /^(curl|wget)$/
/** Their other arguments are addresses. */
const namesFile = /^(-\w*[oO]|--output(-document)?)$/

/** Return the text that a redirection reads. */
function readInput({ operator, word }: Redirection, names: Names): Word {
  const isFile = operator === '<' || operator === '<>'
  return isFile && !word.parts.some(({ kind }) => kind === 'substitution') ? readFile(word, names) : word
}

/** A file is known by its name without the folder. */
function readFile(word: Word, { constants }: Names): Word {
  const path = findPath(word, constants)
  const name = getFileName(path)
  const files =
    name === undefined ? [everyFile] : [`=file ${name}`, ...(systemPath.test(path) ? [] : [unknownFile])]
  return { parts: [...word.parts, ...files.flatMap((file) => createVariableWord(file).parts)] }
}

function write(word: Word, output: Word, { constants, assign }: Names): void {
  const name = getFileName(findPath(word, constants))
  assign(name === undefined ? unknownFile : `=file ${name}`, [output])
  assign(everyFile, [output])
  // In `> >(command)` the command reads it.
  if (word.parts.some(({ kind }) => kind === 'substitution')) assign(stream, [output])
}

/** Return a path in which NUL stands for what is not known. */
function findPath({ parts }: Word, constants: Names['constants']): string {
  return parts
    .map((part) => {
      if (part.kind === 'text') return part.isLiteral ? part.text : '\0'
      return (
        (part.kind === 'variable' && part.parts.length === 0 ? constants.get(part.name) : undefined) ?? '\0'
      )
    })
    .join('')
}

/** Return the name of the file of a path, or that an argument such as `of=path` contains. */
function getFileName(path: string): string | undefined {
  const name = path.replace(/^\w+=/, '').replace(/^.*\//s, '')
  return name.includes('\0') ? undefined : name
}

function getVariableName(word: Word): string | undefined {
  return /^([A-Za-z_]\w*)(\[.*)?$/s.exec(getStaticText(word) ?? '')?.[1]
}
