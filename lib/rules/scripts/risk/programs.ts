import { spend } from '#rules/budget.ts'
import { shells } from '#rules/scripts/bash/rules.ts'
import { createText, getCommandName, type Word } from '#rules/scripts/bash/syntax.ts'
import { unwrapAll, unwrapCommand } from '#rules/scripts/bash/wrappers.ts'
import {
  executesComputedText,
  executesDownload,
  isUnknown,
  needsAdministrator,
  type RiskContext,
  type TextLanguage,
  unknownMark,
} from './findings.ts'
import { findProgramRules } from './program-rules.ts'

// A program with its arguments, whatever language starts it.

/** Return the text of a word, with marks for what only the running script knows. */
export function toText({ parts }: Word): string {
  return parts
    .map((part) => {
      if (part.kind === 'text') return part.text
      return part.kind === 'variable'
        ? unknownMark + part.name
        : part.kind === 'arithmetic'
          ? '1'
          : unknownMark
    })
    .join('')
}

/** Return a word of a text. The name of a variable that it starts with, or is, stays known. */
export function toWord(text: string): Word {
  const parts = text.split(unknownMark)
  return {
    parts: parts.flatMap((part, index) => {
      if (index === 0) return part ? [createText(part)] : []
      const name = /^[\w@*]*/.exec(part)?.[0] ?? ''
      const rest = part.slice(name.length)
      return [{ kind: 'variable' as const, name, parts: [] }, ...(rest ? [createText(rest)] : [])]
    }),
  }
}

const interpreterLanguages: Readonly<Record<string, TextLanguage>> = {
  python: 'python',
  python2: 'python',
  python3: 'python',
  py: 'python',
  pwsh: 'powershell',
  powershell: 'powershell',
  cmd: 'cmd',
}
const otherInterpreter = /^(perl|ruby|node|nodejs|php|lua|tclsh|deno|bun|osascript|awk|gawk|mawk)$/
/** Commands of other interpreters that delete files or start programs. */
const startsPrograms =
  /\b(unlink|rmtree|rmSync|rm_rf|rmdir|system|exec|execSync|spawn|popen|child_process|shell script|passthru|shell_exec|remove_tree|FileUtils)\b|`/
/** Programs that start the program in their arguments, after options that nobody lists here. */
const starters =
  /^(parallel|watch|runuser|psexec|psexec64|paexec|start|start-stop-daemon|nsenter|setpriv|chronic|unbuffer|script|gsudo|pkexec|run0|firejail|proot|fakeroot|cgexec|numactl|time|rtk|caffeinate|lxc|lxc-attach|machinectl|systemd-nspawn|ionice|setarch|pipenv|poetry|uv|npx|winpty|call|then|do|torsocks|sshpass|expect|wsl|entr)$/
const remoteShells = /^(ssh|plink|mosh|rsh)$/
const downloaders = /^(curl|wget|aria2c|axel|certutil|bitsadmin|scp|sftp|ftp|tftp|fetch|lwp-download)$/
const decoders = /^(base64|xxd|openssl|gunzip|zcat|uudecode|rev|tr|base32)$/
const maxNesting = 8

/** Report what a program can do, and the programs that it starts. */
export function assessProgram(context: RiskContext, words: readonly Word[], isFed = false, nesting = 0) {
  spend(200 + words.length * 100)
  if (nesting > maxNesting) return context.add('high', executesComputedText)
  const commands = unwrapAll(words)
  if (!commands) return context.add('high', executesComputedText)
  for (const [index, command] of commands.entries()) {
    const name = getCommandName(command[0])
    if (name === undefined) assessUnknownName(context, command)
    else
      assessCommand(context, name, command.slice(1), {
        isFed,
        wrapper: getCommandName(commands[index - 1]?.[0]),
        nesting,
      })
    // The words after an option that is not known may be its value or the command.
    if (unwrapCommand(command)?.isUncertain)
      for (let at = 2; at < Math.min(command.length, 12); at++)
        assessProgram(context, command.slice(at), isFed, maxNesting)
  }
}

function assessUnknownName(context: RiskContext, [first]: readonly Word[]): void {
  const text = first ? toText(first) : ''
  // The path of a program in a folder that is not known, or all arguments of a function.
  const name = /[/\\]([\w.-]+)$/.exec(text)?.[1]
  context.executed.add(text)
  if (name || [`${unknownMark}@`, `${unknownMark}*`].includes(text)) return
  if (isUnknown(text)) context.add('medium', 'starts a program whose name it computes')
}

interface Started {
  isFed: boolean
  wrapper: string | undefined
  nesting: number
}

function assessCommand(
  context: RiskContext,
  name: string,
  args: readonly Word[],
  { isFed, wrapper, nesting }: Started,
): void {
  const texts = args.map(toText)
  const text = texts.join(' ')
  const isAskedForHelp = /^(help|man|which|type|whatis|apropos)$/.test(name)
  if (isAskedForHelp) return
  for (const { risk, reason } of findProgramRules(name, text)) {
    if (risk === 'elevation') context.requireElevation(`\`${name}\` ${reason}`)
    else context.add(risk, `\`${name}\` ${reason}`)
  }
  if (
    /^(rm|unlink|del|erase)$/.test(name) &&
    (wrapper === 'xargs' || wrapper === 'find' || wrapper === 'parallel')
  )
    context.add('high', `\`${name}\` deletes every file that it is given`)
  assessExecutedText(context, name, texts, isFed)
  assessDownload(context, name, texts)
  if (name === 'env' || name === 'xargs')
    for (const inner of splitStrings(texts)) context.assessText('bash', inner)
  if (starters.test(name))
    for (let at = 0; at < Math.min(args.length, 8); at++)
      if (!texts[at]?.startsWith('-')) assessProgram(context, args.slice(at), isFed, nesting + 1)
  if (/^(alias|doskey)$/.test(name))
    for (const value of texts) context.assessText('bash', value.replace(/^[^=]*=/, ''))
}

function splitStrings(texts: readonly string[]): string[] {
  return texts.flatMap((text, index) => {
    const value = /^(?:-\w*S|--split-string=?)(.*)$/s.exec(text)
    return value ? [value[1] || (texts[index + 1] ?? '')] : []
  })
}

/** Assess the text that an interpreter executes: in its arguments or on its standard input. */
function assessExecutedText(context: RiskContext, name: string, texts: readonly string[], isFed: boolean) {
  const assess = (language: TextLanguage, text: string) => {
    if (new RegExp(`^["']?${unknownMark}`, 'u').test(text.trim()))
      context.add('high', `\`${name}\` ${executesComputedText}`)
    context.assessText(language, text)
  }
  if (name === 'eval' || name === 'iex') return assess('bash', texts.join(' '))
  if (name === 'trap')
    return texts[0] === undefined
      ? undefined
      : context.assessText('bash', texts[0] === '--' ? (texts[1] ?? '') : texts[0])
  if (/^(source|\.)$/.test(name)) {
    if (texts[0]) context.executed.add(texts[0])
    return
  }
  if (name === 'su' || name === 'runuser')
    return assessOption(texts, /^(-\w*c|--command)$/, (text) => assess('bash', text))
  if (remoteShells.test(name)) {
    const at = texts.findIndex(
      (text, index) => !text.startsWith('-') && !/^-[bcDEeFIiJLlmOopQRSWw]$/.test(texts[index - 1] ?? ''),
    )
    if (at >= 0 && texts.length > at + 1) assess('bash', texts.slice(at + 1).join(' '))
    return
  }
  if (name === 'forfiles')
    return assessOption(texts, /^\/c$/i, (text) => context.assessText('cmd', text.replace(/^cmd \/c /i, '')))
  if (name === 'schtasks') return assessOption(texts, /^\/tr$/i, (text) => context.assessText('cmd', text))
  if (name === 'mshta' || name === 'regsvr32' || name === 'wscript' || name === 'cscript') {
    if (/https?:|javascript:|vbscript:/i.test(texts.join(' ')))
      context.add('high', `\`${name}\` ${executesDownload}`)
    return
  }
  if (shells.has(name)) return assessInterpreter(context, name, 'bash', texts, /^-[a-z]*c$/, isFed, assess)
  const language = Object.hasOwn(interpreterLanguages, name) ? interpreterLanguages[name] : undefined
  if (language === 'cmd') {
    const at = texts.findIndex((text) => /^\/[ckr]$/i.test(text))
    return at < 0 ? undefined : assess('cmd', texts.slice(at + 1).join(' '))
  }
  if (language === 'powershell') {
    const encoded = texts.findIndex((text) => /^[-/]e(c|nc?\w*)?$/i.test(text))
    if (encoded >= 0) context.add('high', `\`${name}\` executes encoded text`)
    if (texts.some((text, index) => /^[-/]verb$/i.test(text) && /runas/i.test(texts[index + 1] ?? '')))
      context.requireElevation(`\`${name}\` ${needsAdministrator}`)
    const at = texts.findIndex((text) => /^[-/]c(o\w*)?$/i.test(text))
    if (at >= 0) return assess('powershell', texts.slice(at + 1).join(' '))
    const first = texts.findIndex(
      (text, index) =>
        !/^[-/]/.test(text) &&
        !/^[-/](ex\w*|ep|v\w*|w\w*|in\w*|o\w*|f\w*|ps\w*|config\w*)$/i.test(texts[index - 1] ?? ''),
    )
    if (first >= 0 && !texts.some((text) => /^[-/]f/i.test(text)))
      return assess('powershell', texts.slice(first).join(' '))
    return assessInterpreter(context, name, 'powershell', texts, /^-c$/, isFed, assess)
  }
  if (language) return assessInterpreter(context, name, language, texts, /^-\w*c$/, isFed, assess)
  const base = name.replace(/[\d.]+$/, '')
  if (otherInterpreter.test(base)) {
    const code = texts
      .filter((_, index) => /awk/.test(base) || /^(-\w*[er]|--eval|-p)$/.test(texts[index - 1] ?? ''))
      .join('\n')
    if (startsPrograms.test(code)) {
      context.add('medium', `\`${name}\` deletes files or starts programs`)
      for (const [, quoted] of code.matchAll(/["'`]([^"'`]{2,2000})["'`]/g))
        context.assessText('bash', quoted as string)
    }
    if (isFed && !/awk/.test(base) && texts.every((text) => text.startsWith('-') && text !== '-e'))
      context.add('high', `\`${name}\` ${executesComputedText}`)
    if (texts[0] && !texts[0].startsWith('-') && !/awk/.test(base)) context.executed.add(texts[0])
  }
}

function assessOption(texts: readonly string[], option: RegExp, assess: (text: string) => void): void {
  const at = texts.findIndex((text) => option.test(text))
  if (at >= 0) assess(texts.slice(at + 1).join(' '))
}

function assessInterpreter(
  context: RiskContext,
  name: string,
  language: TextLanguage,
  texts: readonly string[],
  option: RegExp,
  isFed: boolean,
  assess: (language: TextLanguage, text: string) => void,
) {
  const at = texts.findIndex((text) => option.test(text))
  if (at >= 0) return assess(language, texts[at + 1] ?? '')
  const file = texts.find((text) => !text.startsWith('-') && text !== '')
  if (file !== undefined) context.executed.add(file)
  else if (isFed && !texts.some((text) => /^(-m|--version|-V|-n|--help)$/.test(text)))
    context.add('high', `\`${name}\` ${executesComputedText}`)
}

/** Remember the files that a program downloads, and those that it makes executable. */
function assessDownload(context: RiskContext, name: string, texts: readonly string[]): void {
  if (downloaders.test(name)) {
    for (const [index, text] of texts.entries()) {
      const output = /^(?:--output(?:-document)?=|-[a-zA-Z]*[oO](?=[^\s]))(.+)$/s.exec(text)?.[1]
      if (output) context.downloads.add(output)
      if (/^(-\w*[oO]|--output|--output-document|--out)$/.test(texts[index - 1] ?? ''))
        context.downloads.add(text)
      const url = /^["']?(?:https?|ftp):\/\/\S*\/([^/?#\s]+)/.exec(text)?.[1]
      if (url && !texts.includes('-I') && !texts.includes('--head')) context.downloads.add(url)
      if (/^(certutil|bitsadmin|scp|tftp)$/.test(name) && !/^[-/]/.test(text)) context.downloads.add(text)
    }
    return
  }
  if (name === 'chmod' && /(^| )\S*(\+\w*x|7\d\d|5\d\d)/.test(texts.join(' ')))
    for (const text of texts) context.executed.add(text)
  if (
    /^(msiexec|dpkg|rpm|apt|apt-get|yum|dnf|installer|open|start|explorer|rundll32|regsvr32|regedit|wusa|add-appxpackage)$/.test(
      name,
    )
  )
    for (const text of texts) context.executed.add(text)
}

/** Whether a pipeline feeds text into an interpreter that is not written in the script. */
export function isDecoder(name: string): boolean {
  return decoders.test(name) || downloaders.test(name)
}

/**
 * Report that a file which is downloaded is executed. Paths may be written in different ways, so the last
 * part of each counts.
 */
export function assessDownloads(context: RiskContext) {
  const names = new Set([...context.downloads].map(toFileName).filter((name) => name !== '' && name !== '-'))
  for (const text of context.executed)
    if (names.has(toFileName(text))) return context.add('high', executesDownload)
}

const toFileName = (path: string) =>
  path
    .trim()
    .replace(/^["']|["']$/g, '')
    .replace(/^.*[/\\]/s, '')
    .toLowerCase()
