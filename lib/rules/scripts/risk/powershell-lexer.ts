import { spend } from '#rules/budget.ts'
import { unknownMark } from './findings.ts'

// PowerShell without a grammar: where each command starts, and its words.
// The judge of placeholders has a scanner of its own (powershell/scan.ts). It gives up where the quoting is in
// doubt, and this reader must go on there: with that scanner it missed commands after `<#` in a string.
// https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_parsing

export interface Token {
  text: string
  position: number
  /** Whether it is a string as a whole. As the first word it is a value, not a command. */
  isString: boolean
  /** Whether the next character is an opening bracket, as in a call of a method. */
  isCall: boolean
  /** The statements inside it, if it stands for brackets. */
  inner?: Statement[]
}

export interface Statement {
  tokens: Token[]
  /** Whether it reads the output of another command. */
  isFed: boolean
  /** Whether `&` or `.` executes its first word, whatever that is. */
  isInvoked: boolean
}

export interface PowershellScript {
  statements: Statement[]
  /** The comments, each from its `#`. */
  comments: { text: string; position: number }[]
}

interface Frame {
  statement: Statement
  /** The statements inside these brackets. */
  inner: Statement[]
  opener: string
}

const stepsPerCharacter = 40
const maxDepth = 200

/**
 * Split a script into statements, also those in brackets and strings. It never fails; text that is no
 * PowerShell gives some words.
 */
export function readPowershell(text: string): PowershellScript {
  const script: PowershellScript = { statements: [], comments: [] }
  read(script, text, 0, 0)
  return script
}

const createStatement = (isFed = false): Statement => ({ tokens: [], isFed, isInvoked: false })

function read(script: PowershellScript, text: string, offset: number, depth: number): Statement[] {
  spend(text.length * stepsPerCharacter)
  const top: Frame = { statement: createStatement(), inner: [], opener: '' }
  const frames: Frame[] = [top]
  let word: Token | undefined
  let index = 0
  const frame = () => frames.at(-1) as Frame
  const endWord = () => {
    word = undefined
  }
  const endStatement = (isFed = false) => {
    endWord()
    const current = frame()
    if (current.statement.tokens.length > 0) {
      script.statements.push(current.statement)
      current.inner.push(current.statement)
    } else if (!isFed) isFed = current.statement.isFed
    current.statement = createStatement(isFed)
  }
  const append = (part: string, at: number, isString: boolean) => {
    if (word) {
      word.text += part
      word.isString = false
      return
    }
    word = { text: part, position: offset + at, isString, isCall: false }
    frame().statement.tokens.push(word)
  }
  const close = () => {
    endStatement()
    const closed = frames.pop() as Frame
    if (frames.length === 0) frames.push(top)
    const { statement } = frame()
    const last = statement.tokens.at(-1)
    if (last?.inner === closed.inner) return
    statement.tokens.push({
      text: unknownMark,
      position: offset + index,
      isString: false,
      isCall: false,
      inner: closed.inner,
    })
  }
  while (index < text.length) {
    const char = text[index] as string
    const rest = text[index + 1]
    if (char === '`') {
      if (rest === '\n' || rest === '\r') endWord()
      else if (rest !== undefined) append(rest, index, false)
      index += rest === '\r' && text[index + 2] === '\n' ? 3 : 2
      continue
    }
    if (char === '#' && !word) {
      const end = text.indexOf('\n', index)
      script.comments.push({ text: text.slice(index, end < 0 ? text.length : end), position: offset + index })
      index = end < 0 ? text.length : end
      continue
    }
    if (char === '<' && rest === '#') {
      const end = text.indexOf('#>', index + 2)
      index = end < 0 ? text.length : end + 2
      continue
    }
    if (
      char === '@' &&
      (rest === "'" || rest === '"') &&
      /^@['"][ \t]*\r?\n/.test(text.slice(index, index + 200))
    ) {
      const end = text.indexOf(`\n${rest}@`, index)
      const stop = end < 0 ? text.length : end
      append(
        rest === '"'
          ? expandString(script, text.slice(index + 2, stop), offset + index + 2, depth)
          : text.slice(index + 2, stop).trim(),
        index,
        true,
      )
      index = stop + 3
      continue
    }
    if (/['\u2018-\u201b]/.test(char)) {
      let value = ''
      let at = index + 1
      for (; at < text.length; at++) {
        if (!/['\u2018-\u201b]/.test(text[at] as string)) value += text[at]
        else if (/['\u2018-\u201b]/.test(text[at + 1] ?? '')) value += text[++at]
        else break
      }
      append(value, index, true)
      index = at + 1
      continue
    }
    if (/["\u201c-\u201e]/.test(char)) {
      const end = findStringEnd(text, index + 1)
      append(expandString(script, text.slice(index + 1, end), offset + index + 1, depth), index, true)
      index = end + 1
      continue
    }
    if (char === '\n' || char === ';') endStatement()
    else if (/\s/.test(char) || char === ',') endWord()
    else if (char === '|') {
      endStatement(rest !== '|')
      if (rest === '|') index++
      else if (frame().statement.tokens.length === 0) frame().statement.isFed = true
    } else if (char === '&' && word?.text.endsWith('>')) word.text += '&'
    else if (char === '&') {
      if (rest === '&') index++
      endStatement(frame().statement.isFed && frame().statement.tokens.length === 0)
      if (rest !== '&') frame().statement.isInvoked = true
    } else if (
      char === '.' &&
      !word &&
      /[\s'"$({]/.test(rest ?? ' ') &&
      frame().statement.tokens.length === 0
    )
      frame().statement.isInvoked = true
    else if ('({'.includes(char)) {
      if (word) word.isCall = char === '('
      else if (char === '(' && text[index - 1] === ')') endWord()
      if (depth + frames.length > maxDepth) return top.inner
      if (word && /^[@$]$/.test(word.text)) frame().statement.tokens.pop()
      endWord()
      frames.push({ statement: createStatement(), inner: [], opener: char })
    } else if (')}'.includes(char)) {
      close()
      // What follows without a space is a member of the value.
    } else if (char === '=' && startsAssignment(frame().statement, word)) {
      if (word && /[+\-*/%]$/.test(word.text)) word.text = word.text.slice(0, -1)
      endWord()
      const { statement } = frame()
      const names = statement.tokens
      endStatement()
      frame().statement.tokens = []
      assignments.set(frame().statement, names[0]?.text ?? '')
    } else append(char === '$' ? unknownMark : char, index, false)
    index++
  }
  while (frames.length > 1) close()
  endStatement()
  return top.inner
}

/** The names of the variables that the values of statements are assigned to. */
const assignments = new WeakMap<Statement, string>()

/** Return the variable that the value of a statement is assigned to, with its mark. */
export function getAssignedName(statement: Statement): string | undefined {
  return assignments.get(statement)
}

function startsAssignment({ tokens }: Statement, word: Token | undefined): boolean {
  const [first] = tokens
  if (!first) return false
  const isVariable = first.text.startsWith(unknownMark) || first.text.startsWith('[')
  // A key of a hash table stands alone before its sign.
  const isKey =
    tokens.length === 1 &&
    !first.text.startsWith('-') &&
    (word === undefined || word === first) &&
    /^[\w.]+$/.test(first.text)
  return isVariable || isKey
}

function findStringEnd(text: string, start: number): number {
  let depth = 0
  for (let index = start; index < text.length; index++) {
    const char = text[index] as string
    if (char === '`') index++
    else if (char === '$' && text[index + 1] === '(') {
      depth++
      index++
    } else if (depth > 0 && char === '(') depth++
    else if (depth > 0 && char === ')') depth--
    else if (depth === 0 && /["\u201c-\u201e]/.test(char)) {
      if (!/["\u201c-\u201e]/.test(text[index + 1] ?? '')) return index
      index++
    }
  }
  return text.length
}

/** Return the value of a string, with marks for its variables, and read the commands in it. */
function expandString(script: PowershellScript, text: string, offset: number, depth: number): string {
  let value = ''
  let index = 0
  while (index < text.length) {
    const char = text[index] as string
    if (char === '`') {
      value += text[index + 1] ?? ''
      index += 2
    } else if (char === '$' && text[index + 1] === '(') {
      const end = findClosing(text, index + 2)
      if (depth < maxDepth) read(script, text.slice(index + 2, end), offset + index + 2, depth + 20)
      value += unknownMark
      index = end + 1
    } else {
      value += char === '$' ? unknownMark : char
      index++
    }
  }
  return value
}

function findClosing(text: string, start: number): number {
  let depth = 1
  for (let index = start; index < text.length; index++) {
    if (text[index] === '(') depth++
    if (text[index] === ')' && --depth === 0) return index
  }
  return text.length
}
