import { spend } from '#rules/budget.ts'
import { createText, getCommandName, type Word } from '#rules/scripts/bash/syntax.ts'
import { unwrapAll, unwrapCommand } from '#rules/scripts/bash/wrappers.ts'
import {
  executesComputedText,
  executesDownload,
  isUnknown,
  type RiskContext,
  unknownMark,
} from './findings.ts'
import { assessExecutedText } from './interpreters.ts'
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

/** Programs that start the program in their arguments, after options that nobody lists here. */
const starters =
  /^(parallel|watch|runuser|psexec|psexec64|paexec|start|start-stop-daemon|nsenter|setpriv|chronic|unbuffer|script|gsudo|pkexec|run0|firejail|proot|fakeroot|cgexec|numactl|time|rtk|caffeinate|lxc|lxc-attach|machinectl|systemd-nspawn|ionice|setarch|pipenv|poetry|uv|npx|winpty|call|then|do|torsocks|sshpass|expect|wsl|entr)$/
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
  if (/^(help|man|which|type|whatis|apropos)$/.test(name)) return
  for (const { risk, reason } of findProgramRules(name, text)) {
    if (risk === 'elevation') context.requireElevation(`\`${name}\` ${reason}`)
    else context.add(risk, `\`${name}\` ${reason}`)
  }
  if (/^(rm|unlink|del|erase)$/.test(name) && /^(xargs|find|parallel)$/.test(wrapper ?? ''))
    context.add('high', `\`${name}\` deletes every file that it is given`)
  assessExecutedText({ context, name, texts, isFed })
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

const joinedOutputOption = /^(?:--output(?:-document)?=|-[a-zA-Z]*[oO](?=[^\s]))(.+)$/s
const outputOption = /^(-\w*[oO]|--output|--output-document|--out)$/
const addressOfFile = /^["']?(?:https?|ftp):\/\/\S*\/([^/?#\s]+)/
const executableMode = /(^| )\S*(\+\w*x|7\d\d|5\d\d)/
/** Programs that install or open the files in their arguments. */
const installers =
  /^(msiexec|dpkg|rpm|apt|apt-get|yum|dnf|installer|open|start|explorer|rundll32|regsvr32|regedit|wusa|add-appxpackage)$/

/** Remember the files that a program downloads, and those that it makes executable. */
function assessDownload(context: RiskContext, name: string, texts: readonly string[]): void {
  if (downloaders.test(name)) {
    for (const [index, text] of texts.entries()) {
      const output = joinedOutputOption.exec(text)?.[1]
      if (output) context.downloads.add(output)
      if (outputOption.test(texts[index - 1] ?? '')) context.downloads.add(text)
      const fileOfAddress = addressOfFile.exec(text)?.[1]
      if (fileOfAddress && !texts.includes('-I') && !texts.includes('--head'))
        context.downloads.add(fileOfAddress)
      if (/^(certutil|bitsadmin|scp|tftp)$/.test(name) && !/^[-/]/.test(text)) context.downloads.add(text)
    }
    return
  }
  const makesExecutable = name === 'chmod' && executableMode.test(texts.join(' '))
  if (makesExecutable || installers.test(name)) for (const text of texts) context.executed.add(text)
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
