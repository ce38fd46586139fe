import { insideComment } from '#rules/scripts/placement-reasons.ts'
import { isAtEnd, matchHere, nest, type Parser, peek, stop } from './parser.ts'
import { type Command, createText, getStaticText, type Part } from './syntax.ts'
import { readWord, skipBlanks } from './words.ts'

/** Read the words and operators of `[[ … ]]`. */
export function readTest(parser: Parser, command: Command): void {
  nest(parser, undefined, () => {
    while (!isAtEnd(parser) && readTestWord(parser, command)) {}
  })
}

/** Read one word. Return false after `]]`. */
function readTestWord(parser: Parser, { words }: Command): boolean {
  while (!isAtEnd(parser)) {
    skipBlanks(parser, insideComment)
    if (peek(parser) !== '\n') break
    parser.position++
  }
  const operator = matchHere(parser, /&&|\|\||[()<>](?!\()/y) || matchHere(parser, /\(/y)
  if (operator) {
    const part: Part = createText(operator, false)
    words.push({ parts: [part] })
    parser.position += operator.length
    return true
  }
  const before = words.at(-1)
  const isPattern = before !== undefined && getStaticText(before) === '=~'
  const start = parser.position
  const word = readWord(parser, isPattern ? '()|<>' : '')
  if (parser.position === start) stop(parser)
  if (parser.script.slice(start, parser.position) === ']]') return false
  words.push(word)
  return true
}
