// Patterns come from whoever writes flows, and a regular expression that backtracks can hold an isolate for hours. So what a pattern
// says is run as an automaton, whose time grows with pattern times text; what needs backtracking is not understood.

/** Characters a text may have where a pattern looks at it. */
export const patternReach = 1000
const mostParts = 1000
const endless = Number.POSITIVE_INFINITY

type Node =
  | { kind: 'char'; token: string }
  | { kind: 'assert'; token: string }
  | { kind: 'all'; items: Node[] }
  | { kind: 'any'; items: Node[] }
  | { kind: 'repeat'; item: Node; min: number; max: number }

type Instruction =
  | { op: 'char'; test: number }
  | { op: 'assert'; token: string }
  | { op: 'split'; to: number[] }
  | { op: 'jump'; to: number }
  | { op: 'match' }

/** Whether a whole text matches. */
export type Matcher = (text: string) => boolean

/** Undefined for what is no regular expression (flag `u`), looks around or back, or is too large. */
export function compilePattern(pattern: string): Matcher | undefined {
  try {
    new RegExp(pattern, 'u')
    const writing: Writing = { program: [], tests: [], left: mostParts }
    write(writing, alternatives({ pattern, at: 0 }))
    const program: Instruction[] = [...writing.program, { op: 'match' }]
    const tests = writing.tests.map((token) => new RegExp(`^${token}$`, 'u'))
    return (text) => run(program, tests, [...text])
  } catch {
    return undefined
  }
}

const atom = /\\(?:u\{[\da-f]+\}|ud[89ab]..\\ud[c-f]..|u.{4}|x..|c[a-z]|p\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|./isuy
const opening = /\((?:\?:|\?<[^=!][^>]*>)?/uy
const quantifier = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy

/** A pattern that RegExp has accepted, so that what is left to tell apart is little, and where it is read. */
interface Reading {
  pattern: string
  at: number
}

function take(reading: Reading, part: RegExp): RegExpExecArray | null {
  part.lastIndex = reading.at
  const found = part.exec(reading.pattern)
  if (found) reading.at += found[0].length
  return found
}

function alternatives(reading: Reading): Node {
  const items = [sequence(reading)]
  while (reading.pattern[reading.at] === '|') {
    reading.at++
    items.push(sequence(reading))
  }
  return items.length === 1 && items[0] ? items[0] : { kind: 'any', items }
}

function sequence(reading: Reading): Node {
  const items: Node[] = []
  while (!['|', ')', undefined].includes(reading.pattern[reading.at])) items.push(repeated(reading, single(reading)))
  return items.length === 1 && items[0] ? items[0] : { kind: 'all', items }
}

function single(reading: Reading): Node {
  if (take(reading, opening)) {
    if (reading.pattern[reading.at] === '?') throw new SyntaxError('Looks around, or changes flags')
    const inner = alternatives(reading)
    reading.at++
    return inner
  }
  const token = take(reading, atom)?.[0] ?? ''
  if (/^\\[1-9k]/.test(token)) throw new SyntaxError('Looks back')
  return /^(?:[$^]|\\b)$/i.test(token) ? { kind: 'assert', token } : { kind: 'char', token }
}

function repeated(reading: Reading, item: Node): Node {
  const found = take(reading, quantifier)
  if (!found) return item
  const [, sign, least, comma, most] = found
  if (sign) return { kind: 'repeat', item, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : endless }
  const min = Number(least)
  return { kind: 'repeat', item, min, max: most ? Number(most) : comma ? endless : min }
}

/** A program being written. */
interface Writing {
  program: Instruction[]
  /** What its `char` instructions ask of a character. */
  tests: string[]
  /** How many parts may still be written. */
  left: number
}

function write(writing: Writing, node: Node): void {
  const { program, tests } = writing
  if (--writing.left < 0) throw new RangeError('Too large')
  if (node.kind === 'assert') program.push({ op: 'assert', token: node.token })
  else if (node.kind === 'all') for (const item of node.items) write(writing, item)
  else if (node.kind === 'any') writeChoices(writing, node.items)
  else if (node.kind === 'repeat') writeRepeat(writing, node)
  else program.push({ op: 'char', test: tests.includes(node.token) ? tests.indexOf(node.token) : tests.push(node.token) - 1 })
}

function writeChoices(writing: Writing, items: readonly Node[]): void {
  const { program } = writing
  const split = { op: 'split' as const, to: [] as number[] }
  program.push(split)
  const ends = items.map((item) => {
    split.to.push(program.length)
    write(writing, item)
    const end = { op: 'jump' as const, to: 0 }
    program.push(end)
    return end
  })
  for (const end of ends) end.to = program.length
}

function writeRepeat(writing: Writing, { item, min, max }: Extract<Node, { kind: 'repeat' }>): void {
  const { program } = writing
  for (let n = 0; n < min; n++) write(writing, item)
  const splits: { op: 'split'; to: number[] }[] = []
  // Without an end it is one more that leads back to itself.
  for (let n = min; n < (max === endless ? min + 1 : max); n++) {
    const start = program.length
    const split = { op: 'split' as const, to: [start + 1] }
    program.push(split)
    splits.push(split)
    write(writing, item)
    if (max === endless) program.push({ op: 'jump', to: start })
  }
  for (const split of splits) split.to.push(program.length)
}

function run(program: readonly Instruction[], tests: readonly RegExp[], text: readonly string[]): boolean {
  const seen = new Int32Array(program.length)
  let current = reach(program, [0], text, 0, seen)
  for (const [index, char] of text.entries()) {
    const fits = tests.map((test) => test.test(char))
    const next: number[] = []
    for (const at of current) {
      const instruction = program[at]
      if (instruction?.op === 'char' && fits[instruction.test]) next.push(at + 1)
    }
    if (next.length === 0) return false
    current = reach(program, next, text, index + 1, seen)
  }
  return current.some((at) => program[at]?.op === 'match')
}

/** All instructions that these lead to before the next character; `seen` holds where each was last reached, counted from 1. */
function reach(
  program: readonly Instruction[],
  from: readonly number[],
  text: readonly string[],
  index: number,
  seen: Int32Array,
): number[] {
  const reached: number[] = []
  const open = [...from]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen[at] === index + 1) continue
    seen[at] = index + 1
    reached.push(at)
    const instruction = program[at]
    if (instruction?.op === 'split') open.push(...instruction.to)
    else if (instruction?.op === 'jump') open.push(instruction.to)
    else if (instruction?.op === 'assert' && holds(instruction.token, text, index)) open.push(at + 1)
  }
  return reached
}

function holds(token: string, text: readonly string[], index: number): boolean {
  if (token === '^') return index === 0
  if (token === '$') return index === text.length
  const isWord = (char: string | undefined) => char !== undefined && /^\w$/.test(char)
  return (isWord(text[index - 1]) !== isWord(text[index])) === (token === '\\b')
}
