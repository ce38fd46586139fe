// Patterns come from whoever writes flows, and a regular expression that backtracks can hold an isolate for hours. So what a pattern
// says is run as an automaton, whose time grows with pattern times text; what needs backtracking is not understood.

/** Characters a text may have where a pattern looks at it. */
export const patternReach = 1000
const mostParts = 500

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
    const tests: string[] = []
    const program = programOf(parse(pattern), tests)
    const native = tests.map((token) => new RegExp(`^${token}$`, 'u'))
    return (text) => run(program, native, [...text])
  } catch {
    return undefined
  }
}

const atom = /\\(?:u\{[\da-f]+\}|ud[89ab]..\\ud[c-f]..|u.{4}|x..|c[a-z]|p\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|./isuy
const opening = /\((?:\?:|\?<[^=!][^>]*>)?/uy
const quantifier = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy

/** Of a pattern that RegExp has accepted, so that what is left to tell apart is little. */
function parse(pattern: string): Node {
  let at = 0
  const take = (part: RegExp): RegExpExecArray | null => {
    part.lastIndex = at
    const found = part.exec(pattern)
    if (found) at += found[0].length
    return found
  }
  const alternatives = (): Node => {
    const items = [sequence()]
    for (; pattern[at] === '|'; ) {
      at++
      items.push(sequence())
    }
    return { kind: 'any', items }
  }
  const sequence = (): Node => {
    const items: Node[] = []
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') items.push(repeated(single()))
    return { kind: 'all', items }
  }
  const single = (): Node => {
    if (take(opening)) {
      if (pattern[at] === '?') throw new SyntaxError('Looks around, or changes flags')
      const inner = alternatives()
      at++
      return inner
    }
    const token = take(atom)?.[0] ?? ''
    if (/^\\[1-9k]/.test(token)) throw new SyntaxError('Looks back')
    return /^(?:[$^]|\\b)$/i.test(token) ? { kind: 'assert', token } : { kind: 'char', token }
  }
  const repeated = (item: Node): Node => {
    const found = take(quantifier)
    if (!found) return item
    const [, sign, least, comma, most] = found
    if (sign) return { kind: 'repeat', item, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY }
    const min = Number(least)
    return { kind: 'repeat', item, min, max: most ? Number(most) : comma ? Number.POSITIVE_INFINITY : min }
  }
  return alternatives()
}

function programOf(root: Node, tests: string[]): Instruction[] {
  const program: Instruction[] = []
  let fuel = mostParts
  const push = (instruction: Instruction) => program.push(instruction) - 1
  const choices = (items: readonly Node[]) => {
    const split = { op: 'split' as const, to: [] as number[] }
    push(split)
    const ends = items.map((item) => {
      split.to.push(program.length)
      emit(item)
      const jump = { op: 'jump' as const, to: 0 }
      push(jump)
      return jump
    })
    for (const end of ends) end.to = program.length
  }
  const emit = (node: Node): void => {
    if (--fuel < 0) throw new RangeError('Too large')
    if (node.kind === 'assert') push({ op: 'assert', token: node.token })
    else if (node.kind === 'char')
      push({ op: 'char', test: tests.includes(node.token) ? tests.indexOf(node.token) : tests.push(node.token) - 1 })
    else if (node.kind === 'all') node.items.forEach(emit)
    else if (node.kind === 'any') choices(node.items)
    else repeat(node.item, node.min, node.max)
  }
  const repeat = (item: Node, min: number, max: number): void => {
    for (let n = 0; n < min; n++) emit(item)
    if (max === Number.POSITIVE_INFINITY) {
      const split = { op: 'split' as const, to: [] as number[] }
      const start = push(split)
      emit(item)
      push({ op: 'jump', to: start })
      split.to = [start + 1, program.length]
    } else for (let n = min; n < max; n++) choices([item, { kind: 'all', items: [] }])
  }
  emit(root)
  push({ op: 'match' })
  return program
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
