import { optionExecutors } from '../bash/rules.ts'
import type { JudgedPlaceholder } from '../placeholders.ts'
import { asPattern, inCommandPosition, usedAsCode } from '../placement-reasons.ts'
import { findExecutor } from './executors.ts'

// Judges the statements of a PowerShell script without comments. Values are followed through variables, in any order.

/** A statement, with `\u{f0000}` and the index of the placeholder for each placeholder. */
interface Statement {
  text: string
}

const marker = /\u{f0000}(\d+);/gu
/** Variables whose value comes from a caller or a pipeline. A script with a text parameter may fill them. */
const passedVariables = ['_', 'psitem', 'args', 'input', 'psboundparameters', 'matches', '$', '^']

/** Refuse the placeholders that reach an executor. Return those that must not start with a dash, with the name of the command. */
export function judgePowershellStatements(
  code: string,
  isCode: readonly boolean[],
  placeholders: readonly JudgedPlaceholder[],
  reasons: Map<number, string>,
): Map<number, string> {
  const commandsByOperand = new Map<number, string>()
  const untrusted = placeholders.filter(({ isUntrusted }) => isUntrusted)
  if (untrusted.length === 0) return commandsByOperand
  const statements = splitStatements(code, isCode, placeholders)
  const findSources = createSourceFinder(statements, placeholders)
  for (const { text } of statements) {
    const refuse = (part: string, reason: string) => {
      for (const start of findSources(part)) if (!reasons.has(start)) reasons.set(start, reason)
    }
    judgeStatement(text, refuse)
    const command = /^\s*(?:&\s*)?["']?(?:[^\s"'|]*[\\/])?([\w.-]+?)(?:\.exe)?["']?\s/i.exec(text)?.[1]?.toLowerCase() ?? ''
    const operands = [...text.matchAll(/\s(\u{f0000}\d+;|\$\w+)/gu)].map(([operand]) => operand).join(' ')
    if (optionExecutors.has(command)) for (const start of findSources(operands)) commandsByOperand.set(start, command)
  }
  return commandsByOperand
}

/** Split at line breaks, semicolons and braces outside quotes. A pipe, a comma or an open bracket continues the statement. */
function splitStatements(code: string, isCode: readonly boolean[], placeholders: readonly JudgedPlaceholder[]): Statement[] {
  const marks = new Map<number, { mark: string; length: number }>()
  // The code has the same length as the script.
  for (const [index, { start, end }] of placeholders.entries()) marks.set(start, { mark: `\u{f0000}${index};`, length: end - start })
  const statements: Statement[] = []
  let text = ''
  let depth = 0
  for (let index = 0; index < code.length; ) {
    const marked = marks.get(index)
    if (marked) {
      text += marked.mark
      index += marked.length
      continue
    }
    const char = code[index] ?? ''
    if (isCode[index] && char === '(') depth++
    if (isCode[index] && char === ')') depth = Math.max(0, depth - 1)
    const isLineEnd =
      char === '\n' && depth === 0 && !/[|,=({+&]\s*$/.test(text.slice(-100)) && !/^\s*[|.]/.test(code.slice(index + 1, index + 200))
    const isEnd = isCode[index] && (isLineEnd || (char === ';' && depth === 0))
    if (isEnd) {
      statements.push({ text })
      text = ''
    } else text += char
    index++
  }
  statements.push({ text })
  return statements.filter((statement) => statement.text.trim())
}

function createSourceFinder(statements: readonly Statement[], placeholders: readonly JudgedPlaceholder[]): (text: string) => number[] {
  const usersByName = new Map<string, Set<string>>()
  const sourcesByName = new Map<string, Set<number>>()
  const queue: [name: string, start: number][] = []
  const collectStarts = (text: string) =>
    [...text.matchAll(marker)].flatMap(([, index]) => {
      const placeholder = placeholders[Number(index)]
      return placeholder?.isUntrusted ? [placeholder.start] : []
    })
  const passed = new Set([...passedVariables, ...findParameters(statements)])
  const first = placeholders.find(({ isUntrusted }) => isUntrusted)
  if (first) for (const name of passed) queue.push([name, first.start])
  for (const [index, { text }] of statements.entries()) {
    // The statement is a node of its own, so that the number of edges stays linear.
    const node = `=${index}`
    const targets = findTargets(text)
    if (targets.length === 0) continue
    usersByName.set(node, new Set(targets))
    for (const start of collectStarts(text)) queue.push([node, start])
    for (const name of getVariables(text)) usersByName.set(name, (usersByName.get(name) ?? new Set()).add(node))
  }
  for (let next = queue.pop(); next; next = queue.pop()) {
    const [name, start] = next
    const sources = sourcesByName.get(name) ?? new Set()
    sourcesByName.set(name, sources)
    if (sources.has(start) || sources.size >= 20) continue
    sources.add(start)
    for (const user of usersByName.get(name) ?? []) queue.push([user, start])
  }
  return (text) => [...new Set([...collectStarts(text), ...getVariables(text).flatMap((name) => [...(sourcesByName.get(name) ?? [])])])]
}

/** Return the variables of an expression in lower case, without those that are converted to a number. */
function getVariables(text: string): string[] {
  return [
    ...text.matchAll(
      /(\[(?:int|int32|long|bool|double|datetime)\]\s*)?[$@]\{?(?:(?:script|global|local|private|using|env|variable):)?([\w?$^]+)/gi,
    ),
  ]
    .filter(([, conversion]) => !conversion)
    .map(([, , name = '']) => name.toLowerCase())
}

/** Find `$name = value`, `foreach ($name in values)`, and the cmdlets and options that set a variable. The whole statement is the value. */
function findTargets(text: string): string[] {
  const setsVariable = /\b(set-variable|sv|new-variable|nv|read-host|tee-object|outvariable|ov|pipelinevariable|pv|set-item|si)\b/i.test(
    text,
  )
  if (setsVariable) return (text.match(/\w+/g) ?? []).map((name) => name.toLowerCase())
  const assignments = text.matchAll(
    /\$\{?([\w:]+)\}?[^\s=$]*\s*(?:(?<![!<>])=(?!=)|\bin\b|\.(?:add|push|enqueue|append|insert|set_item|addrange)\s*\()/gi,
  )
  const lists = text.matchAll(/((?:\$[\w:]+\s*,\s*)+\$[\w:]+)\s*=/g)
  return [...assignments, ...lists].flatMap(([assignment]) => getVariables(assignment))
}

/** Return the parameters of functions and script blocks. */
function findParameters(statements: readonly Statement[]): string[] {
  return statements.flatMap(({ text }) =>
    /\bparam\s*\(|\b(function|filter|workflow)\s+[\w:-]+\s*\(/i.test(text) ? getVariables(text) : [],
  )
}

function judgeStatement(text: string, refuse: (part: string, reason: string) => void): void {
  judgeCalled(text, refuse)
  const patternOperand = /-[ci]?(?:not)?(?:like|match|replace|split)\s*\(?\s*(\u{f0000}\d+;)/giu
  for (const [, operand = ''] of text.matchAll(patternOperand)) refuse(operand, asPattern)
  const executor = findExecutor(text)
  if (executor === 'all') refuse(text, usedAsCode)
  else if (executor) refuse(executor, usedAsCode)
  // A member whose name is text, and a command or type that a string names.
  for (const [, member = ''] of text.matchAll(/(?:::|\.)\s*(\u{f0000}\d+;|\(?[$"'][^\s()]*)/gu)) refuse(member, inCommandPosition)
}

/** Judge what stands after the call operators `&` and `.`. */
function judgeCalled(text: string, refuse: (part: string, reason: string) => void): void {
  let hasLongExpression = false
  for (const match of text.matchAll(/(?:^|[\s;|({=&,!])[&.][ \t]*(?=[^\s&>\d.])/g)) {
    const start = match.index + match[0].length
    const rest = text.slice(start, start + maxCalledLength)
    const called = /^[$@]?\(/.test(rest) ? takeBrackets(rest) : /^("[^"]*"|'[^']*'|[^\s({]*)/.exec(rest)?.[0]
    if (called === undefined) hasLongExpression = true
    else refuse(called, inCommandPosition)
  }
  if (hasLongExpression) refuse(text, inCommandPosition)
}

const maxCalledLength = 300

/** Return the text until the bracket that closes the first one. */
function takeBrackets(text: string): string | undefined {
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '(') depth++
    if (text[index] === ')' && --depth === 0) return text.slice(0, index + 1)
  }
  return undefined
}
