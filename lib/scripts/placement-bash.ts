import type { FindUnsafePlaces } from './placeholders.ts'

/** What a part of a script is in: each opens inside another and closes where it ends. */
type Frame = 'code' | 'single' | 'ansi' | 'double' | 'backtick' | 'expansion' | 'arithmetic' | 'comment'

const inString = 'stands in a quoted string: leave the quotes out, the value brings its own'
const reasonOf: Record<Exclude<Frame, 'code'>, string> = {
  single: inString,
  ansi: inString,
  double: inString,
  backtick: 'stands between backticks: use $( … ) instead',
  expansion: 'stands inside the braces of a variable',
  arithmetic: 'stands in arithmetic: put it into a variable first',
  comment: 'stands in a comment',
}

interface Open {
  frame: Frame
  /** Brackets open in it, so that its own closing one is known. */
  depth: number
  /** `case`s open in it, whose patterns end with a bracket that closes nothing. */
  cases: number
}
interface Heredoc {
  word: string
  tabs: boolean
}
interface Walk {
  body: string
  at: number
  /** From the outermost in. */
  open: Open[]
  heredoc: Heredoc | null
  /** Here-documents that begin with the next line. */
  pending: Heredoc[]
}

/** Walks a shell script as far as strings, comments, here-documents and expansions go. */
export const bashPlaces: FindUnsafePlaces = (body, placeholders) => {
  const walk: Walk = { body, at: 0, open: [{ frame: 'code', depth: 0, cases: 0 }], heredoc: null, pending: [] }
  const reasons = new Map<number, string>()
  for (const { start, end } of placeholders) {
    while (walk.at < start) advance(walk)
    const reason = walk.heredoc ? 'stands in a here-document' : (around(walk) ?? besides(body.slice(Math.max(0, start - 2000), start)))
    if (reason) reasons.set(start, reason)
    walk.at = end
  }
  return reasons
}

/** Not even code is safe inside what is itself read again. */
function around({ open }: Walk): string | undefined {
  const frame = open.map(({ frame }) => frame).find((frame) => frame !== 'code')
  return frame && reasonOf[frame as Exclude<Frame, 'code'>]
}

const commandWords = new Set(
  'then do else elif if while until time eval exec source command builtin sudo env xargs nohup trap coproc'.split(' '),
)

/** What a placeholder in code must not have before it. */
function besides(text: string): string | undefined {
  const before = text.replace(/\\\r?\n/g, ' ')
  const last = before.at(-1) ?? ''
  if (last === '$' || last === '\\') return 'does not stand by itself: what is before it would change its meaning'
  if (/(^|[^<])<<-?[ \t]*$/.test(before)) return 'names a here-document'
  const line = before.replace(/[ \t]+$/, '')
  const named = 'stands where a command is named: its value would be run'
  if ('\n;|&(`!{'.includes(line.at(-1) ?? '\n') && !/[<>]&$/.test(line)) return named
  const apart = /[ \t]$/.test(before)
  const word = /(?:^|[\s;|&(`!])(\w+|\.)$/.exec(line)?.[1]
  if (apart && word && (word === '.' || commandWords.has(word))) return named
  if (apart && /(^|[\s/;|&(])(ba|da|z|k)?sh([ \t]+-\w+)*[ \t]+-\w*c\w*$/.test(line)) return named
  return undefined
}

function advance(walk: Walk): void {
  if (walk.heredoc) {
    inHeredoc(walk)
    return
  }
  const top = walk.open.at(-1) as Open
  const [length, change] = steps[top.frame](walk, walk.body[walk.at] ?? '', top)
  walk.at += length
  if (change === 'close') walk.open.pop()
  else if (change) walk.open.push({ frame: change, depth: 0, cases: 0 })
}

/** How far to go on, and what opens or closes there. */
type Step = [length: number, change?: Frame | 'close' | undefined]

const steps: Record<Frame, (walk: Walk, char: string, top: Open) => Step> = {
  single: (_, char) => [1, char === "'" ? 'close' : undefined],
  ansi: (_, char) => (char === '\\' ? [2] : [1, char === "'" ? 'close' : undefined]),
  comment: (_, char) => (char === '\n' ? [0, 'close'] : [1]),
  backtick: (_, char) => (char === '\\' ? [2] : [1, char === '`' ? 'close' : undefined]),
  double: (walk, char) => {
    if (char === '\\') return [2]
    if (char === '`') return [1, 'backtick']
    return dollar(walk, char, false) ?? [1, char === '"' ? 'close' : undefined]
  },
  expansion: (walk, char) => {
    if (char === '\\') return [2]
    if (char === "'" || char === '"') return [1, char === '"' ? 'double' : 'single']
    return dollar(walk, char, false) ?? [1, char === '}' ? 'close' : undefined]
  },
  arithmetic: (walk, char, top) => {
    if (char === '(') top.depth++
    else if (char === ')' && top.depth > 0) top.depth--
    else if (walk.body.startsWith('))', walk.at)) return [2, 'close']
    return dollar(walk, char, false) ?? [1]
  },
  code,
}

function code(walk: Walk, char: string, top: Open): Step {
  const { body, at } = walk
  const opened = { "'": 'single', '"': 'double', '`': 'backtick' } as const
  if (char === '\\') return [2]
  if (char in opened) return [1, opened[char as keyof typeof opened]]
  if (char === '#' && /^$|[\s;|&()]/.test(body[at - 1] ?? '')) return [1, 'comment']
  if (char === '(') return bracket(walk, top)
  const word = /[\s;|&(]/.test(body[at - 1] ?? '\n') && /^(case|esac)\b/.exec(body.slice(at, at + 5))?.[1]
  if (word) top.cases = Math.max(0, top.cases + (word === 'case' ? 1 : -1))
  if (char === ')') {
    if (top.depth === 0 && top.cases === 0 && walk.open.length > 1) return [1, 'close']
    top.depth = Math.max(0, top.depth - 1)
  }
  if (body.startsWith('<<<', at)) return [3]
  if (body.startsWith('<<', at)) return [heredocAt(walk)]
  if (char === '\n') walk.heredoc = walk.pending.shift() ?? null
  return dollar(walk, char, true) ?? [1]
}

function bracket({ body, at }: Walk, top: Open): Step {
  const before = body.slice(Math.max(0, at - 40), at)
  if (body[at + 1] === '(' && /(^|[\n;|&({!]|\b(then|do|else|if|while|until|for))[ \t]*$/.test(before)) return [2, 'arithmetic']
  top.depth++
  return [1]
}

/** What a dollar sign opens. */
function dollar({ body, at }: Walk, char: string, inCode: boolean): Step | undefined {
  if (char !== '$') return undefined
  if (body.startsWith('$((', at)) return [3, 'arithmetic']
  if (body[at + 1] === '(') return [2, 'code']
  if (body[at + 1] === '{') return [2, 'expansion']
  if (inCode && body[at + 1] === "'") return [2, 'ansi']
  return inCode && body[at + 1] === '"' ? [2, 'double'] : undefined
}

/** Notes a here-document that begins with the next line; answers how long its mark is. */
function heredocAt({ body, at, pending }: Walk): number {
  const mark = /^<<(-?)[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|([^\s;|&()<>]+))?/.exec(body.slice(at, at + 300))
  const [whole = '<<', dash = '', single, double, plain] = mark ?? []
  const word = single ?? double ?? plain?.replace(/[\\'"]/g, '')
  if (word !== undefined) pending.push({ word, tabs: dash === '-' })
  return whole.length
}

/** One character at a time but for the line that ends it, so that a placeholder in it is met. */
function inHeredoc(walk: Walk): void {
  const { body, at } = walk
  const { word, tabs } = walk.heredoc as Heredoc
  if (body[at - 1] === '\n') {
    const end = body.indexOf('\n', at)
    const line = body.slice(at, end < 0 ? body.length : end)
    if ((tabs ? line.replace(/^\t+/, '') : line) === word) {
      walk.heredoc = walk.pending.shift() ?? null
      walk.at += line.length + (walk.heredoc ? 1 : 0)
      if (line.length > 0 || walk.heredoc) return
      walk.at++
      return
    }
  }
  walk.at++
}
