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
