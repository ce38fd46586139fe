// Code in a text: what stands between its fences means nothing, whatever it looks like.

/** What a line is to code fences: outside, the first of a fence that never ends and so is none, or code with its fences. */
export const [outside, endless, code] = [0, 1, 2] as const

/** The lines of a block of code, its fences the first and the last of them. */
export interface CodeBlock {
  from: number
  to: number
}

export function fencesOf(lines: readonly string[], start = 0): Uint8Array {
  const found = new Uint8Array(lines.length)
  const { blocks, unclosed } = codeBlocksOf(lines, start)
  for (const { from, to } of blocks) found.fill(code, from, to + 1)
  for (const line of unclosed) found[line] = endless
  return found
}

/** Blocks of code in their order, and the lines of fences that never end. */
export function codeBlocksOf(lines: readonly string[], start = 0): { blocks: CodeBlock[]; unclosed: number[] } {
  const [blocks, unclosed]: [CodeBlock[], number[]] = [[], []]
  const fences = fencesIn(lines, start)
  let open: Fence | null = null
  for (const fence of fences) {
    if (open) {
      if (!fence.closes || fence.char !== open.char || fence.length < open.length) continue
      blocks.push({ from: open.line, to: fence.line })
      open = null
    } else if (fence.opens) {
      if (fence.closedBy >= fence.length) open = fence
      else unclosed.push(fence.line)
    }
  }
  return { blocks, unclosed }
}

interface Fence {
  line: number
  char: number
  length: number
  opens: boolean
  closes: boolean
  /** The longest closing fence of its kind behind it: whether it ends is then no search. */
  closedBy: number
}

const [space, tab, tick, tilde] = [0x20, 0x09, 0x60, 0x7e]

function fencesIn(lines: readonly string[], start: number): Fence[] {
  const fences: Fence[] = []
  for (let line = start; line < lines.length; line++) {
    const fence = fenceIn(lines[line] as string, line)
    if (fence) fences.push(fence)
  }
  let [ticks, tildes] = [0, 0]
  for (let n = fences.length - 1; n >= 0; n--) {
    const fence = fences[n] as Fence
    fence.closedBy = fence.char === tick ? ticks : tildes
    if (!fence.closes) continue
    if (fence.char === tick) ticks = Math.max(ticks, fence.length)
    else tildes = Math.max(tildes, fence.length)
  }
  return fences
}

/** Up to three spaces, three ticks or tildes or more of them, and what a block's language is said by or nothing. Most lines begin otherwise. */
function fenceIn(text: string, line: number): Fence | null {
  let at = 0
  while (at < 3 && text.charCodeAt(at) === space) at++
  const char = text.charCodeAt(at)
  if (char !== tick && char !== tilde) return null
  const begin = at
  while (text.charCodeAt(at) === char) at++
  const length = at - begin
  if (length < 3) return null
  const opens = char === tilde || text.indexOf('`', at) < 0
  while (text.charCodeAt(at) === space || text.charCodeAt(at) === tab) at++
  return { line, char, length, opens, closes: at === text.length, closedBy: 0 }
}
