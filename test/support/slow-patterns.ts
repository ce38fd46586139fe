import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from '../../lib/local/root.ts'
import { createHostileTexts, type HostileText, writeHostileText } from './hostile-texts.ts'
import { parseSource, walk } from './source-tree.ts'

// Tries every regular expression of the service with texts of n and 2n, and prints those whose time grows faster
// than the text, or that look at each character hundreds of times, and that have no reason, as JSON lines:
// node slow-patterns.ts <texts of a pattern>

export interface SlowPattern {
  at: string
  pattern: string
  /** How the time grows: 2 is quadratic. */
  power?: number
  /** The time of a character, where it grows linearly, by a large factor. */
  nsPerCharacter?: number
  text?: HostileText
}

interface Pattern {
  at: string
  source: string
  flags: string
}

/** The reason why a pattern needs none of this: on its line or the one before. */
const reason = /\/\/ Bounded: \S/

const nativeRegExp = RegExp
const created: Pattern[] = []

/** Remember what modules create of texts while they load. */
function watchConstructor() {
  globalThis.RegExp = new Proxy(nativeRegExp, {
    construct(target, [pattern, flags]) {
      const regExp = new target(pattern, flags)
      const caller = new Error().stack?.split('\n')[2] ?? ''
      const [, path = '', line] = /(?:file:\/\/)?(\/[^:]+):(\d+):\d+\)?$/.exec(caller) ?? []
      created.push({ at: `${relative(root, path)}:${line}`, source: regExp.source, flags: regExp.flags })
      return regExp
    },
  })
}

/** Return the place of each pattern and of each call of the constructor that has no reason. */
function findPatterns(file: string): { patterns: Pattern[]; calls: string[] } {
  const source = readFileSync(join(root, file), 'utf8')
  const lines = source.split('\n')
  const { ast, findLine } = parseSource(source)
  const hasReason = (line: number) =>
    lines.slice(Math.max(0, line - 2), line).some((text) => reason.test(text))
  const patterns: Pattern[] = []
  const calls: string[] = []
  for (const node of walk(ast)) {
    const line = node.span ? findLine(node.span) : 0
    if (hasReason(line)) continue
    const callee = node.callee as { value?: string } | undefined
    if (node.type === 'RegExpLiteral')
      patterns.push({ at: `${file}:${line}`, source: String(node.pattern), flags: String(node.flags) })
    else if (node.type === 'NewExpression' && callee?.value === 'RegExp') calls.push(`${file}:${line}`)
  }
  return { patterns, calls }
}

const measure = (work: () => unknown) => {
  const startedAt = performance.now()
  work()
  return performance.now() - startedAt
}
const measureCpu = (work: () => unknown) => {
  const { user, system } = process.threadCpuUsage()
  work()
  const after = process.threadCpuUsage()
  return (after.user + after.system - user - system) / 1000
}

const lengths = { short: 512, long: 4096 }
/** A linear pattern takes a hundredth of it for the long text. */
const suspectMs = 1.5
const confirmMs = 60
const maxConfirmLength = 128 * 1024

/** Return the power of the length with which the time grows. */
const toPower = (ms: number, shortMs: number, factor: number) => Math.log(ms / shortMs) / Math.log(factor)

/** Return how the time grows at the first length that takes long enough to be measured. */
function measurePower(run: (length: number) => void): number {
  const best = (length: number) => Math.min(...[1, 2, 3].map(() => measure(() => run(length))))
  const { short, long } = lengths
  if (toPower(best(long), best(short), long / short) < 1.4) return 1
  let half = 1
  for (let length = short; length <= maxConfirmLength; length *= 2) {
    const ms = Math.min(...[1, 2].map(() => measureCpu(() => run(length))))
    if (ms > confirmMs) return toPower(ms, Math.max(half, 1), 2)
    half = ms
  }
  return 1
}

/** Three times what the slowest pattern takes that has no repetition of hundreds. */
const maxNsPerCharacter = 800
const factorLength = 32 * 1024

/** Return the time of a character if it is too long in each of five measurements. */
function measureFactor(run: (length: number) => void): number | undefined {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < 5 && least > maxNsPerCharacter; n++)
    least = Math.min(least, (measureCpu(() => run(factorLength)) * 1e6) / factorLength)
  return least > maxNsPerCharacter ? Math.round(least) : undefined
}

/** Return the last of three powers if each is more than that of a linear pattern. */
function confirm(measureAgain: () => number): number | undefined {
  let power: number | undefined
  for (let n = 0; n < 3; n++) {
    power = measureAgain()
    if (power <= 1.6) return
  }
  return power
}

/** How many texts of each pattern are tried. */
const most = Number(process.argv[2] ?? 200)

type Slowness = Pick<SlowPattern, 'power' | 'nsPerCharacter' | 'text'>

function findSlowText(pattern: Pattern): Slowness | undefined {
  const regExp = new nativeRegExp(pattern.source, pattern.flags)
  for (const text of createHostileTexts(pattern.source, pattern.flags, most)) {
    const run = (length: number) => {
      regExp.lastIndex = 0
      const value = writeHostileText(text, length)
      // With the flag g, all matches are looked for.
      return regExp.global ? value.replace(regExp, '') : regExp.test(value)
    }
    // An exponential one would not end, and the first run compiles it.
    const isFast = [16, 24, 32, 256, lengths.long].every((length) => measure(() => run(length)) < suspectMs)
    if (isFast) continue
    // A machine that is busy disturbs one measurement, not all.
    const power = confirm(() => measurePower(run))
    if (power) return { power, text }
    const nsPerCharacter = measureFactor(run)
    if (nsPerCharacter) return { nsPerCharacter, text }
  }
}

if (import.meta.main) {
  watchConstructor()
  const files = globSync(['lib/**/*.ts', 'functions/**/*.ts'], { cwd: root }).filter(
    (file) => !/^lib\/(?:local|client|ops|db)\//.test(file),
  )
  const print = (pattern: SlowPattern) => console.log(JSON.stringify(pattern))
  const found = files.map(findPatterns)
  const literals = found.flatMap(({ patterns }) => patterns)
  const calls = new Set(found.flatMap(({ calls }) => calls))
  for (const file of new Set([...calls].map((at) => at.split(':')[0] as string)))
    await import(join(root, file))
  const fromTexts = created.filter(({ at }) => calls.has(at))
  const seen = new Set(fromTexts.map(({ at }) => at))
  for (const at of calls) if (!seen.has(at)) print({ at, pattern: 'created by a call' })
  const tried = new Map<string, Slowness | undefined>()
  for (const pattern of [...literals, ...fromTexts]) {
    const key = `/${pattern.source}/${pattern.flags}`
    if (!tried.has(key)) tried.set(key, findSlowText(pattern))
    const slow = tried.get(key)
    if (slow) print({ at: pattern.at, pattern: key, ...slow })
  }
  console.log(JSON.stringify({ tried: tried.size }))
  // What the modules have opened would keep it running.
  process.exit()
}
