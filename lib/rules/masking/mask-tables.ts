// Masks the cells of tables whose row or column is labelled as a secret: markdown, tab and comma separated
// values, and aligned columns.

import { isSecretLabel, looksSecret, maskLabelledValue } from './secret-labels.ts'

type Separator = '|' | '\t' | ';' | ','
const separators: readonly Separator[] = ['|', '\t', ';', ',']
const maxCells = 60
const markdownRule = /^(?=[^-]*-)[\s|:-]+$/

interface Header {
  separator: Separator
  labels: string[]
}
/** The columns of a table that is aligned with spaces. */
type AlignedColumns = { label: string; start: number; end: number }[]

/** Mask the cells of secrets in all tables of a text. */
export function maskTables(text: string): string {
  const lines = text.split('\n')
  let header: Header | null = null
  let columns: AlignedColumns | null = null
  const masked = lines.map((line, index) => {
    if (line.trim() === '') {
      header = null
      columns = null
      return line
    }
    if (columns) return maskAlignedCells(line, columns)
    if (header && splitCells(line, header.separator).length === header.labels.length)
      return maskCells(line, header)
    header = readHeader(line, lines[index + 1] ?? '')
    if (header) return line
    columns = readAlignedHeader(line, lines[index + 1] ?? '')
    return columns ? line : maskRow(line)
  })
  return masked.join('\n')
}

/** Split a line into its cells. Those after the first `maxCells` stay together as one more cell. */
function splitCells(line: string, separator: Separator): string[] {
  if (separator === '|' || separator === '\t' || !line.includes('"')) {
    const cells = line.split(separator, maxCells + 1)
    if (cells.length > maxCells)
      cells[maxCells] = line.slice(cells.slice(0, maxCells).join(separator).length + 1)
    return cells
  }
  const cells = ['']
  let isQuoted = false
  for (const char of line) {
    if (char === '"') isQuoted = !isQuoted
    if (char === separator && !isQuoted && cells.length <= maxCells) cells.push('')
    else cells[cells.length - 1] += char
  }
  return cells
}

function unquoteCell(cell: string): string {
  return cell.trim().replace(/^"(.*)"$/s, '$1')
}

/** A cell that may name what stands below or beside it. */
export const headerCell = /^[\p{L}][\p{L}\p{N} _./-]{0,39}$/u

function readHeader(line: string, next: string): Header | null {
  for (const separator of separators) {
    if (!line.includes(separator)) continue
    const cells = splitCells(line, separator)
    const labels = cells.map((cell, index) =>
      index === maxCells ? '' : unquoteCell(cell).replace(/^\*{1,2}|\*{1,2}$/g, ''),
    )
    if (splitCells(next, separator).length !== labels.length || !labels.some(isSecretLabel)) continue
    if (separator === '|' && !markdownRule.test(next)) continue
    if (labels.every((label) => label === '' || (headerCell.test(label) && !looksSecret(label))))
      return { separator, labels }
  }
  return null
}

function maskCells(line: string, { separator, labels }: Header): string {
  if (markdownRule.test(line)) return line
  return splitCells(line, separator)
    .map((cell, index) => maskCell(labels[index] ?? '', cell))
    .join(separator)
}

function maskCell(label: string, cell: string): string {
  const value = unquoteCell(cell).replace(/^[`*]{1,2}|[`*]{1,2}$/g, '')
  const masked = maskLabelledValue(label, value)
  return masked === value ? cell : cell.replace(cell.trim(), () => masked)
}

/** Mask a cell that follows its label in the same row. */
function maskRow(line: string): string {
  const separator = line.includes('|') ? '|' : '\t'
  if (!line.includes(separator)) return line
  const cells = line.split(separator, maxCells + 1)
  if (cells.length > maxCells) return line
  const isTableRow = separator === '\t' || line.trimStart().startsWith('|')
  const masked = cells.map((cell, index) => {
    const label = trimMarks(cells[index - 1])
    const hasLabel = index > 0 && headerCell.test(label) && (isTableRow || looksSecret(cell.trim()))
    return hasLabel ? maskCell(label, cell) : cell
  })
  return masked.join(separator)
}

function trimMarks(cell = ''): string {
  return cell.replace(/^[\s*`]+/, '').replace(/(?<![\s*`:])[\s*`:]+$/, '')
}

/** Read the head of a table such as PowerShell prints, whose second line is dashes under each column. */
function readAlignedHeader(line: string, next: string): AlignedColumns | null {
  if (!/^[ \t]*-{2,}(?:[ ]+-{2,})+\s*$/.test(next)) return null
  const starts = Array.from(next.matchAll(/-+/g), ({ index }) => index)
  const columns = starts.map((start, index) => {
    const end = starts[index + 1] ?? Number.POSITIVE_INFINITY
    return { label: line.slice(start, end).trim(), start, end }
  })
  return columns.some(({ label }) => isSecretLabel(label)) ? columns : null
}

function maskAlignedCells(line: string, columns: AlignedColumns): string {
  if (markdownRule.test(line)) return line
  const cells = columns.map(({ label, start, end }) => maskCell(label, line.slice(start, end)))
  return line.slice(0, columns[0]?.start ?? 0) + cells.join('')
}
