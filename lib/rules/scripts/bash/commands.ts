import { insideComment } from '#rules/scripts/placement-reasons.ts'
import { readArithmetic } from './expansions.ts'
import { isAt, isAtEnd, matchHere, nest, type Parser, peek, stop } from './parser.ts'
import { readHereDocuments, readRedirection } from './redirections.ts'
import { type Assignment, type Command, getStaticText, normalizeCommandName, type Part, type Word } from './syntax.ts'
import { readTest } from './tests.ts'
import { readWord, skipBlanks } from './words.ts'

/** Words after which a command follows. */
const leadingWords = new Set(['if', 'then', 'elif', 'else', 'while', 'until', 'do', '!', '{', 'time'])
/** Words that end a compound command. Redirections may follow. */
const closingWords = new Set(['fi', 'done', '}', 'esac'])

/** Read commands until `closing`, which stays unread, or until the end. Return them, also those of nested compound commands. */
export function readCommands(parser: Parser, closing: string): Command[] {
  const commands: Command[] = []
  while (!isAtEnd(parser)) {
    skipSeparators(parser)
    if (closing === 'esac' ? isAtCaseEnd(parser) : closing ? isAt(parser, closing) : isAtEnd(parser)) break
    const start = parser.position
    readCommand(parser, commands)
    if (parser.position === start) stop(parser)
  }
  return commands
}

/** Skip blanks, line breaks and the operators between commands, but not the `;;` of `case`. */
function skipSeparators(parser: Parser): void {
  while (!isAtEnd(parser)) {
    skipBlanks(parser, insideComment)
    const char = peek(parser)
    if (char === '\n') {
      parser.position++
      readHereDocuments(parser)
    } else if (isAtCaseOperator(parser)) return
    else if (char === ';' || char === '|' || char === '&') parser.position++
    else return
  }
}

function isAtCaseOperator(parser: Parser): boolean {
  return isAt(parser, ';;') || isAt(parser, ';&')
}

function isAtCaseEnd(parser: Parser): boolean {
  return isAtCaseOperator(parser) || /^esac(?![^\s;|&()<>])/.test(parser.script.slice(parser.position, parser.position + 5))
}

function readCommand(parser: Parser, commands: Command[]): void {
  if (isAtCaseOperator(parser)) return
  if (isAt(parser, '((')) readArithmeticCommand(parser, commands)
  else if (peek(parser) === '(') readSubshell(parser, commands)
  else readSimpleCommand(parser, commands)
}

function readArithmeticCommand(parser: Parser, commands: Command[]): void {
  parser.position += 2
  nest(parser, undefined, () => readArithmetic(parser, '))'))
  commands.push(readRedirectionsOnly(parser))
}

function readSubshell(parser: Parser, commands: Command[]): void {
  parser.position++
  commands.push(...nest(parser, [], () => readCommands(parser, ')')))
  if (peek(parser) === ')') parser.position++
  else stop(parser)
  commands.push(readRedirectionsOnly(parser))
}

function createCommand(parser: Parser): Command {
  const command: Command = { kind: 'simple', assignments: [], words: [], redirections: [], isPiped: false }
  parser.result.commands.push(command)
  return command
}

/** Read the redirections after a compound command. A word there would be a syntax error. */
function readRedirectionsOnly(parser: Parser): Command {
  const command = createCommand(parser)
  skipBlanks(parser, insideComment)
  while (!isAtEnd(parser) && readRedirection(parser, command.redirections)) skipBlanks(parser, insideComment)
  command.isPiped = peek(parser) === '|' && peek(parser, 1) !== '|'
  return command
}

function readSimpleCommand(parser: Parser, commands: Command[]): void {
  const command = createCommand(parser)
  commands.push(command)
  while (!isAtEnd(parser)) {
    skipBlanks(parser, insideComment)
    command.isPiped = peek(parser) === '|' && peek(parser, 1) !== '|'
    if (isAtEnd(parser) || '\n;|)'.includes(peek(parser)) || /^&(?!>)/.test(peek(parser) + peek(parser, 1))) return
    if (readRedirection(parser, command.redirections)) continue
    if (peek(parser) === '(') {
      readFunctionBrackets(parser, command, commands)
      return
    }
    if (readAssignment(parser, command)) continue
    const start = parser.position
    const word = readWord(parser)
    if (parser.position === start) {
      stop(parser)
      return
    }
    const isFirst = command.words.length === 0 && command.assignments.length === 0
    if (isFirst && readKeyword(parser, command, commands, readRawText(parser, start))) return
    command.words.push(word)
  }
}

/** The shell removes continued lines before it looks for keywords. */
function readRawText({ script, position }: Parser, start: number): string {
  return script.slice(start, position).replaceAll('\\\n', '')
}

/** Read `()` after the name of a function. The body is read as the next command. */
function readFunctionBrackets(parser: Parser, command: Command, commands: readonly Command[]): void {
  const name = command.words.length === 1 && command.words[0] ? getStaticText(command.words[0]) : undefined
  const brackets = matchHere(parser, /\([ \t]*\)/y)
  if (!brackets || name === undefined) {
    stop(parser)
    return
  }
  parser.position += brackets.length
  addFunction(parser, name, commands)
  command.words = []
}

/** The body starts with the next command. */
function addFunction({ result, openFunctions, braceDepth }: Parser, path: string, commands: readonly Command[]): void {
  const name = normalizeCommandName(path)
  const body = { name, list: commands, start: commands.length }
  result.functionNames.add(name)
  result.functionBodies.push(body)
  openFunctions.push({ body, braceDepth })
}

/** End the functions whose body is in the braces that were closed. */
function closeBrace(parser: Parser): void {
  parser.braceDepth--
  for (let last = parser.openFunctions.at(-1); last && last.braceDepth >= parser.braceDepth; last = parser.openFunctions.at(-1)) {
    last.body.end = last.body.list.length
    parser.openFunctions.pop()
  }
}

/** Read the rest of a compound command after its keyword. Return false if the word is no keyword. */
function readKeyword(parser: Parser, command: Command, commands: Command[], text: string): boolean {
  if (command.redirections.length > 0) return false
  if (text === 'time') parser.position += matchHere(parser, /([ \t]+(-p|--)(?=\s))*/y).length
  if (text === '{') parser.braceDepth++
  if (text === '}') closeBrace(parser)
  if (leadingWords.has(text)) return true
  if (text === 'coproc') stop(parser)
  else if (closingWords.has(text)) commands.push(readRedirectionsOnly(parser))
  else if (text === 'case') readCase(parser, commands)
  else if (text === 'for' || text === 'select') readFor(parser, commands)
  else if (text === 'function') readFunctionName(parser, commands)
  else if (text === '[[') readTestCommand(parser, command)
  else return false
  return true
}

function readTestCommand(parser: Parser, command: Command): void {
  command.kind = 'test'
  readTest(parser, command)
}

function readFunctionName(parser: Parser, commands: readonly Command[]): void {
  skipBlanks(parser, insideComment)
  const name = getStaticText(readWord(parser))
  if (name === undefined) {
    stop(parser)
    return
  }
  addFunction(parser, name, commands)
  skipBlanks(parser, insideComment)
  parser.position += matchHere(parser, /\([ \t]*\)/y).length
}

/** Read `for name in words`, `for name` or the head of an arithmetic loop. */
function readFor(parser: Parser, commands: Command[]): void {
  skipBlanks(parser, insideComment)
  if (isAt(parser, '((')) {
    readArithmeticCommand(parser, commands)
    return
  }
  const name = matchHere(parser, /[A-Za-z_]\w*(?=[\s;])/y)
  if (!name) {
    stop(parser)
    return
  }
  parser.position += name.length
  skipLines(parser)
  if (!matchHere(parser, /in(?=[\s;])/y)) {
    const positional: Part = { kind: 'variable', name: '@', isQuoted: true, parts: [] }
    parser.result.assignments.push({ name, value: [{ parts: [positional] }] })
    return
  }
  parser.position += 2
  const command = createCommand(parser)
  const value = readWordsUntilBreak(parser)
  command.assignments.push({ name, value })
}

function readWordsUntilBreak(parser: Parser): Word[] {
  const words: Word[] = []
  while (!isAtEnd(parser)) {
    skipBlanks(parser, insideComment)
    if (isAtEnd(parser) || '\n;'.includes(peek(parser))) break
    const start = parser.position
    words.push(readWord(parser))
    if (parser.position === start) stop(parser)
  }
  return words
}

function skipLines(parser: Parser): void {
  while (!isAtEnd(parser)) {
    skipBlanks(parser, insideComment)
    if (peek(parser) !== '\n') return
    parser.position++
    readHereDocuments(parser)
  }
}

function readCase(parser: Parser, commands: Command[]): void {
  skipBlanks(parser, insideComment)
  const command = createCommand(parser)
  // The subject is text only. It is stored as an assignment to no variable.
  command.assignments.push({ name: '', value: [readWord(parser)] })
  skipLines(parser)
  const keyword = matchHere(parser, /in(?=\s)/y)
  if (!keyword) {
    stop(parser)
    return
  }
  parser.position += keyword.length
  nest(parser, undefined, () => {
    while (!isAtEnd(parser) && readCaseBranch(parser, command, commands)) {}
  })
  commands.push(command, readRedirectionsOnly(parser))
}

/** Read a pattern and its commands. Return false after `esac`. */
function readCaseBranch(parser: Parser, command: Command, commands: Command[]): boolean {
  skipLines(parser)
  if (matchHere(parser, /esac(?![^\s;|&()<>])/y)) {
    parser.position += 4
    return false
  }
  if (peek(parser) === '(') parser.position++
  readPatterns(parser, command)
  commands.push(...readCommands(parser, 'esac'))
  parser.position += matchHere(parser, /;;&|;;|;&/y).length
  return true
}

function readPatterns(parser: Parser, command: Command): void {
  while (!isAtEnd(parser)) {
    skipBlanks(parser, insideComment)
    const start = parser.position
    command.assignments.push({ name: '', value: [readWord(parser)] })
    skipBlanks(parser, insideComment)
    const char = peek(parser)
    if (parser.position === start || (char !== ')' && char !== '|')) {
      stop(parser)
      return
    }
    parser.position++
    if (char === ')') return
  }
}

/** Read `name=value`, `name+=value`, `name[index]=value` or `name=( … )`. */
function readAssignment(parser: Parser, command: Command): boolean {
  const isDeclaration = /^(declare|typeset|local|export|readonly)$/.test(getStaticText(command.words[0] ?? { parts: [] }) ?? '')
  if (command.words.length > 0 && !isDeclaration) return false
  const name = matchHere(parser, /[A-Za-z_]\w*(?=\+?=|\[)/y)
  if (!name) return false
  const start = parser.position
  parser.position += name.length
  if (peek(parser) === '[' && !readSubscript(parser, name)) {
    parser.position = start
    return false
  }
  parser.position += matchHere(parser, /\+?=/y).length
  command.assignments.push(peek(parser) === '(' ? readArray(parser, name) : { name, value: [readWord(parser)] })
  return true
}

/** Read the subscript of an assignment. Return false if the word is none, such as the pattern `a[bc]`. */
function readSubscript(parser: Parser, name: string): boolean {
  if (!/^\[[^\n]*?\]\+?=/.test(parser.script.slice(parser.position, parser.position + 500))) return false
  parser.position++
  nest(parser, undefined, () => readArithmetic(parser, ']', name))
  if (!/[+=]/.test(peek(parser))) stop(parser)
  return true
}

function readArray(parser: Parser, name: string): Assignment {
  parser.position++
  const value: Word[] = []
  while (!isAtEnd(parser) && peek(parser) !== ')') {
    skipLines(parser)
    if (peek(parser) === ')') break
    const start = parser.position
    if (peek(parser) === '[') readSubscript(parser, name)
    value.push(readWord(parser))
    if (parser.position === start) stop(parser)
  }
  if (peek(parser) === ')') parser.position++
  else stop(parser)
  return { name, value }
}
