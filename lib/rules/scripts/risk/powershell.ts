import { spend } from '#rules/budget.ts'
import { normalizeCommandName } from '#rules/scripts/bash/syntax.ts'
import {
  deletesFiles,
  executesComputedText,
  isUnknown,
  needsAdministrator,
  type RiskContext,
  securityService,
  unknownMark,
} from './findings.ts'
import { inOrder } from './patterns.ts'
import {
  getAssignedName,
  type PowershellScript,
  readPowershell,
  type Statement,
  type Token,
} from './powershell-lexer.ts'
import { aliases, findCmdletRules, findMethodRules } from './powershell-rules.ts'
import { protectedRegistryValue } from './program-rules.ts'
import { assessProgram, toWord } from './programs.ts'

const ownFolder = new RegExp(`^${unknownMark}(psscriptroot|pshome|env:|programfiles)`, 'iu')
const createsScriptBlock = inOrder(/scriptblock/i, /create/i)

/** Words before which no command ends and after which one starts. */
const keywords =
  /^(if|elseif|else|while|for|switch|do|until|try|catch|finally|return|throw|begin|process|end|exit|trap|dynamicparam|in|default)$/i
const declarations = /^(function|filter|param|class|enum|using|data|workflow|configuration)$/i

/** Assess a PowerShell script by its commands, methods and comments. */
export function assessPowershell(context: RiskContext, text: string): void {
  const script = readPowershell(text)
  for (const { text: comment, position } of script.comments) {
    context.moveTo(position)
    if (/^#\s*requires\b.*-runasadministrator/i.test(comment))
      context.requireElevation('requires administrator rights')
  }
  const values = collectValues(script)
  const ownAliases = new Map(Object.entries(aliases))
  let before: readonly Token[] = []
  for (const statement of script.statements) {
    assessStatement(context, statement, values, ownAliases, statement.isFed ? before : [])
    before = statement.tokens
  }
}

type Values = ReadonlyMap<string, string[]>

/**
 * The fixed texts of each variable. A variable that also has another value keeps them: each may be a command.
 */
function collectValues({ statements }: PowershellScript): Values {
  const values = new Map<string, string[]>()
  for (const statement of statements) {
    const name = getAssignedName(statement)
      ?.toLowerCase()
      .replace(/^\[.*\]/, '')
    if (!name) continue
    const text = readText(statement.tokens, values)
    if (text !== undefined) values.set(name, [...(values.get(name) ?? []), text].slice(0, 20))
  }
  return values
}

/** Return the text of an expression of strings that are added, joined or formatted. */
function readText(tokens: readonly Token[], values: Values): string | undefined {
  const parts: string[] = []
  for (const token of tokens) {
    if (token.inner) {
      const inner = token.inner.length === 1 ? readText(token.inner[0]?.tokens ?? [], values) : undefined
      if (inner === undefined) return undefined
      parts.push(inner)
    } else if (token.text === '+' || /^-join$/i.test(token.text)) continue
    else if (token.isString || /^[\w.-]+$/.test(token.text)) parts.push(token.text)
    else {
      const [value] = values.get(token.text.toLowerCase()) ?? []
      if (value === undefined) return undefined
      parts.push(value)
    }
  }
  const format = tokens.findIndex(({ text }) => /^-f$/i.test(text))
  if (format > 0) {
    const [pattern = '', ...args] = parts.filter((part) => !/^-f$/i.test(part))
    return pattern.replace(/\{(\d+)\}/g, (_, index) => args[Number(index)] ?? '')
  }
  const replaced = tokens.findIndex(({ text }) => /^-[ci]?replace$/i.test(text))
  if (replaced > 0) return (parts[0] ?? '').replaceAll(parts[2] ?? '\0', parts[3] ?? '')
  return parts.length === 0 ? undefined : parts.join('')
}

/** `source` are the words of the command whose output the statement reads. */
function assessStatement(
  context: RiskContext,
  statement: Statement,
  values: Values,
  ownAliases: Map<string, string>,
  source: readonly Token[],
): void {
  const tokens = skipKeywords(statement.tokens)
  const [first] = tokens
  if (!first) return
  context.moveTo(first.position)
  spend(300 + tokens.length * 50)
  for (const token of tokens) if (token.isCall) assessMethod(context, token, tokens)
  if (tokens.some(({ text }) => /isinrole/i.test(text)) && tokens.length > 0)
    context.requireElevation(`asks for the role of an administrator`)
  if (declarations.test(first.text) && !first.isString) return
  const names = readNames(context, statement, first, values)
  for (const name of names)
    assessCommand(context, name, tokens, { isFed: statement.isFed, values, ownAliases, source })
}

function skipKeywords(tokens: readonly Token[]): readonly Token[] {
  let start = 0
  while (tokens[start] && !tokens[start]?.isString && keywords.test(tokens[start]?.text ?? '')) {
    start++
    while (tokens[start]?.inner) start++
  }
  // The brackets after `foreach`, as in a loop, are no arguments.
  if (/^foreach$/i.test(tokens[start]?.text ?? '') && tokens[start + 1]?.inner) start += 2
  return tokens.slice(start)
}

/** Return the names that the first word may stand for. A value as such is no command. */
function readNames(context: RiskContext, { isInvoked }: Statement, first: Token, values: Values): string[] {
  if (!isInvoked)
    return first.isString ||
      first.inner ||
      /^[[\u{f8ff}\d@-]/u.test(first.text) ||
      (first.text.startsWith('.') && !/^\.{1,2}[\\/]/.test(first.text))
      ? []
      : [first.text]
  if (first.inner) {
    const [inner] = first.inner
    const joined = readText(inner?.tokens ?? [], values)
    const words = first.inner.flatMap((statement) => statement.tokens.map(({ text }) => text))
    // Brackets of a block are executed where they stand, and their statements are read anyway.
    if (joined !== undefined && joined !== '') return [joined, ...words]
    const isLookup =
      /^(get-command|gcm)$/i.test(words[0] ?? '') && words[1] !== undefined && !isUnknown(words[1])
    if (words.length > 0 && !isLookup && inner && readsAsExpression(inner))
      context.add('medium', 'starts a command whose name it computes')
    return words
  }
  if (!isUnknown(first.text)) return [first.text]
  const known = values.get(first.text.toLowerCase())
  if (known) return known
  const file = /[\\/]([\w.-]+)$/.exec(first.text)?.[1]
  if (file) return [file]
  if (!ownFolder.test(first.text)) context.add('medium', 'starts a command whose name it computes')
  context.executed.add(first.text)
  return []
}

const readsAsExpression = ({ tokens: [first] }: Statement) =>
  first !== undefined && (first.isString || isUnknown(first.text) || first.text.startsWith('['))

interface CommandScene {
  isFed: boolean
  values: Values
  ownAliases: Map<string, string>
  source: readonly Token[]
}

function assessCommand(
  context: RiskContext,
  written: string,
  tokens: readonly Token[],
  { isFed, values, ownAliases, source }: CommandScene,
): void {
  const bare = written.replace(/^[\w.]+\\(?=[\w]+-)/, '').toLowerCase()
  const isProgram = /\.(exe|com|cmd|bat|msc|cpl)$/.test(bare) || /[\\/]/.test(bare)
  const name = isProgram ? bare : (ownAliases.get(bare) ?? bare)
  const args = tokens.slice(1).map((token) => resolve(token, values))
  const text = args.join(' ')
  if (/^(get-help|help|man|get-command|gcm|get-alias|gal|write-\w+|echo|out-\w+)$/.test(name)) return
  if (args.some((arg) => /^-(wi|whatif)(:\S*true)?$/i.test(arg))) return
  assessStarters(context, name, args, ownAliases)
  if (name.includes('-') && !isProgram) {
    assessCmdlet(context, name, args, text, isFed)
    const stopped = [...args, ...source.map((token) => token.text)]
    if (
      /^(stop|suspend|remove)-service$/.test(name) &&
      stopped.some((word) => securityService.test(word) || /defender|antivirus|firewall/i.test(word))
    )
      context.add('high', `\`${name}\` disables protection or its log`)
    // Some programs are named like commands, such as `manage-bde`.
    if (name !== 'start-process') assessProgram(context, [name, ...args].map(toWord), isFed)
    return
  }
  context.executed.add(written)
  assessProgram(context, [normalizeCommandName(written), ...args].map(toWord), isFed)
}

function resolve(token: Token, values: Values): string {
  const known = isUnknown(token.text) ? values.get(token.text.toLowerCase()) : undefined
  if (known?.[0] !== undefined) return known[0]
  if (!token.inner) return token.text
  const inner = token.inner.length === 1 ? readText(token.inner[0]?.tokens ?? [], values) : undefined
  return inner ?? unknownMark
}

function assessCmdlet(
  context: RiskContext,
  name: string,
  args: readonly string[],
  text: string,
  isFed: boolean,
): void {
  const title = `\`${name}\``
  if (name === 'remove-item') {
    const targets = args.filter((arg) => !arg.startsWith('-'))
    // Variables, functions and aliases end with the session anyway.
    if (targets.length > 0 && targets.every((target) => /^(env|variable|function|alias):/i.test(target)))
      return
    const isRecursive = args.some((arg) => /^-(r(ec?u?r?s?e?)?(:\S*true)?|rf|fr|r\w*f)$/i.test(arg))
    if (isRecursive || isFed || targets.some((target) => /[*?]|^@/.test(target)))
      context.add('high', `${title} ${deletesFiles}`)
  }
  for (const { risk, reason } of findCmdletRules(name, text)) context.add(risk, `${title} ${reason}`)
  if (isFed)
    for (const { risk, reason } of findCmdletRules(name, `${unknownMark}fed `))
      if (risk === 'high' && reason.includes('given'))
        if (findCmdletRules(name, text).length > 0) context.add(risk, `${title} ${reason}`)
  const isProtected = args.some((arg) => securityService.test(arg))
  if (name === 'set-service' && isProtected && /disabled|stopped/i.test(text))
    context.add('high', `${title} disables protection or its log`)
  if (
    name === 'stop-process' &&
    args.some((arg) =>
      /msmpeng|mssense|falcon|sentinel|sophos|ekrn|avp|csagent|huntress|lsass|winlogon|csrss/i.test(arg),
    )
  )
    context.add('high', `${title} disables protection or its log`)
  if (/^(set|new)-item(property)?$/.test(name) && protectedRegistryValue.test(text))
    context.add('high', `${title} changes settings of the registry that protect the computer`)
  if (name === 'add-type' && /dllimport|typedefinition|memberdefinition/i.test(text))
    context.add('medium', `${title} compiles code`)
  if (/^(set|add)-content$|^out-file$/.test(name) && /drivers[\\/]etc[\\/]hosts/i.test(text))
    context.add('medium', `${title} changes name resolution`)
}

/** Assess what a command executes: text, a program, or another command. */
function assessStarters(
  context: RiskContext,
  name: string,
  args: readonly string[],
  ownAliases: Map<string, string>,
): void {
  switch (name) {
    case 'invoke-expression':
      context.add('high', `\`invoke-expression\` ${executesComputedText}`)
      for (const arg of args) context.assessText('powershell', arg)
      return
    case 'invoke-command':
      if (
        args.some((arg) => /^-(scriptblock|sc\w*)$/i.test(arg)) &&
        args.some((arg) => isUnknown(arg) && createsScriptBlock.test(arg))
      )
        context.add('high', executesComputedText)
      return
    case 'set-alias':
    case 'new-alias': {
      const values = args.filter((arg) => !arg.startsWith('-'))
      const [alias, value] = values
      if (alias && value)
        ownAliases.set(alias.toLowerCase(), aliases[value.toLowerCase()] ?? value.toLowerCase())
      if (
        value &&
        /^(remove|clear|format|disable|stop-computer|restart-computer|invoke-expression)|^(ri|rm|rd|del|erase|iex)$/i.test(
          value,
        )
      )
        context.add('medium', `gives \`${value.toLowerCase()}\` another name`)
      return
    }
    case 'foreach-object': {
      const [member] = args.filter((arg) => !arg.startsWith('-'))
      if (member && !isUnknown(member))
        for (const { risk, reason } of findMethodRules(`.${member}`))
          context.add(risk, `\`${member}\` ${reason}`)
      return
    }
    case 'start-process':
    case 'start-threadjob': {
      if (args.some((arg, index) => /^runas(user)?$/i.test(arg) && /^-v/i.test(args[index - 1] ?? '')))
        context.requireElevation(`\`start-process\` ${needsAdministrator}`)
      const words = args.filter(
        (arg, index) =>
          !/^-(filepath|argumentlist|args|wait|nonewwindow|passthru|verb|windowstyle|workingdirectory|redirect\w*|credential|loaduserprofile|w\w*|f\w*|v\w*|a)$/i.test(
            arg,
          ) &&
          !/^-(verb|v|windowstyle|workingdirectory|redirect\w*|credential)$/i.test(args[index - 1] ?? ''),
      )
      if (words[0]) context.executed.add(words[0])
      // The arguments of a program may be one string.
      assessProgram(
        context,
        [normalizeCommandName(words[0] ?? ''), ...words.slice(1).flatMap(splitArguments)].map(toWord),
      )
      return
    }
    case 'invoke-webrequest':
    case 'start-bitstransfer':
    case 'invoke-restmethod':
      for (const [index, arg] of args.entries()) {
        if (/^-(o\w*|dest\w*)$/i.test(args[index - 1] ?? '')) context.downloads.add(arg)
        if (name === 'start-bitstransfer' && !arg.startsWith('-') && !/^https?:/i.test(arg))
          context.downloads.add(arg)
      }
      return
    case 'invoke-item':
    case 'ii':
    case 'import-module':
    case 'ipmo':
    case 'expand-archive':
    case 'unblock-file':
      for (const arg of args) context.executed.add(arg)
      return
    case 'register-scheduledtask':
    case 'new-service':
    case 'new-scheduledtaskaction':
      for (const arg of args.filter((value) => /\s/.test(value))) context.assessText('cmd', arg)
      return
  }
}

/** Split the arguments of a program. A text in quotes stays whole. */
function splitArguments(text: string): string[] {
  return text.match(/"[^"]*"|'[^']*'|[^\s"']+/g)?.map((part) => part.replace(/^["']|["']$/g, '')) ?? []
}

function assessMethod(context: RiskContext, token: Token, tokens: readonly Token[]): void {
  const name = token.text.replaceAll(unknownMark, '$')
  for (const { risk, reason } of findMethodRules(name))
    context.add(risk, `\`${/(?<!\w)\w+$/.exec(name)?.[0] ?? name}\` ${reason}`)
  const next = tokens[tokens.indexOf(token) + 1]
  const args = next?.inner?.flatMap((statement) => statement.tokens.map(({ text }) => text)) ?? []
  if (
    /\.invoke$/i.test(name) &&
    args.some((arg) => /^(setpassword|changepassword|delete|reboot|win32shutdown)$/i.test(arg))
  )
    context.add('medium', 'changes an account or the computer')
  if (/\.(shellexecute|run|exec)$|process\]?::start$/i.test(name)) {
    if (args.some((arg) => /^runas$/i.test(arg)))
      context.requireElevation(`\`${/(?<!\w)\w+$/.exec(name)?.[0]}\` ${needsAdministrator}`)
    for (const arg of args) context.executed.add(arg)
    assessProgram(context, args.flatMap(splitArguments).map(toWord))
  }
  if (/\.downloadfile(async|taskasync)?$/i.test(name)) for (const arg of args) context.downloads.add(arg)
}
