// Fenced code blocks in markdown. Between the fences, nothing has a meaning for the flow format.

/**
 * The kinds of lines that `classifyLines` returns. An opening fence without a closing one starts no code
 * block.
 */
export const textLine = 0
export const unclosedFence = 1
export const codeLine = 2

/** A code block: the index of its opening fence and of its closing fence. */
export interface CodeBlock {
  from: number
  to: number
}

/** Return the kind of each line from index `start` on. Fences of a code block count as code. */
export function classifyLines(lines: readonly string[], start = 0): Uint8Array {
  const kinds = new Uint8Array(lines.length).fill(textLine)
  const { blocks, unclosed } = findCodeBlocks(lines, start)
  for (const { from, to } of blocks) kinds.fill(codeLine, from, to + 1)
  for (const line of unclosed) kinds[line] = unclosedFence
  return kinds
}

/** Return the code blocks in order, and the lines of opening fences without a closing one. */
export function findCodeBlocks(
  lines: readonly string[],
  start = 0,
): { blocks: CodeBlock[]; unclosed: number[] } {
  const blocks: CodeBlock[] = []
  const unclosed: number[] = []
  let openFence: Fence | null = null
  for (const fence of findFences(lines, start)) {
    if (openFence) {
      if (!fence.canClose || fence.char !== openFence.char || fence.length < openFence.length) continue
      blocks.push({ from: openFence.line, to: fence.line })
      openFence = null
    } else if (fence.canOpen) {
      if (fence.longestClosingBelow >= fence.length) openFence = fence
      else unclosed.push(fence.line)
    }
  }
  return { blocks, unclosed }
}

interface Fence {
  line: number
  /** The character code of a backtick or a tilde. */
  char: number
  length: number
  canOpen: boolean
  canClose: boolean
  /**
   * The length of the longest closing fence below with the same character. With it, no search for a closing
   * fence is needed.
   */
  longestClosingBelow: number
}

const [space, tab, backtick, tilde] = [0x20, 0x09, 0x60, 0x7e]

function findFences(lines: readonly string[], start: number): Fence[] {
  const fences: Fence[] = []
  for (let line = start; line < lines.length; line++) {
    const fence = parseFence(lines[line] as string, line)
    if (fence) fences.push(fence)
  }
  let longestBackticks = 0
  let longestTildes = 0
  for (let index = fences.length - 1; index >= 0; index--) {
    const fence = fences[index] as Fence
    fence.longestClosingBelow = fence.char === backtick ? longestBackticks : longestTildes
    if (!fence.canClose) continue
    if (fence.char === backtick) longestBackticks = Math.max(longestBackticks, fence.length)
    else longestTildes = Math.max(longestTildes, fence.length)
  }
  return fences
}

/**
 * Parse a fence: up to three spaces, at least three backticks or tildes, then an optional language.
 * It uses no regular expression, so that the common case, a line that is no fence, is fast.
 */
function parseFence(text: string, line: number): Fence | null {
  let index = 0
  while (index < 3 && text.charCodeAt(index) === space) index++
  const char = text.charCodeAt(index)
  if (char !== backtick && char !== tilde) return null
  const fenceStart = index
  while (text.charCodeAt(index) === char) index++
  const length = index - fenceStart
  if (length < 3) return null
  const canOpen = char === tilde || !text.includes('`', index)
  while (text.charCodeAt(index) === space || text.charCodeAt(index) === tab) index++
  return { line, char, length, canOpen, canClose: index === text.length, longestClosingBelow: 0 }
}

/**
 * Return the length of the longest run of a character. A list of all runs as arguments would be too long for
 * a call.
 */
export function findLongestRun(text: string, character: string): number {
  let longestRun = 0
  for (let start = text.indexOf(character); start >= 0; start = text.indexOf(character, start)) {
    const runStart = start
    while (text[start] === character) start++
    longestRun = Math.max(longestRun, start - runStart)
  }
  return longestRun
}
