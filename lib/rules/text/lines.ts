/**
 * Replace line breaks and the white space around them with one space. It splits and trims, because `\s*`
 * before a line break tries each character of a run of spaces as its start.
 */
export function joinLines(text: string): string {
  const lines = text.split(/[\r\n]+/)
  if (lines.length === 1) return text
  const [first = '', last = ''] = [lines[0], lines.at(-1)]
  const between = lines.slice(1, -1).flatMap((line) => line.trim() || [])
  return [first.trimEnd(), ...between, last.trimStart()].join(' ')
}

/**
 * Create a function that returns the line of a position in a text; the first is 1. Positions ascend, so that
 * one pass finds all lines.
 */
export function createLineCounter(text: string): (position: number) => number {
  let line = 1
  let countedTo = 0
  return (position) => {
    for (
      let end = text.indexOf('\n', countedTo);
      end >= 0 && end < position;
      end = text.indexOf('\n', countedTo)
    ) {
      countedTo = end + 1
      line++
    }
    return line
  }
}
