import { spend } from '#rules/budget.ts'
import { escapeInline, type Markdown } from '#rules/markup/markdown.ts'
import type { PdfCell, PdfLine } from './pdf-lines.ts'
import { formatTable } from './table.ts'

// Finds tables by where texts are, because a PDF does not say what is a table.

interface Row {
  cells: PdfCell[]
  /** The index of the line after it. */
  end: number
}

const maxRowLines = 40
const maxColumns = 50
/** The distance of the lines of a cell, in parts of their size. */
const cellPitch = 1.5

/** Return whether a table starts at a line: two rows whose cells are in the same columns. */
export const startsTable = (lines: readonly PdfLine[], start: number): boolean =>
  readRows(lines, start, 2) !== null

/** Read the table that starts at a line, or return null. */
export function readTable(lines: readonly PdfLine[], start: number): { table: Markdown; end: number } | null {
  const found = readRows(lines, start, Number.POSITIVE_INFINITY)
  if (!found) return null
  const rows = found.rows.map((texts) =>
    texts.map((text) => {
      spend(text.length)
      return { text: escapeInline(text), columns: 1, rows: 1 }
    }),
  )
  return { table: formatTable(rows), end: found.end }
}

function readRows(
  lines: readonly PdfLine[],
  start: number,
  most: number,
): { rows: string[][]; end: number } | null {
  const header = readRow(lines, start)
  if (!header) return null
  const columns = header.cells.map((cell) => ({ ...cell }))
  const rows = [header.cells.map(({ text }) => text)]
  let { end } = header
  for (let row = readRow(lines, end); row && rows.length < most; row = readRow(lines, end)) {
    spend(row.cells.length * columns.length * 2 + 50)
    const places = row.cells.map((cell) => findColumn(columns, cell))
    if (places.includes(-1) || new Set(places).size < places.length) break
    const texts = columns.map(() => '')
    for (const [n, cell] of row.cells.entries()) {
      const place = places[n] as number
      const column = columns[place] as PdfCell
      texts[place] = cell.text
      column.x = Math.min(column.x, cell.x)
      column.endX = Math.max(column.endX, cell.endX)
    }
    rows.push(texts)
    end = row.end
  }
  return rows.length < 2 ? null : { rows, end }
}

/** Short cells of a centred column may be beside each other, but less than the gap of two columns. */
const slack = 4
const overlaps = (a: PdfCell, b: PdfCell) => a.x < b.endX + slack && b.x < a.endX + slack

/** Return the index of the only column below which a cell is, or -1. */
function findColumn(columns: readonly PdfCell[], cell: PdfCell): number {
  const found = columns.findIndex((column) => overlaps(column, cell))
  return columns.findIndex((column, index) => index > found && overlaps(column, cell)) < 0 ? found : -1
}

/**
 * Read a row: cells on one line, or one after the other, each of several lines. A line that is not below the
 * one before, and right of it, starts a cell.
 */
function readRow(lines: readonly PdfLine[], start: number): Row | null {
  const first = lines[start]
  if (!first || first.isMonospaced || first.cells.length > maxColumns) return null
  const cells = first.cells.map((cell) => ({ ...cell }))
  let end = start + 1
  let endOfCells = end
  for (; end < Math.min(lines.length, start + maxRowLines); end++) {
    const [line, before] = [lines[end], lines[end - 1]]
    const last = cells.at(-1)
    if (
      !line ||
      !before ||
      !last ||
      line.page !== first.page ||
      line.isMonospaced ||
      cells.length + line.cells.length > 2 * maxColumns
    )
      break
    spend(30 + line.cells.length * (5 + cells.length * 2))
    const fall = (before.y - line.y) / line.size
    if (fall < 0.45 && line.x > last.endX && Math.abs(line.y - first.y) < line.size * 10) {
      for (const cell of line.cells) cells.push({ ...cell })
      endOfCells = end + 1
      continue
    }
    const places = line.cells.map((cell) => findColumn(cells, cell))
    // A line in the first column starts the next row, unless the row has no other column yet.
    const isContinued =
      fall > 0.45 && fall < cellPitch && !places.includes(-1) && (cells.length === 1 || !places.includes(0))
    if (!isContinued) break
    for (const [n, { text, x, endX }] of line.cells.entries()) {
      const cell = cells[places[n] as number] as PdfCell
      Object.assign(cell, {
        text: `${cell.text} ${text}`,
        x: Math.min(cell.x, x),
        endX: Math.max(cell.endX, endX),
      })
    }
    if (cells.length > 1) endOfCells = end + 1
  }
  return cells.length > 1 ? { cells, end: endOfCells } : null
}
