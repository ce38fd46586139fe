import { canSpend, spend } from '#rules/budget.ts'

// Users write these patterns, and a backtracking regular expression can run for hours. So a pattern is
// compiled to an automaton. Its time is proportional to the size of the pattern and the length of the text,
// and a budget limits it. Lookaround and backreferences need backtracking and are not supported.

/** Longer texts must not be matched. */
export const maxPatternTextLength = 1000
const maxPatternParts = 1000
const stepsPerInstruction = 5
const stepsPerCharTest = 10
/** Compiling a pattern of the greatest size takes half a millisecond. */
const stepsPerProgram = 50_000
const unlimited = Number.POSITIVE_INFINITY

type PatternNode =
  | { kind: 'char'; token: string }
  | { kind: 'assertion'; token: string }
  | { kind: 'sequence'; items: PatternNode[] }
  | { kind: 'alternatives'; items: PatternNode[] }
  | { kind: 'repetition'; item: PatternNode; min: number; max: number }

/** The instructions of the automaton. All targets are indexes of instructions. */
type Instruction =
  /** Consume one character if test number `test` accepts it. */
  | { op: 'char'; test: number }
  | { op: 'assertion'; token: string }
  /** Continue at all targets. */
  | { op: 'split'; targets: number[] }
  | { op: 'jump'; target: number }
  | { op: 'match' }

/**
 * Return whether the whole text matches. All texts of a request share one budget. Throw 422 when it is used
 * up.
 */
export type Matcher = (text: string) => boolean

/**
 * Compile a regular expression with the flag `u`. Return undefined if it is invalid, not supported or too
 * large.
 */
export function compilePattern(pattern: string): Matcher | undefined {
  try {
    const { program, charTokens } = compileProgram(pattern)
    // Bounded: it is run on one character.
    const charTests = charTokens.map((token) => new RegExp(`^${token}$`, 'u'))
    return (text) => runProgram(program, charTests, [...text])
  } catch {
    return undefined
  }
}

/** Throw for a pattern that is invalid, not supported or too large. */
function compileProgram(pattern: string): Pick<Compiler, 'program' | 'charTokens'> {
  // Bounded: it is compiled, never run.
  new RegExp(pattern, 'u')
  const compiler: Compiler = { program: [], charTokens: [], partsLeft: maxPatternParts }
  compileNode(compiler, parseAlternatives({ pattern, position: 0 }))
  return { program: [...compiler.program, { op: 'match' }], charTokens: compiler.charTokens }
}

/**
 * Return whether no text of a length between `min` and `max` can match a pattern. A test of a character is
 * assumed to accept some character and a word boundary to be there, so `false` says nothing. Also false for
 * what takes too much work.
 */
export function isImpossiblePattern(pattern: string, min: number, max: number): boolean {
  if (!canSpend(stepsPerProgram)) return false
  spend(stepsPerProgram)
  let program: readonly Instruction[]
  try {
    program = compileProgram(pattern).program
  } catch {
    return false
  }
  const lastLength = Math.min(max, maxPatternTextLength)
  if (min > lastLength) return true
  const lastVisits = new Int32Array(program.length)
  let current = [0]
  for (let length = 0; length <= lastLength && current.length > 0; length++) {
    // Twice: at the end of the text, and not.
    const steps = 2 * program.length * stepsPerInstruction
    if (!canSpend(steps)) return false
    spend(steps)
    const follow = (isEnd: boolean) =>
      followJumps(program, current, 2 * length + (isEnd ? 2 : 1), lastVisits, (token) =>
        token === '^' ? length === 0 : token !== '$' || isEnd,
      )
    if (length >= min && follow(true).some((address) => program[address]?.op === 'match')) return false
    current = follow(false)
      .filter((address) => program[address]?.op === 'char')
      .map((address) => address + 1)
  }
  return true
}

/** One character, escape or character class. */
const charToken =
  /\\(?:u\{[\da-f]+\}|ud[89ab]..\\ud[c-f]..|u.{4}|x..|c[a-z]|p\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|./isuy
const groupStart = /\((?:\?:|\?<[^=!][^>]*>)?/uy
const quantifier = /(?:([*+?])|\{(\d+)(,?)((?:(?<=,)\d+)?)\})\??/uy

/** The pattern was accepted by RegExp before, so the parser needs to detect only what is not supported. */
interface PatternParser {
  pattern: string
  position: number
}

function take(parser: PatternParser, expression: RegExp): RegExpExecArray | null {
  expression.lastIndex = parser.position
  const match = expression.exec(parser.pattern)
  if (match) parser.position += match[0].length
  return match
}

function parseAlternatives(parser: PatternParser): PatternNode {
  const items = [parseSequence(parser)]
  while (parser.pattern[parser.position] === '|') {
    parser.position++
    items.push(parseSequence(parser))
  }
  return items.length === 1 && items[0] ? items[0] : { kind: 'alternatives', items }
}

function parseSequence(parser: PatternParser): PatternNode {
  const items: PatternNode[] = []
  while (!['|', ')', undefined].includes(parser.pattern[parser.position]))
    items.push(parseQuantifier(parser, parseItem(parser)))
  return items.length === 1 && items[0] ? items[0] : { kind: 'sequence', items }
}

function parseItem(parser: PatternParser): PatternNode {
  if (take(parser, groupStart)) {
    if (parser.pattern[parser.position] === '?')
      throw new SyntaxError('Lookaround and flags are not supported')
    const group = parseAlternatives(parser)
    // Skip the closing bracket.
    parser.position++
    return group
  }
  const token = take(parser, charToken)?.[0] ?? ''
  if (/^\\[1-9k]/.test(token)) throw new SyntaxError('Backreferences are not supported')
  const isAssertion = /^(?:[$^]|\\b)$/i.test(token)
  return isAssertion ? { kind: 'assertion', token } : { kind: 'char', token }
}

/** Lazy quantifiers are like greedy ones, because only the whole text can match. */
function parseQuantifier(parser: PatternParser, item: PatternNode): PatternNode {
  const match = take(parser, quantifier)
  if (!match) return item
  const [, sign, minText, comma, maxText] = match
  if (sign) return { kind: 'repetition', item, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : unlimited }
  const min = Number(minText)
  const maxWithoutNumber = comma ? unlimited : min
  return { kind: 'repetition', item, min, max: maxText ? Number(maxText) : maxWithoutNumber }
}

interface Compiler {
  program: Instruction[]
  /** The tokens that `char` instructions test for. */
  charTokens: string[]
  /** How many more parts the pattern may have. */
  partsLeft: number
}

function compileNode(compiler: Compiler, node: PatternNode): void {
  compiler.partsLeft--
  if (compiler.partsLeft < 0) throw new RangeError('The pattern is too large')
  switch (node.kind) {
    case 'char':
      compiler.program.push({ op: 'char', test: getCharTest(compiler, node.token) })
      break
    case 'assertion':
      compiler.program.push({ op: 'assertion', token: node.token })
      break
    case 'sequence':
      for (const item of node.items) compileNode(compiler, item)
      break
    case 'alternatives':
      compileAlternatives(compiler, node.items)
      break
    case 'repetition':
      compileRepetition(compiler, node)
  }
}

function getCharTest({ charTokens }: Compiler, token: string): number {
  const index = charTokens.indexOf(token)
  return index >= 0 ? index : charTokens.push(token) - 1
}

function compileAlternatives(compiler: Compiler, items: readonly PatternNode[]): void {
  const { program } = compiler
  const split = { op: 'split' as const, targets: [] as number[] }
  program.push(split)
  const jumps = items.map((item) => {
    split.targets.push(program.length)
    compileNode(compiler, item)
    const jump = { op: 'jump' as const, target: 0 }
    program.push(jump)
    return jump
  })
  for (const jump of jumps) jump.target = program.length
}

function compileRepetition(
  compiler: Compiler,
  { item, min, max }: Extract<PatternNode, { kind: 'repetition' }>,
): void {
  const { program } = compiler
  for (let n = 0; n < min; n++) compileNode(compiler, item)
  const splits: { op: 'split'; targets: number[] }[] = []
  // Without a limit, one optional item follows that jumps back to itself.
  const optionalCount = max === unlimited ? 1 : max - min
  for (let n = 0; n < optionalCount; n++) {
    const start = program.length
    const split = { op: 'split' as const, targets: [start + 1] }
    program.push(split)
    splits.push(split)
    compileNode(compiler, item)
    if (max === unlimited) program.push({ op: 'jump', target: start })
  }
  for (const split of splits) split.targets.push(program.length)
}

/** Follow all paths through the program at the same time, one character after the other. */
function runProgram(
  program: readonly Instruction[],
  charTests: readonly RegExp[],
  chars: readonly string[],
): boolean {
  const lastVisits = new Int32Array(program.length)
  spend(program.length)
  const follow = (start: readonly number[], position: number) =>
    followJumps(program, start, position + 1, lastVisits, (token) => isAssertionTrue(token, chars, position))
  let current = follow([0], 0)
  for (const [index, char] of chars.entries()) {
    spend(current.length * stepsPerInstruction + charTests.length * stepsPerCharTest)
    const results = charTests.map((test) => test.test(char))
    const next: number[] = []
    for (const address of current) {
      const instruction = program[address]
      if (instruction?.op === 'char' && results[instruction.test]) next.push(address + 1)
    }
    if (next.length === 0) return false
    current = follow(next, index + 1)
  }
  return current.some((address) => program[address]?.op === 'match')
}

/**
 * Return all instructions that can be reached from `start` without consuming a character. `lastVisits` contains
 * `mark` for each instruction that was visited in this pass.
 */
function followJumps(
  program: readonly Instruction[],
  start: readonly number[],
  mark: number,
  lastVisits: Int32Array,
  isTrue: (assertion: string) => boolean,
): number[] {
  const reachedAddresses: number[] = []
  const pendingAddresses = [...start]
  for (let address = pendingAddresses.pop(); address !== undefined; address = pendingAddresses.pop()) {
    if (lastVisits[address] === mark) continue
    lastVisits[address] = mark
    reachedAddresses.push(address)
    const instruction = program[address]
    if (instruction?.op === 'split') for (const item of instruction.targets) pendingAddresses.push(item)
    else if (instruction?.op === 'jump') pendingAddresses.push(instruction.target)
    else if (instruction?.op === 'assertion' && isTrue(instruction.token)) pendingAddresses.push(address + 1)
  }
  return reachedAddresses
}

function isAssertionTrue(token: string, chars: readonly string[], position: number): boolean {
  if (token === '^') return position === 0
  if (token === '$') return position === chars.length
  const isAtWordBoundary = isWordCharacter(chars[position - 1]) !== isWordCharacter(chars[position])
  return token === '\\b' ? isAtWordBoundary : !isAtWordBoundary
}

function isWordCharacter(char: string | undefined): boolean {
  return char !== undefined && /^\w$/.test(char)
}
