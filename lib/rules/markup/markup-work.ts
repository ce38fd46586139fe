// Markdown can take more work and room than its length: a table has cells that its text does not name, and a
// quote has its marks in each line.

export interface Work {
  steps: number
  /** Of the largest format. */
  bytes: number
}

/** Of a character that is no markup. */
const stepsPerCharacter = 10
/** Of a character that may be markup: up to 3 µs to parse it. */
const stepsPerMarkup = 300
/** A cell, named or not, takes about 4 µs in a PDF. */
const stepsPerCell = 400
/** `<td dir="auto"></td>` and a line break. */
const bytesPerCell = 22
/** Each line of a nested list or quote is indented, or gets a bar, per level. */
const stepsPerIndent = 100
const bytesPerIndent = 2
/** The tags of an item or of a link. */
const bytesPerMarkup = 40

const markupCharacter = /[`*_~[\]|&#>\\\n-]/g
const delimiterRow = /^(?=[^-]*-)[\t >|:-]+$/
/** Deeper lines are not markdown: see `deepLine` of the parser. */
const indentation = /^[ \t>*+\-\d.)]{1,80}/

/** Count what makes a markdown text expensive. */
export function countMarkup(text: string) {
  const lines = text.split('\n')
  let cells = 0
  /** The columns of the table that the next line may belong to. */
  let columns = 0
  let indent = 0
  for (const line of lines) {
    if (line.includes('|') && delimiterRow.test(line)) columns = Math.max(columns, line.split('|').length)
    else if (line.trim() === '') columns = 0
    cells += columns
    indent = Math.max(indent, indentation.exec(line)?.[0].length ?? 0)
  }
  const markup = text.match(markupCharacter)?.length ?? 0
  return { characters: text.length, markup, cells, indents: indent * lines.length }
}

/** Return what it takes at most to parse and show a markdown text. */
export function measureMarkup(text: string): Work {
  const { characters, markup, cells, indents } = countMarkup(text)
  return {
    steps:
      characters * stepsPerCharacter +
      markup * stepsPerMarkup +
      cells * stepsPerCell +
      indents * stepsPerIndent,
    bytes: markup * bytesPerMarkup + cells * bytesPerCell + indents * bytesPerIndent,
  }
}
