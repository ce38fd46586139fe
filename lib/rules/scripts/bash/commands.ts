import type {
  Assignment as ParsedAssignment,
  Command as ParsedCommand,
  Redirection as ParsedRedirection,
  ParsedScript,
  Word as ParsedWord,
  SyntaxNode,
  TestExpression,
} from 'unbash'
import { forEachChild } from 'unbash'
import { spend } from '#rules/budget.ts'
import { insideHereDocument } from '#rules/scripts/placement-reasons.ts'
import { type Reader, refuseMarked, UnreadableScriptError } from './reader.ts'
import {
  type Assignment,
  type Command,
  createText,
  createVariableWord,
  getStaticText,
  normalizeCommandName,
  type Part,
  type Redirection,
  type Word,
} from './syntax.ts'
import { readArithmetic, readIndex, readParts, readWord } from './words.ts'

/**
 * Read the commands of a parsed script. Return them, also those inside compound commands. Throw when the
 * check cannot follow the script.
 */
export function readScript(reader: Reader, { commands, errors }: ParsedScript): Command[] {
  if (errors?.[0]) throw new UnreadableScriptError(errors[0].pos)
  const list: Command[] = []
  for (const statement of commands) readNode(reader, statement, list)
  return list
}

function readNode(reader: Reader, node: SyntaxNode, list: Command[]): void {
  switch (node.type) {
    case 'Statement':
    case 'CompoundList':
    case 'AndOr':
    case 'Subshell':
    case 'BraceGroup':
    case 'If':
    case 'Elif':
    case 'While':
      forEachChild(node, (child) => readNode(reader, child, list))
      return
    case 'Pipeline':
      readPipeline(reader, node, list)
      return
    case 'Command':
      readCommand(reader, node, list)
      return
    case 'Redirected': {
      const start = list.length
      readNode(reader, node.command, list)
      const command = addCommand(reader, node.pos, list)
      for (const redirection of node.redirects) readRedirection(reader, redirection, command)
      if (command.mergesErrors) for (const inner of list.slice(start)) inner.mergesErrors = true
      return
    }
    case 'For':
    case 'Select':
      addCommand(reader, node.pos, list).assignments.push({
        name: requireName(node.name.text, node.pos),
        value: node.wordlist?.map((word) => readWord(reader, word)) ?? [createVariableWord('@')],
      })
      readNode(reader, node.body, list)
      return
    case 'ArithmeticFor':
      for (const expression of [node.initialize, node.test, node.update]) readArithmetic(reader, expression)
      readNode(reader, node.body, list)
      return
    case 'ArithmeticCommand':
      if (!node.expression && node.body.trim()) throw new UnreadableScriptError(node.pos)
      readArithmetic(reader, node.expression)
      return
    case 'Case':
      // The subject and the patterns are text only. They are stored as assignments to no variable.
      for (const word of [node.word, ...node.items.flatMap(({ pattern }) => pattern)])
        addCommand(reader, node.pos, list).assignments.push({ name: '', value: [readWord(reader, word)] })
      for (const { body } of node.items) readNode(reader, body, list)
      return
    case 'TestCommand': {
      const command = addCommand(reader, node.pos, list)
      command.kind = 'test'
      reader.knowsExtendedGlobs = true
      readTest(reader, node.expression, command.words)
      reader.knowsExtendedGlobs = false
      return
    }
    case 'Function': {
      const name = getStaticText(readWord(reader, node.name))
      if (name === undefined) throw new UnreadableScriptError(node.pos)
      reader.result.functionNames.add(normalizeCommandName(name))
      readNode(reader, node.body, list)
      return
    }
    default:
      // A coprocess, and what a later version of the parser may know.
      throw new UnreadableScriptError(node.pos)
  }
}

function addCommand(reader: Reader, position: number, list: Command[]): Command {
  spend(stepsPerCommand)
  const command: Command = {
    kind: 'simple',
    position,
    assignments: [],
    words: [],
    redirections: [],
    isPiped: false,
    isFed: false,
    mergesErrors: false,
  }
  reader.result.commands.push(command)
  list.push(command)
  return command
}

const stepsPerCommand = 500

function requireName(text: string, position: number): string {
  if (!/^[A-Za-z_]\w*$/.test(text)) throw new UnreadableScriptError(position)
  return text
}

function readPipeline(
  reader: Reader,
  { commands, operators }: Extract<SyntaxNode, { type: 'Pipeline' }>,
  list: Command[],
): void {
  for (const [index, node] of commands.entries()) {
    const start = list.length
    readNode(reader, node, list)
    for (const command of list.slice(start)) {
      if (index < commands.length - 1) command.isPiped = true
      if (index > 0) command.isFed = true
      if (operators[index] === '|&') command.mergesErrors = true
    }
  }
}

const declarations = /^(declare|typeset|local|export|readonly)$/

function readCommand(reader: Reader, { name, prefix, suffix, pos }: ParsedCommand, list: Command[]): void {
  const command = addCommand(reader, pos, list)
  if (name) command.words.push(readWord(reader, name))
  const isDeclaration = name && declarations.test(name.text)
  for (const node of [...prefix, ...suffix]) {
    if (node.type === 'Word') command.words.push(readWord(reader, node))
    else if (node.type !== 'Assignment') readRedirection(reader, node, command)
    else if (isDeclaration || prefix.includes(node)) command.assignments.push(readAssignment(reader, node))
    else command.words.push(readAssignedWord(reader, node))
  }
}

function readAssignment(reader: Reader, { name, index, value, pos }: ParsedAssignment): Assignment {
  requireName(name, pos)
  if (index) readIndex(reader, index)
  if (value.type === 'Word') return { name, value: [readWord(reader, value)] }
  requireOnlyWords(reader, value)
  return { name, value: value.elements.map((element) => readElement(reader, element)) }
}

/**
 * The parser skips operators between the elements of an array. The shell reads the next line as a command
 * after such an error.
 */
function requireOnlyWords(
  { marked }: Reader,
  { pos, end, elements }: Extract<ParsedAssignment['value'], { type: 'ArrayValue' }>,
): void {
  let last = pos + 1
  for (const element of [...elements, { pos: end - 1, end }]) {
    if (!/^(\s|\\\n|#[^\n]*\n)*$/.test(marked.text.slice(last, element.pos)))
      throw new UnreadableScriptError(pos)
    last = element.end
  }
}

/** Read an argument such as `name=value`, which assigns nothing itself. */
function readAssignedWord(reader: Reader, { name, index, value, text, pos }: ParsedAssignment): Word {
  if (index || value.type !== 'Word' || !text.startsWith(name)) throw new UnreadableScriptError(pos)
  return { parts: [createText(text.slice(0, value.pos - pos), false), ...readWord(reader, value).parts] }
}

/** Read an element of an array. The text in its brackets is arithmetic. */
function readElement(reader: Reader, element: ParsedWord): Word {
  const ends = element.text.startsWith('[') ? [...element.text.matchAll(/\]\+?=/g)] : []
  const end = ends[0]
  if (!end) return readWord(reader, element)
  // Only the first pair of brackets is known. Another one may belong to the subscript.
  const valueStart = element.pos + (ends.length > 1 ? element.text.length : end.index + end[0].length)
  const parts = element.parts ?? [
    {
      type: 'Literal' as const,
      pos: element.pos,
      end: element.end,
      text: element.text,
      value: element.value,
    },
  ]
  const value: Part[] = []
  for (const part of parts) {
    if (part.pos >= valueStart) value.push(...readParts(reader, { ...part, parts: [part] }, 'none'))
    else readIndex(reader, { ...part, parts: [part] })
    const isSplit = part.type === 'Literal' && part.pos < valueStart && part.end > valueStart
    if (isSplit) value.push(createText(part.text.slice(valueStart - part.pos), false))
  }
  return { parts: value }
}

function readRedirection(reader: Reader, node: ParsedRedirection, command: Command): void {
  command.redirections.push(
    node.type === 'HereDoc' ? readHereDocument(reader, node) : readTarget(reader, node),
  )
  if (
    node.type === 'Redirect' &&
    (node.operator.startsWith('&') || (node.operator === '>&' && node.target?.text !== '2'))
  )
    command.mergesErrors = true
}

function readTarget(
  reader: Reader,
  { operator, target, pos }: Exclude<ParsedRedirection, { type: 'HereDoc' }>,
): Redirection {
  if (!target) throw new UnreadableScriptError(pos)
  return { operator, word: readWord(reader, target) }
}

function readHereDocument(
  reader: Reader,
  { delimiter, body, closing, pos }: Extract<ParsedRedirection, { type: 'HereDoc' }>,
): Redirection {
  if (delimiter) refuseMarked(reader, delimiter.text, delimiter.pos, 'is the delimiter of a here-document')
  if (!delimiter || !closing || /[$`\n\u{f8fd}\u{f8fe}]/u.test(delimiter.text))
    throw new UnreadableScriptError(pos)
  if (!delimiter.quoted) return { operator: '<<', word: { parts: readParts(reader, body, 'here-document') } }
  refuseMarked(reader, body.text, body.pos, insideHereDocument)
  return { operator: '<<', word: { parts: [createText(body.text)] } }
}

/** Read the words and operators of `[[ … ]]`. */
function readTest(reader: Reader, expression: TestExpression, words: Word[]): void {
  const addOperator = (text: string) => words.push({ parts: [createText(text, false)] })
  switch (expression.type) {
    case 'TestUnary':
      if (expression.operator) addOperator(expression.operator)
      words.push(readWord(reader, expression.operand))
      return
    case 'TestBinary':
      words.push(readWord(reader, expression.left))
      addOperator(expression.operator)
      words.push(readWord(reader, expression.right))
      return
    case 'TestLogical':
      for (const [index, operand] of expression.operands.entries()) {
        if (index > 0) addOperator(expression.operator)
        readTest(reader, operand, words)
      }
      return
    case 'TestNot':
      addOperator('!')
      readTest(reader, expression.operand, words)
      return
    case 'TestGroup':
      addOperator('(')
      readTest(reader, expression.expression, words)
      addOperator(')')
      return
    default:
      throw new UnreadableScriptError((expression satisfies never as TestExpression).pos)
  }
}
