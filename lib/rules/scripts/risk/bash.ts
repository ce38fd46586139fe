import { spend } from '#rules/budget.ts'
import { createReader, readText } from '#rules/scripts/bash/read-text.ts'
import { UnreadableScriptError } from '#rules/scripts/bash/reader.ts'
import { shells } from '#rules/scripts/bash/rules.ts'
import {
  type Command,
  createShellScript,
  getCommandName,
  getStaticText,
  normalizeCommandName,
  type ShellScript,
  type Word,
} from '#rules/scripts/bash/syntax.ts'
import { unwrapAll } from '#rules/scripts/bash/wrappers.ts'
import { executesDownload, type RiskContext, unknownMark } from './findings.ts'
import { assessProgram, isDecoder, toText, toWord } from './programs.ts'

/** Assess a shell script. What the parser does not follow is read line by line. */
export function assessBash(context: RiskContext, text: string): void {
  const result = createShellScript()
  const marked = { text, placeholderByMark: new Map<number, never>() }
  const reader = createReader(marked, result, { knowsExtendedGlobs: true })
  let isRead = true
  try {
    readText(reader, text)
  } catch (error) {
    if (!(error instanceof UnreadableScriptError || error instanceof RangeError)) throw error
    isRead = false
    context.add('medium', 'cannot be read to its end, so it may do more than is listed')
    assessLines(context, text)
  }
  assessCommands(context, result, isRead)
}

/** Read a script without its syntax: each part between operators is a command. */
function assessLines(context: RiskContext, text: string): void {
  spend(text.length * 50)
  let position = 0
  for (const line of text.split('\n')) {
    context.moveTo(position)
    position += line.length + 1
    if (/^\s*#/.test(line)) continue
    for (const part of line.split(/&&|\|\||[;|&(){}`]|\b(?:then|do|else)\b/)) {
      const words =
        part
          .match(/"[^"]*"|'[^']*'|[^\s"']+/g)
          ?.map((word) => word.replace(/["'\\]/g, '').replace(/\$\{?(\w+)\}?/g, `${unknownMark}$1`)) ?? []
      const start = words.findIndex((word) => !/^[A-Za-z_]\w*=|^(if|while|until|!|\$)$/.test(word))
      if (start >= 0) assessProgram(context, words.slice(start).map(toWord))
    }
  }
}

const diskTarget = /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|md|dm-|loop)/
const accountFile =
  /^\/etc\/(passwd|shadow|group|gshadow|sudoers)|authorized_keys|^\/etc\/(pam\.d|security)\//
const bootFile = /^\/(boot|efi)\/|^\/etc\/(fstab|default\/grub|crypttab)|^\/proc\/sysrq-trigger/
const writers = /^(tee|sed|cp|mv|install|ln|dd|ed|ex|perl|sponge|patch|chmod|chown|rm)$/

function assessCommands(context: RiskContext, script: ShellScript, isRead: boolean): void {
  const { commands, functionNames } = script
  const valuesByName = collectValues(script)
  const temporary = collectTemporaryNames(script)
  const runsArguments = commands.some(({ words: [first] }) => first && /^\u{f8ff}[@*1]$/u.test(toText(first)))
  const hasPipedDownload = commands.some(
    ({ isPiped, words: [first] }) => isPiped && isDecoder(getCommandName(first) ?? ''),
  )
  const isFixedPipe = commands.every((command) => !command.isPiped || isFixed(command))
  for (const command of commands) {
    const { words, position, redirections, isFed, isPiped, kind } = command
    context.moveTo(position)
    spend(300)
    if (kind === 'test') {
      assessTest(context, words)
      continue
    }
    assessTest(context, words)
    for (const { operator, word } of redirections)
      if (/>/.test(operator) && !/^<|&\d?$/.test(operator)) assessWrite(context, toText(word), words)
    const names = (unwrapAll(words) ?? []).map(([first]) => getCommandName(first) ?? '')
    if (names.some((name) => writers.test(name)))
      for (const word of words.slice(1)) assessWrite(context, toText(word), words, true)
    if (names.some(isDecoder) || (isFed && hasPipedDownload))
      for (const target of listOutputs(command, names)) context.downloads.add(target)
    if (isTemporaryCleanup(words, names, temporary)) continue
    const inputs = redirections.filter(({ operator }) => operator.startsWith('<<')).map(({ word }) => word)
    const startsShell = names.some(
      (name) => shells.has(name) || /^(python[\d.]*|pwsh|perl|ssh|at|batch)$/.test(name),
    )
    if (startsShell)
      for (const input of inputs)
        context.assessText(names.some((name) => /^python/.test(name)) ? 'python' : 'bash', toText(input))
    if (names.includes('at') && isFed) assessPipedTexts(context, commands)
    if (isFed && startsShell && isFixedPipe) assessPipedTexts(context, commands)
    if (
      words.some((word) => readsDownload(word)) &&
      (startsShell || names.some((name) => /^(eval|source|\.)$/.test(name)))
    )
      context.add('high', executesDownload)
    for (const expanded of expand(words, valuesByName))
      assessProgram(context, expanded, isFed && !isFixedPipe)
    const name = names[0] ?? ''
    if (runsArguments && functionNames.has(name)) assessProgram(context, words.slice(1), isFed)
    if (
      isRead &&
      isPiped &&
      isDecoder(name) &&
      commands.some((other) => other.isFed && shells.has(getCommandName(other.words[0]) ?? ''))
    )
      context.add('high', executesDownload)
  }
}

/** The separator of words, written as a variable. */
const ifs = `${unknownMark}IFS`

/**
 * Commands that are given the name of a variable read it whatever its value. Each fixed value of the variable
 * may be the name.
 */
function expand(words: readonly Word[], valuesByName: ReadonlyMap<string, string[]>): (readonly Word[])[] {
  const [first] = words
  const text = first ? toText(first) : ''
  if (text.includes(ifs))
    return [[...text.replaceAll(ifs, ' ').split(' ').filter(Boolean).map(toWord), ...words.slice(1)]]
  // Such as `{rm,-rf,/srv}`, which the shell makes three words of.
  const braces = /^\{(.[^,]*,.+)\}$/s.exec(text)?.[1]
  if (braces) return [[...braces.split(',').map(toWord), ...words.slice(1)]]
  if (!text.includes(unknownMark)) return [[toWord(text), ...words.slice(1)]]
  const [part, ...others] = first?.parts.filter((inner) => inner.kind !== 'text' || inner.text !== '') ?? []
  if (part?.kind !== 'variable' || others.length > 0) return [words]
  const values = valuesByName.get(part.name)
  if (!values || values.length === 0) return [words]
  return values
    .slice(0, 20)
    .map((value) => [...value.split(/\s+/).filter(Boolean).map(toWord), ...words.slice(1)])
}

function collectValues({ commands }: ShellScript): ReadonlyMap<string, string[]> {
  const values = new Map<string, string[]>()
  const unknown = new Set<string>()
  for (const { assignments } of commands)
    for (const { name, value } of assignments)
      for (const word of value) {
        const text = getStaticText(word)
        if (text === undefined) unknown.add(name)
        else values.set(name, [...(values.get(name) ?? []), text].slice(0, 20))
      }
  for (const name of unknown) if (!values.get(name)?.length) values.delete(name)
  return values
}

function collectTemporaryNames({ commands }: ShellScript): ReadonlySet<string> {
  const names = new Map<string, boolean>()
  for (const { assignments } of commands)
    for (const { name, value } of assignments) {
      const isTemporary = value.every(
        ({ parts }) =>
          parts.filter((part) => part.kind !== 'text' || part.text !== '').length === 1 &&
          parts.every((part) =>
            part.kind === 'substitution'
              ? part.commands.every(({ words: [first] }) => getCommandName(first) === 'mktemp')
              : part.kind === 'text',
          ),
      )
      names.set(name, isTemporary && value.length > 0 && (names.get(name) ?? true))
    }
  return new Set([...names].flatMap(([name, isTemporary]) => (isTemporary && name ? [name] : [])))
}

/** Whether a command deletes only what `mktemp` made for the script. */
function isTemporaryCleanup(
  words: readonly Word[],
  names: readonly string[],
  temporary: ReadonlySet<string>,
): boolean {
  const isTemporary = (text: string) => temporary.has(/^\u{f8ff}(\w+)(?![\w]|.*\.\.)/u.exec(text)?.[1] ?? '')
  if (names.length === 1 && names[0] === 'rm') {
    const targets = words
      .slice(1)
      .map(toText)
      .filter((text) => !text.startsWith('-'))
    return targets.length > 0 && targets.every(isTemporary)
  }
  const [, first] = words
  if (names.length !== 1 || names[0] !== 'trap' || !first) return false
  const target = /^rm (?:-\w+ )*(?:-- )?"?(?:\$\{?|\u{f8ff})(\w+)\}?"?;?$/u.exec(toText(first).trim())?.[1]
  return target !== undefined && temporary.has(target)
}

function isFixed({ words, isFed }: Command): boolean {
  return (
    !isFed &&
    /^(echo|printf)$/.test(getCommandName(words[0]) ?? '') &&
    words.every((word) => getStaticText(word) !== undefined)
  )
}

function assessPipedTexts(context: RiskContext, commands: readonly Command[]): void {
  for (const { isPiped, words } of commands)
    if (isPiped && /^(echo|printf)$/.test(getCommandName(words[0]) ?? ''))
      context.assessText(
        'bash',
        words
          .slice(1)
          .map(toText)
          .filter((text) => !/^-[neE]+$/.test(text))
          .join(' '),
      )
}

/** The files that a command writes its output to. */
function listOutputs({ words, redirections }: Command, names: readonly string[]): string[] {
  const targets = redirections
    .filter(({ operator }) => operator.includes('>'))
    .map(({ word }) => toText(word))
  return names.includes('tee') ? [...targets, ...words.slice(1).map(toText)] : targets
}

function readsDownload({ parts }: Word): boolean {
  return parts.some(
    (part) =>
      (part.kind === 'substitution' &&
        part.commands.some(({ words: [first] }) => isDecoder(getCommandName(first) ?? ''))) ||
      (part.kind === 'variable' && readsDownload({ parts: part.parts })),
  )
}

function assessWrite(context: RiskContext, target: string, words: readonly Word[], isArgument = false): void {
  const name = normalizeCommandName(words[0] ? toText(words[0]) : '')
  if (diskTarget.test(target) && !(isArgument && /^(sed|chmod|chown|ln)$/.test(name)))
    context.add('high', 'overwrites a disk')
  if (accountFile.test(target)) context.add('high', 'writes a file that decides who may sign in')
  if (bootFile.test(target)) context.add('high', 'changes how the computer starts or stops')
  const isEmptied =
    words.length === 0 ||
    name === ':' ||
    name === 'true' ||
    (name === 'cat' && words.some((word) => toText(word) === '/dev/null'))
  if (!isArgument && isEmptied && !/^\/dev\/|^\/tmp\//.test(target)) context.add('medium', 'empties a file')
}

/** A script that ends for everybody but root asks for administrator rights. */
function assessTest(context: RiskContext, words: readonly Word[]): void {
  const text = words.map(toText).join(' ')
  const asksId = words.some(({ parts }) =>
    parts.some((part) => part.kind === 'substitution' && part.commands.some(isAskingId)),
  )
  if ((asksId || /\u{f8ff}(EUID|UID)\b/u.test(text)) && /(^| )0( |$)/.test(text))
    context.requireElevation('asks whether it runs as root')
}

function isAskingId({ words: [first, option] }: Command): boolean {
  return getCommandName(first) === 'id' && option !== undefined && toText(option) === '-u'
}
