const escapeSequence =
  /\\(?:\r\n|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([^xuU0-7]))/gsu
const characterByEscape: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\n': '',
  '\r': '',
}

/**
 * Replace the escape sequences of a string. Return undefined if it names a character, as `\N{dash}` does.
 * https://docs.python.org/3/reference/lexical_analysis.html#escape-sequences
 */
export function decodeEscapes(source: string, isBytes: boolean): string | undefined {
  if (!source.includes('\\')) return source
  let isNamed = false
  const text = source.replace(escapeSequence, (sequence, hex, short, long, octal, char) => {
    if (char === 'N' && !isBytes) isNamed = true
    const isUnicode = short !== undefined || long !== undefined
    if (isUnicode && isBytes) return sequence
    const code =
      octal === undefined ? Number.parseInt(hex ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8)
    if (code <= 0x10ffff) return String.fromCodePoint(code)
    if (char === undefined) return ''
    return characterByEscape[char] ?? (/["'\\]/.test(char) ? char : sequence)
  })
  return isNamed ? undefined : text
}
