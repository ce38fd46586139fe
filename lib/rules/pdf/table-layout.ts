import { drawOperators, drawTextLine, formatNumber } from './document.ts'
import type { TextLine, TextRun } from './line-layout.ts'
import {
  contentBottom,
  lineHeightFactor,
  margin,
  type PageLayout,
  page,
  requireSpace,
  type TextStyle,
  wrapText,
  writeElement,
} from './page-layout.ts'
import { addElement } from './structure.ts'

const padding = 4
const borderColour = '0.8 0.84 0.88'
const headerBackground = '0.955 0.965 0.975'

/** The cells of a row, each as runs. */
export type TableRow = readonly (readonly TextRun[])[]

interface Column {
  x: number
  width: number
}

/** Write a table, whose first row is the header. A row that does not fit continues on the next page. */
export function writeTable(layout: PageLayout, rows: readonly TableRow[], style: TextStyle): void {
  layout.y -= 4
  const columns = placeColumns(measureColumns(layout, rows, style), style.indent ?? 0)
  writeElement(layout, 'Table', () => {
    for (const [index, row] of rows.entries()) {
      const cells = row.map((runs, column) =>
        wrapText(layout, runs, style, (columns[column]?.width ?? 0) - 2 * padding),
      )
      const isHeader = index === 0
      writeElement(layout, 'TR', (element) => {
        // A row that continues on the next page is one row.
        for (const _ of columns)
          addElement(element, isHeader ? 'TH' : 'TD', isHeader ? '/A<</O/Table/Scope/Column>>' : '')
        const background = isHeader ? { background: headerBackground } : {}
        writeRow(layout, cells, columns, { ...style, bold: isHeader, ...background })
      })
    }
  })
  layout.y -= 6
}

/** Return the width that each column would have if no cell was wrapped. */
function measureColumns(layout: PageLayout, rows: readonly TableRow[], style: TextStyle): number[] {
  const measureCell = (runs: readonly TextRun[]) => {
    const lines = wrapText(layout, runs, style, page.width)
    return (Math.max(...lines.map(({ width }) => width)) * style.size) / 1000
  }
  const widths = (rows[0] ?? []).map(() => 0)
  for (const row of rows)
    for (const [column, runs] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, measureCell(runs))
  return widths.map((width) => width + 2 * padding + 1)
}

/** Shrink the columns to the width of the page: a column that is narrower than its share keeps its width. */
function placeColumns(widths: readonly number[], indent: number): Column[] {
  const pageWidth = page.width - 2 * margin - indent
  let remainingWidth = pageWidth
  let remainingCount = widths.length
  const columnWidths = [...widths]
  for (const [column, width] of [...widths.entries()].sort(([, a], [, b]) => a - b)) {
    columnWidths[column] = Math.min(width, remainingWidth / remainingCount)
    remainingWidth -= columnWidths[column]
    remainingCount--
  }
  let x = margin + indent
  return columnWidths.map((width) => {
    x += width
    return { x: x - width, width }
  })
}

function writeRow(
  layout: PageLayout,
  cells: readonly TextLine[][],
  columns: readonly Column[],
  style: TextStyle,
): void {
  const lineHeight = style.size * lineHeightFactor
  const lineCount = Math.max(1, ...cells.map((lines) => lines.length))
  for (let start = 0; start < lineCount; ) {
    requireSpace(layout, lineHeight + 2 * padding)
    const fittingCount = Math.floor((layout.y - contentBottom - 2 * padding) / lineHeight)
    const count = Math.min(lineCount - start, fittingCount)
    const part = cells.map((lines) => lines.slice(start, start + count))
    drawRow(layout, part, columns, { style, height: count * lineHeight + 2 * padding })
    start += count
  }
}

interface RowOptions {
  style: TextStyle
  height: number
}

function drawRow(
  layout: PageLayout,
  cells: readonly TextLine[][],
  columns: readonly Column[],
  { style, height }: RowOptions,
): void {
  const { document } = layout
  const row = document.element
  const top = layout.y
  layout.y -= height
  for (const [column, { x, width }] of columns.entries()) {
    const box = [x, layout.y, width, height].map(formatNumber).join(' ')
    if (style.background) drawOperators(layout.document, `${style.background} rg ${box} re f`)
    drawOperators(layout.document, `${borderColour} RG 0.6 w ${box} re S`)
    document.element = row?.children[column] ?? null
    for (const [index, line] of (cells[column] ?? []).entries()) {
      const textWidth = (line.width * style.size) / 1000
      const textX = line.isRightToLeft ? x + width - padding - textWidth : x + padding
      const baseline = top - padding - style.size - index * style.size * lineHeightFactor
      drawTextLine(document, line, textX, baseline, style.size, style)
    }
  }
  document.element = row
}
