/**
 * A text that is built by appending. Reading the end of a growing string copies all of it, so a paragraph of
 * many links would take quadratic time.
 */
export interface GrowingText {
  append(text: string): void
  /**
   * Return whether the text, without white space at its end, ends with `suffix`. Takes as long as the suffix
   * is.
   */
  endsWith(suffix: string): boolean
  /** Return the whole text. */
  read(): string
}

/** Create an empty text. Its parts are appended without a copy. */
export function createGrowingText(): GrowingText {
  const parts: string[] = []
  /**
   * The number of parts up to the last one that is more than white space, and that part without white space
   * at its end.
   */
  let visiblePart = { count: 0, lastPart: '' }
  return {
    append(text) {
      if (text === '') return
      parts.push(text)
      const trimmedText = text.trimEnd()
      if (trimmedText !== '') visiblePart = { count: parts.length, lastPart: trimmedText }
    },
    endsWith(suffix) {
      let end = takeEnd(visiblePart.lastPart, suffix.length)
      for (let index = visiblePart.count - 2; index >= 0 && end.length < suffix.length; index--)
        end = takeEnd(parts[index] ?? '', suffix.length - end.length) + end
      return end === suffix
    },
    read: () => parts.join(''),
  }
}

/** Return the last `length` characters of a text. */
function takeEnd(text: string, length: number): string {
  return length > 0 ? text.slice(-length) : ''
}
