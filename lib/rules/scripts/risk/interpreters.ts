import { shells } from '#rules/scripts/bash/rules.ts'
import {
  executesComputedText,
  executesDownload,
  needsAdministrator,
  type RiskContext,
  type TextLanguage,
  unknownMark,
} from './findings.ts'

// The text that a program executes: in its arguments, in a file or on its standard input.

/** A program that starts, with its arguments as texts. `isFed`: it reads a text that is not in the script. */
export interface Invocation {
  context: RiskContext
  name: string
  texts: readonly string[]
  isFed: boolean
}

type Assess = (invocation: Invocation) => void

/** Report what a program executes, if it is one that executes text. */
export function assessExecutedText(invocation: Invocation): void {
  const { name } = invocation
  const assess = Object.hasOwn(assessors, name) ? assessors[name] : undefined
  if (assess) assess(invocation)
  else if (shells.has(name)) assessInterpreter(invocation, 'bash', /^-[a-z]*c$/)
  else if (otherInterpreter.test(removeVersion(name))) assessOtherInterpreter(invocation)
}

const assessPython: Assess = (invocation) => assessInterpreter(invocation, 'python', /^-\w*c$/)
const assessScriptHost: Assess = ({ context, name, texts }) => {
  if (/https?:|javascript:|vbscript:/i.test(texts.join(' ')))
    context.add('high', `\`${name}\` ${executesDownload}`)
}
const assessEvaluation: Assess = (invocation) => assessText(invocation, 'bash', invocation.texts.join(' '))
const assessSourcedFile: Assess = ({ context, texts: [file] }) => {
  if (file) context.executed.add(file)
}
const assessUserSwitch: Assess = (invocation) => {
  const command = joinAfter(invocation.texts, /^(-\w*c|--command)$/)
  if (command !== undefined) assessText(invocation, 'bash', command)
}

const assessors: Readonly<Record<string, Assess>> = {
  eval: assessEvaluation,
  iex: assessEvaluation,
  source: assessSourcedFile,
  '.': assessSourcedFile,
  trap: ({ context, texts: [first, second] }) => {
    if (first !== undefined) context.assessText('bash', first === '--' ? (second ?? '') : first)
  },
  su: assessUserSwitch,
  runuser: assessUserSwitch,
  ssh: assessRemoteShell,
  plink: assessRemoteShell,
  mosh: assessRemoteShell,
  rsh: assessRemoteShell,
  forfiles: ({ context, texts }) => {
    const command = joinAfter(texts, /^\/c$/i)
    if (command !== undefined) context.assessText('cmd', command.replace(/^cmd \/c /i, ''))
  },
  schtasks: ({ context, texts }) => {
    const command = joinAfter(texts, /^\/tr$/i)
    if (command !== undefined) context.assessText('cmd', command)
  },
  mshta: assessScriptHost,
  regsvr32: assessScriptHost,
  wscript: assessScriptHost,
  cscript: assessScriptHost,
  cmd: (invocation) => {
    const command = joinAfter(invocation.texts, /^\/[ckr]$/i)
    if (command !== undefined) assessText(invocation, 'cmd', command)
  },
  pwsh: assessPowerShell,
  powershell: assessPowerShell,
  python: assessPython,
  python2: assessPython,
  python3: assessPython,
  py: assessPython,
}

const startsUnknown = new RegExp(`^["']?${unknownMark}`, 'u')

/** Assess a text that a program executes, and report one that starts with something unknown. */
function assessText({ context, name }: Invocation, language: TextLanguage, text: string): void {
  if (startsUnknown.test(text.trim())) context.add('high', `\`${name}\` ${executesComputedText}`)
  context.assessText(language, text)
}

/** Return the arguments after an option as one text. */
function joinAfter(texts: readonly string[], option: RegExp): string | undefined {
  const at = texts.findIndex((text) => option.test(text))
  return at < 0 ? undefined : texts.slice(at + 1).join(' ')
}

const sshOptionWithValue = /^-[bcDEeFIiJLlmOopQRSWw]$/

/** The first argument that is no option is the host, and the others are a command there. */
function assessRemoteShell(invocation: Invocation): void {
  const { texts } = invocation
  const host = texts.findIndex(
    (text, index) => !text.startsWith('-') && !sshOptionWithValue.test(texts[index - 1] ?? ''),
  )
  if (host >= 0 && texts.length > host + 1) assessText(invocation, 'bash', texts.slice(host + 1).join(' '))
}

// The options of powershell.exe may be shortened:
// https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_pwsh
const powerShellOptions = {
  encodedCommand: /^[-/]e(c|nc?\w*)?$/i,
  command: /^[-/]c(o\w*)?$/i,
  file: /^[-/]f/i,
  withValue: /^[-/](ex\w*|ep|v\w*|w\w*|in\w*|o\w*|f\w*|ps\w*|config\w*)$/i,
}

function assessPowerShell(invocation: Invocation) {
  const { context, name, texts } = invocation
  const { encodedCommand, command, file, withValue } = powerShellOptions
  if (texts.some((text) => encodedCommand.test(text)))
    context.add('high', `\`${name}\` executes encoded text`)
  // Of a Start-Process in the arguments.
  if (texts.some((text, index) => /^[-/]verb$/i.test(text) && /runas/i.test(texts[index + 1] ?? '')))
    context.requireElevation(`\`${name}\` ${needsAdministrator}`)
  const text = joinAfter(texts, command)
  if (text !== undefined) return assessText(invocation, 'powershell', text)
  const first = texts.findIndex(
    (argument, index) => !/^[-/]/.test(argument) && !withValue.test(texts[index - 1] ?? ''),
  )
  if (first >= 0 && !texts.some((argument) => file.test(argument)))
    return assessText(invocation, 'powershell', texts.slice(first).join(' '))
  assessInterpreter(invocation, 'powershell', /^-c$/)
}

/** Assess the text after `option`, the file in the first argument, or else what the interpreter is fed. */
function assessInterpreter(invocation: Invocation, language: TextLanguage, option: RegExp) {
  const { context, name, texts, isFed } = invocation
  const at = texts.findIndex((text) => option.test(text))
  if (at >= 0) return assessText(invocation, language, texts[at + 1] ?? '')
  const file = texts.find((text) => !text.startsWith('-') && text !== '')
  if (file !== undefined) context.executed.add(file)
  else if (isFed && !texts.some((text) => /^(-m|--version|-V|-n|--help)$/.test(text)))
    context.add('high', `\`${name}\` ${executesComputedText}`)
}

const otherInterpreter = /^(perl|ruby|node|nodejs|php|lua|tclsh|deno|bun|osascript|awk|gawk|mawk)$/
/** Commands of other interpreters that delete files or start programs. */
const startsPrograms =
  /\b(unlink|rmtree|rmSync|rm_rf|rmdir|system|exec|execSync|spawn|popen|child_process|shell script|passthru|shell_exec|remove_tree|FileUtils)\b|`/
const evalOption = /^(-\w*[er]|--eval|-p)$/

const removeVersion = (name: string) => name.replace(/(?<![\d.])[\d.]+$/, '')

/** Assess a script in a language that nothing here reads, by the names in it. */
function assessOtherInterpreter({ context, name, texts, isFed }: Invocation): void {
  const isAwk = /awk/.test(name)
  const code = texts.filter((_, index) => isAwk || evalOption.test(texts[index - 1] ?? '')).join('\n')
  if (startsPrograms.test(code)) {
    context.add('medium', `\`${name}\` deletes files or starts programs`)
    for (const [, quoted] of code.matchAll(/["'`]([^"'`]{2,2000})["'`]/g))
      context.assessText('bash', quoted as string)
  }
  // Awk has its script in its first argument.
  if (isAwk) return
  if (isFed && texts.every((text) => text.startsWith('-') && text !== '-e'))
    context.add('high', `\`${name}\` ${executesComputedText}`)
  if (texts[0] && !texts[0].startsWith('-')) context.executed.add(texts[0])
}
