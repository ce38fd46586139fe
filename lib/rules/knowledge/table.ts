import { type Markdown, toMarkdown } from '#rules/markup/markdown.ts'
import { maxArticleLength, tooLongError } from './blocks.ts'

/** A cell, and the number of columns and rows that it covers. */
export interface Cell {
  text: Markdown
  columns: number
  rows: number
}

const maxColumns = 100
const maxSpannedRows = 1000

/**
 * Format rows as a markdown table whose first row is the header. A cell that covers several columns or rows
 * is followed by empty cells, so that every text is there once and below its column. A table with one column
 * becomes lines.
 */
export function formatTable(rows: readonly (readonly Cell[])[]): Markdown {
  const grid = placeCells(rows).filter((row) => row.some(Boolean))
  const columnCount = grid.reduce((max, row) => Math.max(max, row.length), 0)
  if (columnCount < 2) return toMarkdown(grid.map(([text = '']) => text).join('\n'))
  const [header = [], ...body] = grid
  const lines = [formatRow(header, columnCount), `|${' --- |'.repeat(columnCount)}`]
  let length = 0
  for (const row of body) {
    const line = formatRow(row, columnCount)
    length += line.length
    if (length > maxArticleLength) throw tooLongError()
    lines.push(line)
  }
  return toMarkdown(lines.join('\n'))
}

/** Return the text of each place of the table. A covered place is empty. */
function placeCells(rows: readonly (readonly Cell[])[]): string[][] {
  /** By column, the number of rows below that a cell still covers. */
  const coveredRows: number[] = []
  return rows.map((cells) => {
    const row: string[] = []
    const skipCovered = () => {
      while ((coveredRows[row.length] ?? 0) > 0) {
        coveredRows[row.length] = (coveredRows[row.length] ?? 0) - 1
        row.push('')
      }
    }
    for (const { text, columns, rows: rowCount } of cells) {
      skipCovered()
      const isInTable = row.length < maxColumns
      if (!isInTable) row[maxColumns - 1] = [row[maxColumns - 1], text].filter(Boolean).join(' ')
      else
        for (let column = 0; column < Math.min(columns, maxColumns); column++)
          placeText(column === 0 ? text : '', rowCount)
    }
    skipCovered()
    return row

    function placeText(text: string, rowCount: number): void {
      if (row.length >= maxColumns) return
      coveredRows[row.length] = Math.min(rowCount, maxSpannedRows) - 1
      row.push(text)
    }
  })
}

function formatRow(row: readonly string[], columnCount: number): string {
  const cells = Array.from({ length: columnCount }, (_, column) => escapeCell(row[column] ?? ''))
  return `|${cells.map((cell) => ` ${cell}${cell ? ' ' : ''}|`).join('')}`
}

function escapeCell(text: string): string {
  // A pipe of a text is escaped already, one of a code is not.
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<!\\)\|/g, '\\|')
}
