import { IntakeField } from '#rules/flows/structure.ts'
import { cut } from '#rules/text/clip.ts'
import { parseStorableJson, type ReportProblem, toPlainJson, unusualCharacter } from './line-syntax.ts'
import { reportSchemaIssues } from './schema-messages.ts'

// The intake form as a markdown table. A value that could be misread as plain text is written as JSON.

const columns = [
  'key',
  'label',
  'type',
  'required',
  'options',
  'default',
  'help_text',
  'min',
  'max',
  'pattern',
  'secret',
] as const
type Column = (typeof columns)[number]
const requiredColumns: readonly Column[] = ['key', 'label', 'type', 'required']
const maxFields = 100
/** At most this many unknown column names are listed in a message. */
const maxListedNames = 10

/** Return the intake section: its heading and the table. */
export function writeIntakeTable(fields: readonly IntakeField[]): string {
  const usedColumns = columns.filter(
    (column) => requiredColumns.includes(column) || fields.some((field) => isPresent(field[column])),
  )
  const formatRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rows = fields.map((field) =>
    formatRow(usedColumns.map((column) => formatCell(column, field[column]))),
  )
  return ['## Intake', '', formatRow(usedColumns), `|${'---|'.repeat(usedColumns.length)}`, ...rows].join(
    '\n',
  )
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

function formatCell(column: Column, value: unknown): string {
  if (!isPresent(value)) return ''
  if (column === 'required' || column === 'secret') return value ? 'yes' : 'no'
  if (typeof value === 'string') return isPlainText(value, column) ? value : formatJsonCell(value)
  if (column === 'options' && Array.isArray(value) && value.every(isPlainOption)) return value.join(', ')
  return Array.isArray(value) ? formatJsonCell(value) : String(value)
}

/** JSON in which | is escaped, because | ends a cell. */
function formatJsonCell(value: unknown): string {
  return toPlainJson(value).replaceAll('|', '\\u007c')
}

/** Return whether reading the text from a cell of this column gives the same text. */
function isPlainText(text: string, column: Column): boolean {
  if (
    text === '' ||
    text.trim() !== text ||
    /["|]/.test(text) ||
    unusualCharacter.test(text) ||
    text.endsWith('\\')
  )
    return false
  return column !== 'default' || (!text.startsWith('[') && parseDefault(text) === text)
}

function isPlainOption(option: unknown): boolean {
  return typeof option === 'string' && isPlainText(option, 'options') && !/^\[|,/.test(option)
}

/** A line of the file; the first line is 1. */
export interface SourceLine {
  line: number
  text: string
}

/** Return the valid fields of the table with their lines, and report the other rows. */
export function readIntakeTable(
  rows: Iterator<SourceLine>,
  report: ReportProblem,
): { field: IntakeField; line: number }[] {
  const nextRow = () => rows.next().value as SourceLine | undefined
  const header = nextRow()
  if (!header) return []
  const columnNames = readHeader(header, report)
  const separator = nextRow() ?? header
  if (splitCells(separator.text)?.every((cell) => /^:?-+:?$/.test(cell)) !== true)
    report(separator.line, 'The second row of the intake table must be a row of dashes: |---|---|')
  const fields: { field: IntakeField; line: number }[] = []
  const usedKeys = new Set<string>()
  for (let count = 1, row = nextRow(); row; count++, row = nextRow()) {
    if (count > maxFields) {
      report(row.line, `There are more than ${maxFields} fields`)
      break
    }
    const field = columnNames ? readRow(row, columnNames, report) : null
    if (!field) continue
    if (usedKeys.has(field.key)) report(row.line, `The key ${field.key} is used twice`)
    usedKeys.add(field.key)
    fields.push({ field, line: row.line })
  }
  return fields
}

/** Return null for a line that is no table row. */
function splitCells(text: string): string[] | null {
  const row = text.trim()
  if (!row.startsWith('|')) return null
  const endsWithBar = row.length > 1 && row.endsWith('|') && !row.endsWith('\\|')
  const inner = row.slice(1, endsWithBar ? -1 : undefined)
  return inner.split(/(?<!\\)\|/, columns.length + 1).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** Return the column names, or null if they are invalid. */
function readHeader({ line, text }: SourceLine, report: ReportProblem): string[] | null {
  const names = splitCells(text)?.map((name) => name.toLowerCase()) ?? []
  const isWrong = (name: string, index: number) =>
    !columns.includes(name as Column) || names.indexOf(name) < index
  const wrongNames = names.filter(isWrong).slice(0, maxListedNames)
  if (names.length === 0) {
    report(line, `The Intake section must contain a table: | ${columns.join(' | ')} |`)
    return null
  }
  if (wrongNames.length > 0) {
    const quotedNames = wrongNames.map((name) => `“${cut(name, 60)}”`).join(', ')
    report(line, `The intake table can have the columns ${columns.join(', ')}, each once; not ${quotedNames}`)
    return null
  }
  return names
}

function readRow(
  { line, text }: SourceLine,
  columnNames: readonly string[],
  report: ReportProblem,
): IntakeField | null {
  const cells = splitCells(text)
  if (!cells) {
    report(line, 'The Intake section can contain only its table; this line does not start with |')
    return null
  }
  const values = cells.flatMap((cell, index) => {
    const column = columnNames[index]
    return cell ? [[column, parseCell(column as Column, cell)] as const] : []
  })
  if (cells.length !== columnNames.length) {
    const message = `This row has ${cells.length} cells, but the table has ${columnNames.length} columns; write | inside a cell as \\|`
    report(line, message)
    return null
  }
  const invalidColumn = values.find(([, value]) => value === undefined)?.[0] as Column | undefined
  if (invalidColumn) {
    report(line, `The cell under ${invalidColumn} must be ${describeCellFormat(invalidColumn)}`)
    return null
  }
  const written = Object.fromEntries(values) as Record<Column, unknown>
  const parsed = IntakeField.safeParse({
    ...written,
    ...('default' in written && { default: toAnswer(written.default, written.type) }),
  })
  if (parsed.success) return parsed.data
  reportSchemaIssues(parsed.error.issues, 'field', () => line, report)
  return null
}

const booleanWords = new Map([
  ['yes', true],
  ['true', true],
  ['no', false],
  ['false', false],
])

/** Return the value of a cell that is not empty, or undefined if it is invalid. */
function parseCell(column: Column, cell: string): unknown {
  if (column === 'required' || column === 'secret') return booleanWords.get(cell.toLowerCase())
  if (column === 'min' || column === 'max')
    return decimalNumber.test(cell) || isCanonicalNumber(cell) ? Number(cell) : undefined
  if (column === 'options') return cell.startsWith('[') ? parseTextList(cell) : parseOptions(cell)
  if (column === 'default') return parseDefault(cell)
  return parseText(cell)
}

function parseText(cell: string): unknown {
  return cell.startsWith('"') ? parseStorableJson(cell) : cell
}

/** Splitting at commas would cut a quoted option with a comma, so quoted options must be a JSON list. */
function parseOptions(cell: string): unknown {
  return cell.includes('"') ? undefined : cell.split(',')
}

function parseTextList(cell: string): unknown {
  const value = parseStorableJson(cell)
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
}

function parseDefault(cell: string): unknown {
  if (cell.startsWith('[')) return parseTextList(cell)
  if (cell === 'true' || cell === 'false') return cell === 'true'
  return isCanonicalNumber(cell) ? Number(cell) : parseText(cell)
}

const decimalNumber = /^-?\d{1,15}(?:\.\d{1,15})?$/

/**
 * Return a default in the type of its field's answers, where the cell can be read so: `08` is the number 8,
 * and `5` of a text is a text.
 */
function toAnswer(value: unknown, type: unknown): unknown {
  if (type === 'number') return typeof value === 'string' && decimalNumber.test(value) ? Number(value) : value
  if (type === 'boolean')
    return typeof value === 'string' ? (booleanWords.get(value.toLowerCase()) ?? value) : value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
}

/** Number that JavaScript would write differently stay texts: `1.0`, `007`. */
function isCanonicalNumber(cell: string): boolean {
  return Number.isFinite(Number(cell)) && String(Number(cell)) === cell
}

function describeCellFormat(column: Column): string {
  if (column === 'required' || column === 'secret') return 'yes or no'
  if (column === 'min' || column === 'max') return 'a number'
  if (column === 'options') return 'a list such as ["one", "two"], or texts separated by commas'
  if (column === 'default') return 'valid JSON without NUL or lone surrogates if it starts with " or ['
  return 'valid JSON without NUL or lone surrogates if it starts with "'
}
