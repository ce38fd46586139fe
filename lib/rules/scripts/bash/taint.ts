import { createSourceGraph, type SourceGraph, type Values } from '#rules/scripts/source-graph.ts'
import { shells } from './rules.ts'
import { type Command, type FunctionBody, getCommandName, getStaticText, type Part, type ShellScript, type Word } from './syntax.ts'
import { unwrapAll } from './wrappers.ts'

// Follows the values of parameters through variables. Order and branches are ignored: an assignment counts anywhere in the script.

/** Returns the placeholders of text that reach the value of these parts, by start index. */
export type FindSources = (words: readonly Word[]) => number[]

/** Everything that a piped command, here-string or here-document passes on. No variable has this name. */
export const stream = '=stream'
/** The arguments of functions and nested shells. */
export const positional = '@'

/** The text of the files whose path the script puts together. */
const unknownFile = '=file'
/** Files that a script hardly writes and often reads, such as /etc/os-release. */
const systemPath = /^=file:\/(etc|usr)\//

/** Return the name under which the output of a function is stored. */
function getOutputNode(functionName: string): string {
  return `=output:${functionName}`
}

/** Return the name under which the text of a file is stored. */
export function getFileNode(path: string): string {
  return `=file:${path.replace(/^\.\//, '')}`
}

/** Commands that write to a file among their arguments. */
const fileWriters = new Set('mv cp ln install dd sponge rsync split curl wget tee'.split(' '))

/** Their other arguments are addresses. */
const downloaders = /^(curl|wget)$/
const namesFile = /^(-\w*[oO]|--output(-document)?)$/

/** Commands that write their arguments or input to their output. */
const copyingCommands = new Set(
  'echo printf cat basename dirname realpath readlink tr cut sed awk gawk mawk grep head tail rev sort uniq tac jq yq curl wget xargs envsubst column fold fmt nl paste base64 xxd eval'.split(
    ' ',
  ),
)

export function createSourceFinder(shellScript: ShellScript, isUntrusted: (start: number) => boolean): FindSources {
  const graph = createSourceGraph()
  const collect = (words: readonly Word[]): Values => collectNode(words, shellScript, isUntrusted)
  for (const { name, value } of shellScript.assignments) graph.assign(normalizeName(name), collect(value))
  addOutputs(shellScript, collect, graph)
  const pipesCompound = shellScript.commands.some(({ words, isPiped }) => isPiped && words.length === 0)
  for (const command of shellScript.commands) addCommand(command, shellScript, collect, graph, pipesCompound)
  const findSources = graph.follow()
  return (words) => findSources(collect(words))
}

/** Follow what functions print. The output of a function contains that of the functions in its body, so that the work stays linear. */
function addOutputs({ functionBodies }: ShellScript, collect: (words: readonly Word[]) => Values, graph: SourceGraph): void {
  for (const [list, bodies] of Map.groupBy(functionBodies, (body) => body.list)) {
    const commandsByBody = new Map<FunctionBody, Command[]>(bodies.map((body) => [body, []]))
    const open: FunctionBody[] = []
    let next = 0
    for (const [index, command] of list.entries()) {
      while ((open.at(-1)?.end ?? list.length) <= index) open.pop()
      for (let body = bodies[next]; body && body.start <= index; body = bodies[++next]) {
        const outer = open.at(-1)
        if (outer) graph.connect(getOutputNode(body.name), getOutputNode(outer.name))
        open.push(body)
      }
      const innermost = open.at(-1)
      if (innermost && command.words.length > 0) commandsByBody.get(innermost)?.push(command)
    }
    for (const [{ name }, commands] of commandsByBody) graph.assign(getOutputNode(name), collect([createOutputWord(commands)]))
  }
}

/** Return a word whose value is what commands print. */
function createOutputWord(commands: Command[]): Word {
  return { parts: [{ kind: 'substitution', isQuoted: true, commands }] }
}

function normalizeName(name: string): string {
  return /^(\d+|[@*])$/.test(name) ? positional : name
}

function collectNode(words: readonly Word[], shellScript: ShellScript, isUntrusted: (start: number) => boolean): Values {
  const node: Values = { placeholders: [], names: [] }
  const visit = (part: Part) => {
    if (part.kind === 'placeholder' && isUntrusted(part.placeholder.start)) node.placeholders.push(part.placeholder.start)
    if (part.kind === 'variable') {
      node.names.push(normalizeName(part.name))
      if (part.name.startsWith('=file:') && !systemPath.test(part.name)) node.names.push(unknownFile)
      part.parts.forEach(visit)
    }
    if (part.kind !== 'substitution' || printsNumber(part.commands.at(-1))) return
    for (const [index, command] of part.commands.entries()) {
      if (!copies(command, shellScript)) continue
      for (const { parts } of [...command.words, ...command.redirections.map(({ word }) => word)]) parts.forEach(visit)
      for (const { value } of command.assignments) for (const { parts } of value) parts.forEach(visit)
      const name = getCommandName(command.words[0]) ?? ''
      if (shellScript.functionNames.has(name)) node.names.push(positional, getOutputNode(name))
      // What a function reads is part of its output.
      else if (!part.commands[index - 1]?.isPiped && readsInput(command)) node.names.push(stream)
      for (const word of [...command.words.slice(1), ...command.redirections.map((redirection) => redirection.word)])
        node.names.push(getFileNode(getStaticText(word) ?? ''))
    }
  }
  for (const { parts } of words) parts.forEach(visit)
  return node
}

/** Return whether the output of a command depends on its words. A compound command and an unknown command count. */
function copies({ words }: Command, { functionNames }: ShellScript): boolean {
  const name = getCommandName(words[0])
  return name === undefined || copyingCommands.has(name) || functionNames.has(name)
}

/** Copying commands that do not read their input. */
const inputIgnorers = new Set('echo printf basename dirname realpath readlink curl wget eval'.split(' '))

/** Return whether a copying command may read its input. A file that cat reads instead is followed as a file. */
function readsInput({ words, redirections }: Command): boolean {
  if (words.length === 0) return true
  const name = getCommandName(words[0]) ?? ''
  if (inputIgnorers.has(name) || redirections.some(({ operator }) => operator.startsWith('<'))) return false
  const isFile = (word: Word) => !/^(-|\/dev\/|\/proc\/)/.test(getStaticText(word) ?? '')
  return name !== 'cat' || !words.slice(1).some(isFile)
}

function printsNumber(command: Command | undefined): boolean {
  const [name, ...args] = (command?.words ?? []).map((word) => getStaticText(word) ?? '')
  if (name === 'wc') return true
  if (name === 'grep') return args.some((arg) => /^-\w*c/.test(arg))
  return name === 'tr' && /^-(dc|cd)$/.test(args[0] ?? '') && /^(0-9|\[:digit:\])$/.test(args[1] ?? '')
}

function addCommand(
  command: Command,
  shellScript: ShellScript,
  collect: (words: readonly Word[]) => Values,
  graph: SourceGraph,
  pipesCompound: boolean,
): void {
  const { words, assignments, redirections, isPiped, kind } = command
  for (const { name, value } of assignments) {
    graph.assign(normalizeName(name), collect(value))
    // Arithmetic evaluates a text that is the name of a variable.
    for (const named of getNames(value)) graph.connect(named, normalizeName(name))
  }
  for (const inner of unwrapAll(words) ?? [])
    if (shells.has(getCommandName(inner[0]) ?? '')) graph.assign(positional, collect(inner.slice(1)))
  const name = getCommandName(words[0])
  const args = words.slice(1)
  for (const { operator, word } of redirections) if (/^<<|^<$/.test(operator)) graph.assign(stream, collect([word]))
  addFiles(command, collect, graph)
  if ((isPiped || pipesCompound) && copies(command, shellScript)) graph.assign(stream, collect([...words, createOutputWord([command])]))
  if (words.length === 0) return
  if (shellScript.functionNames.has(name ?? '') || name === 'set' || name === undefined) graph.assign(positional, collect(args))
  if (kind === 'test') graph.assign('BASH_REMATCH', collect(words))
  // The shell stores the last argument of a command in $_.
  else graph.assign('_', collect(words.slice(-1)))
  if (name && /^(read|mapfile|readarray)$/.test(name)) addReadNames(args, graph)
  if (name === 'getopts') for (const variable of ['OPTARG', ...getNames(args)]) graph.connect(positional, variable)
  if (name === 'printf' && getStaticText(args[0] ?? { parts: [] }) === '-v') graph.assign(getNames(args.slice(1))[0] ?? '', collect(args))
  for (const word of args) addArgumentAssignment(word, collect, graph)
}

/** Follow what a command writes to files, and what it reads from them. */
function addFiles(command: Command, collect: (words: readonly Word[]) => Values, graph: SourceGraph): void {
  const { words, redirections } = command
  const inputs = redirections.filter(({ operator }) => operator.startsWith('<')).map(({ word }) => word)
  for (const { operator, word } of redirections) {
    const path = getStaticText(word)
    if (path === '/dev/null') continue
    if (operator.includes('>')) graph.assign(findFileNode(word), collect([...words.slice(1), ...inputs, createOutputWord([command])]))
    if (operator === '<' && path !== undefined) graph.connect(getFileNode(path), stream)
  }
  const name = getCommandName(words[0]) ?? ''
  if (!fileWriters.has(name)) return
  const isFile = (index: number) => !downloaders.test(name) || namesFile.test(getStaticText(words[index - 1] as Word) ?? '')
  const files = words.filter((_, index) => index > 0 && isFile(index)).map(findFileNode)
  const { placeholders, names } = collect(words.slice(1))
  for (const file of files) graph.assign(file, { placeholders, names: [...names, ...files, stream] })
}

/** Return the name of the file that a word is, or that an argument such as `of=path` contains. */
function findFileNode(word: Word): string {
  const path = getStaticText(word)
  return path === undefined ? unknownFile : getFileNode(path.replace(/^\w+=/, ''))
}

function getNames(words: readonly Word[]): string[] {
  return words.map((word) => (getStaticText(word) ?? '').replace(/\[.*/s, '')).filter((text) => /^[A-Za-z_]\w*$/.test(text))
}

function addReadNames(args: readonly Word[], graph: SourceGraph): void {
  for (const name of ['REPLY', 'MAPFILE', ...getNames(args)]) graph.connect(stream, name)
}

/** Follow the assignments that are arguments: `env name=value`, `declare "name=value"`. */
function addArgumentAssignment(word: Word, collect: (words: readonly Word[]) => Values, graph: SourceGraph): void {
  const [first] = word.parts
  const name = first?.kind === 'text' ? /^([A-Za-z_]\w*)\+?=/.exec(first.text)?.[1] : undefined
  if (name) graph.assign(name, collect([word]))
}
