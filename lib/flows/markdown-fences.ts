// Code in a text: what stands between its fences means nothing, whatever it looks like.

const fenceOpens = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/s
const fenceCloses = /^ {0,3}(`{3,}|~{3,})[ \t]*$/

/** What a line is to code fences: outside, the first of a fence that never ends and so is none, or code with its fences. */
export const [outside, endless, code] = [0, 1, 2] as const

export function fencesOf(lines: readonly string[], start = 0): Uint8Array {
  const found = new Uint8Array(lines.length)
  if (!lines.some(mayFence)) return found
  const closes = longestCloses(lines, start)
  let fence = ''
  for (let index = start; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (fence) {
      found[index] = code
      const close = mayFence(line) ? fenceCloses.exec(line)?.[1] : undefined
      if (close?.[0] === fence[0] && (close?.length ?? 0) >= fence.length) fence = ''
    } else if (mayFence(line)) {
      const [, ticks, tildes] = fenceOpens.exec(line) ?? []
      const opens = ticks ?? tildes
      if (!opens) continue
      const ends = (ticks ? closes.ticks : closes.tildes)[index + 1] ?? 0
      if (ends >= opens.length) fence = opens
      found[index] = fence ? code : endless
    }
  }
  return found
}

/** For each line the longest closing fence from there on, of either kind: whether one ends is then no search. */
function longestCloses(lines: readonly string[], start: number): { ticks: Int32Array; tildes: Int32Array } {
  const [ticks, tildes] = [new Int32Array(lines.length + 1), new Int32Array(lines.length + 1)]
  for (let index = lines.length - 1; index >= start; index--) {
    const line = lines[index] ?? ''
    const close = (mayFence(line) && fenceCloses.exec(line)?.[1]) || ''
    ticks[index] = Math.max(ticks[index + 1] ?? 0, close[0] === '`' ? close.length : 0)
    tildes[index] = Math.max(tildes[index + 1] ?? 0, close[0] === '~' ? close.length : 0)
  }
  return { ticks, tildes }
}

/** Rules most lines out without a regular expression: a file may have millions. */
function mayFence(line: string): boolean {
  let at = 0
  while (at < 3 && line.charCodeAt(at) === 0x20) at++
  const char = line.charCodeAt(at)
  return char === 0x60 || char === 0x7e
}
