import { type Box, round } from './edge-paths.ts'
import { type DiagramNode, getLabel } from './schema.ts'

export const lineHeight = 15
const margin = 40

/** Return the position and size of a node. It is at least as large as its label. */
export function computeBox(node: DiagramNode): Box {
  const { position, style } = node
  const lines = wrapText(getLabel(node))
  const textWidth = lines.reduce((widest, line) => Math.max(widest, estimateWidth(line)), 0)
  const minHeight = 48 + lines.length * lineHeight
  return {
    ...position,
    width: parseSize(style?.width) ?? Math.max(120, Math.ceil(textWidth) + 24),
    height: Math.max(parseSize(style?.height) ?? 0, minHeight),
  }
}

/** Return the smallest box around all boxes, with a margin. */
export function computeViewBox(boxes: readonly Box[]): Box {
  if (boxes.length === 0) return { x: 0, y: 0, width: 400, height: 200 }
  let left = Number.POSITIVE_INFINITY
  let top = Number.POSITIVE_INFINITY
  let right = Number.NEGATIVE_INFINITY
  let bottom = Number.NEGATIVE_INFINITY
  for (const box of boxes) {
    left = Math.min(left, box.x)
    top = Math.min(top, box.y)
    right = Math.max(right, box.x + box.width)
    bottom = Math.max(bottom, box.y + box.height)
  }
  const x = Math.floor(left - margin)
  const y = Math.floor(top - margin)
  return { x, y, width: Math.ceil(right + margin) - x, height: Math.ceil(bottom + margin) - y }
}

/**
 * Break a text into at most `maxLines` lines of at most `maxLength` characters. A text that is too long ends
 * with an ellipsis.
 */
export function wrapText(text: string, maxLength = 22, maxLines = 3): string[] {
  const lines: string[] = []
  // No more words and characters than could be shown, because labels may be long and are many.
  const maxWords = (maxLines + 1) * maxLength
  const words = text
    .split(/\s+/, maxWords)
    .flatMap((part) => splitLongWord(part.slice(0, 2 * maxWords), maxLength))
  for (const word of words) {
    if (lines.length > maxLines) break
    const lastLine = lines.at(-1)
    const extendedLine = `${lastLine} ${word}`
    if (lastLine !== undefined && Array.from(extendedLine).length <= maxLength)
      lines[lines.length - 1] = extendedLine
    else lines.push(word)
  }
  return lines.length <= maxLines ? lines : [...lines.slice(0, maxLines - 1), `${lines[maxLines - 1]}…`]
}

function splitLongWord(word: string, maxLength: number): string[] {
  // Bounded: one repetition, which each character ends.
  return word.match(new RegExp(`.{1,${maxLength}}`, 'gu')) ?? [word]
}

/** Estimate the width of a text of 12 px in pixels. Characters of East Asian scripts take about one em. */
export function estimateWidth(text: string): number {
  let width = 0
  for (const char of text) width += (char.codePointAt(0) ?? 0) > 0x2e80 ? 12.5 : 7
  return width
}

/** Parse a number, or a text such as `12` or `1.5px`. */
export function parseNumber(value: unknown): number | undefined {
  const number =
    typeof value === 'string' && /^\d{1,4}(\.\d{1,2})?(px)?$/.test(value.trim())
      ? Number.parseFloat(value)
      : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

function parseSize(value: unknown): number | undefined {
  const size = parseNumber(value)
  return size === undefined ? undefined : round(Math.min(Math.max(size, 40), 1200))
}
