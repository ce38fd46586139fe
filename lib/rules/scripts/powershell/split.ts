import type { JudgedPlaceholder } from '#rules/scripts/placeholders.ts'

/**
 * Matches what stands for a placeholder in the text of a statement. The group is the index of the
 * placeholder.
 */
export const marker = /\u{f0000}(\d+);/gu

const isAssignment = /^\s*(?:\[[\w.[\]]+\]\s*)?[$@]\{?[\w:.[\]"'$]+\}?\s*[-+*/%?]*=/
/** An operator at the end of a line continues the statement. */
const opensLine = /(?:[|,=({+&*/%.:!<>]|(?:^|[\s)\]}"';])-\w+)$/
const continuesLine = /(?:\||\.(?=\w)|&&|(?:else|elseif|catch|finally|while|until)\b)/iy

/**
 * Split at line breaks and semicolons outside quotes and brackets. The braces of an assigned value belong to
 * the statement. The texts contain a marker for each placeholder.
 */
export function splitStatements(
  code: string,
  isCode: readonly boolean[],
  placeholders: readonly JudgedPlaceholder[],
): string[] {
  // The code has the same length as the script.
  const placeholderAt = new Map(placeholders.map(({ start, end }, index) => [start, { index, end }]))
  const isLineContinued = createContinuationTest(code)
  const statements: string[] = []
  let text = ''
  let textStart = 0
  let depth = 0
  let braces = 0
  for (let index = 0; index < code.length; ) {
    const placeholder = placeholderAt.get(index)
    if (placeholder) {
      text += `\u{f0000}${placeholder.index};`
      index = placeholder.end
      continue
    }
    const char = code.charAt(index)
    if (isCode[index]) {
      if (char === '(') depth++
      if (char === ')') depth = Math.max(0, depth - 1)
      if (
        char === '{' &&
        (braces > 0 ||
          isAssignment.test(code.slice(textStart, Math.min(index, textStart + maxAssignedLength))))
      )
        braces++
      if (char === '}') braces = Math.max(0, braces - 1)
      const isEnd =
        depth === 0 && braces === 0 && (char === ';' || (char === '\n' && !isLineContinued(index)))
      if (isEnd) {
        statements.push(text)
        text = ''
        textStart = index + 1
      } else text += char
    } else text += char
    index++
  }
  return [...statements, text].filter((statement) => statement.trim())
}

const maxAssignedLength = 500

/** Create the function that decides whether a statement continues after the line break at an index. */
function createContinuationTest(code: string): (index: number) => boolean {
  // The index of the next character that is not a space, for each index.
  const nextIndexes = new Uint32Array(code.length + 1).fill(code.length)
  for (let index = code.length - 1; index >= 0; index--)
    nextIndexes[index] = /\s/.test(code.charAt(index)) ? (nextIndexes[index + 1] ?? 0) : index
  // The index after the last character before it that is not a space.
  const previousEnds = new Uint32Array(code.length + 1)
  for (let index = 1; index <= code.length; index++)
    previousEnds[index] = /\s/.test(code.charAt(index - 1)) ? (previousEnds[index - 1] ?? 0) : index
  return (index) => {
    continuesLine.lastIndex = nextIndexes[index] ?? 0
    if (continuesLine.test(code)) return true
    const end = previousEnds[index] ?? 0
    return opensLine.test(code.slice(Math.max(0, end - 40), end))
  }
}
