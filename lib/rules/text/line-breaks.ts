import { decodeUnits } from './bytes.ts'

const [lineFeed, carriageReturn] = [10, 13]
const chunkLength = 4096

/** Replace \r\n and \r with \n. A regular expression would keep each of millions of matches in memory. */
export function normaliseLineBreaks(text: string): string {
  if (!text.includes('\r')) return text
  const parts: string[] = []
  const units = new Uint16Array(chunkLength)
  let length = 0
  const flush = () => {
    parts.push(decodeUnits(units.subarray(0, length)))
    length = 0
  }
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === carriageReturn && text.charCodeAt(at + 1) === lineFeed) continue
    units[length++] = unit === carriageReturn ? lineFeed : unit
    if (length === chunkLength) flush()
  }
  flush()
  return parts.join('')
}
