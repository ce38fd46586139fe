// The words of the service run from left to right. A value from right to left within them, such as a name in
// Arabic, would pull the words and full stops beside it to its other side, so it is isolated:
// https://www.w3.org/International/questions/qa-bidi-unicode-controls

const [firstStrongIsolate, popIsolate] = ['\u2068', '\u2069']
const rightToLeft =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const isolateMark = /[\u2066-\u2069]/g

/**
 * Isolate a value that will stand within other words, line by line, because a line ends every isolate. One
 * that runs from left to right is returned as it is: it needs no characters that a search or a program would
 * stumble over.
 */
export function isolate(value: string): string {
  if (!rightToLeft.test(value)) return value
  return value.replace(/[^\r\n]+/g, (line) => `${firstStrongIsolate}${closeIsolates(line)}${popIsolate}`)
}

/**
 * Write words of the service with values in them. The values are isolated. A label that a user wrote is no
 * such value: `كلمة المرور: …` is masked by its label, colon and value.
 */
export function sentence(words: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return String.raw({ raw: words }, ...values.map((value) => isolate(String(value))))
}

/** Close what a value opens, and remove what it closes without having opened it. */
function closeIsolates(value: string): string {
  let depth = 0
  const closed = value.replace(isolateMark, (mark) => {
    if (mark !== popIsolate) depth++
    else if (depth === 0) return ''
    else depth--
    return mark
  })
  return closed + popIsolate.repeat(depth)
}
