import { IntakeField } from '../structure.ts'
import { jsonText, parseJson, type Say, unusual } from './lines.ts'
import { sayIssues } from './vocabulary.ts'

// The intake form as a table. A cell that is not plain is a JSON value.

const columns = ['key', 'label', 'type', 'required', 'options', 'default', 'help_text', 'min', 'max', 'pattern'] as const
type Column = (typeof columns)[number]
const always: readonly Column[] = ['key', 'label', 'type', 'required']
const most = 100

export function writeIntake(fields: readonly IntakeField[]): string {
  const used = columns.filter((column) => always.includes(column) || fields.some((field) => isThere(field[column])))
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const table = fields.map((field) => row(used.map((column) => cellText(column, field[column]))))
  return ['## Intake', '', row(used), `|${'---|'.repeat(used.length)}`, ...table].join('\n')
}

const isThere = (value: unknown) => value !== undefined && value !== null

function cellText(column: Column, value: unknown): string {
  if (!isThere(value)) return ''
  if (column === 'required') return value ? 'yes' : 'no'
  if (typeof value === 'string') return isPlain(value, column) ? value : cellJson(value)
  if (column === 'options' && Array.isArray(value) && value.every(isPlainOption)) return value.join(', ')
  return Array.isArray(value) ? cellJson(value) : String(value)
}

const cellJson = (value: unknown) => jsonText(value).replaceAll('|', '\\u007c')

/** Whether a text in a cell is read as that text. */
function isPlain(text: string, column: Column): boolean {
  const usual = text !== '' && text.trim() === text && !/["|]/.test(text) && !unusual.test(text)
  return usual && !text.endsWith('\\') && (column !== 'default' || (!text.startsWith('[') && readDefault(text) === text))
}

function isPlainOption(option: unknown): boolean {
  return typeof option === 'string' && isPlain(option, 'options') && !/^\[|,/.test(option)
}

export interface Row {
  line: number
  text: string
}

/** The fields of a table, each with its line, as far as they can be read. */
export function readIntake(rows: Iterator<Row>, say: Say): { field: IntakeField; line: number }[] {
  const next = () => rows.next().value as Row | undefined
  const header = next()
  if (!header) return []
  const used = readHeader(header, say)
  const under = next() ?? header
  if (cellsOf(under.text)?.every((cell) => /^:?-+:?$/.test(cell)) !== true)
    say(under.line, 'Under the first row of the intake table is a row of dashes: |---|---|')
  const fields: { field: IntakeField; line: number }[] = []
  const seen = new Set<string>()
  for (let count = 0, row = next(); row; row = next()) {
    if (++count > most) {
      say(row.line, `There are more than ${most} fields`)
      break
    }
    const field = used ? readRow(row, used, say) : null
    if (!field) continue
    if (seen.has(field.key)) say(row.line, `The key ${field.key} is used twice`)
    seen.add(field.key)
    fields.push({ field, line: row.line })
  }
  return fields
}

function cellsOf(text: string): string[] | null {
  const row = text.trim()
  if (!row.startsWith('|')) return null
  const inner = row.slice(1, row.length > 1 && row.endsWith('|') && !row.endsWith('\\|') ? -1 : undefined)
  return inner.split(/(?<!\\)\|/, columns.length + 1).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function readHeader({ line, text }: Row, say: Say): string[] | null {
  const names = cellsOf(text)?.map((name) => name.toLowerCase()) ?? []
  const strange = names.filter((name, index) => !columns.includes(name as Column) || names.indexOf(name) < index).slice(0, 10)
  const quoted = strange.map((name) => `“${name.slice(0, 60)}”`).join(', ')
  if (names.length === 0) say(line, `Under Intake stands a table: | ${columns.join(' | ')} |`)
  else if (quoted) say(line, `The columns of the intake table are ${columns.join(', ')}, each once; not ${quoted}`)
  else return names
  return null
}

function readRow({ line, text }: Row, used: readonly string[], say: Say): IntakeField | null {
  const cells = cellsOf(text)
  const given = (cells ?? []).flatMap((cell, index) => (cell ? [[used[index], readCell(used[index] as Column, cell)] as const] : []))
  const broken = given.find(([, value]) => value === undefined)?.[0] as Column | undefined
  if (!cells) say(line, 'Under Intake stands only its table; this line does not begin with |')
  else if (cells.length !== used.length)
    say(line, `This row has ${cells.length} cells, the first row of the table ${used.length}; a | inside a cell is written \\|`)
  else if (broken) say(line, `The cell under ${broken} cannot be read: ${expectedOf(broken)}`)
  else {
    const parsed = IntakeField.safeParse(Object.fromEntries(given))
    if (parsed.success) return parsed.data
    sayIssues(parsed.error.issues, 'field', () => line, say)
  }
  return null
}

const numeric = (cell: string) => (String(Number(cell)) === cell && Number.isFinite(Number(cell)) ? Number(cell) : undefined)
const yesOrNo = new Map([...['yes', 'true'].map((word) => [word, true] as const), ...['no', 'false'].map((word) => [word, false] as const)])

/** A filled cell's value; undefined when it has none. */
function readCell(column: Column, cell: string): unknown {
  if (column === 'required') return yesOrNo.get(cell.toLowerCase())
  if (column === 'min' || column === 'max') return Number.isFinite(Number(cell)) ? Number(cell) : undefined
  if (column === 'options') return cell.startsWith('[') ? listOf(cell) : readOptions(cell)
  if (column === 'default') return readDefault(cell)
  return readText(cell)
}

function readText(cell: string): unknown {
  return cell.startsWith('"') ? parseJson(cell) : cell
}

/** Options in quotes would be cut at a comma inside of them, so they are a JSON list. */
function readOptions(cell: string): unknown {
  return cell.includes('"') ? undefined : cell.split(',')
}

function listOf(cell: string): unknown {
  const value = parseJson(cell)
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
}

/** A number only where it is written as one is: 1.0 and 007 are texts. */
function readDefault(cell: string): unknown {
  if (cell.startsWith('[')) return listOf(cell)
  if (cell === 'true' || cell === 'false') return cell === 'true'
  return numeric(cell) ?? readText(cell)
}

function expectedOf(column: Column): string {
  if (column === 'required') return 'yes or no'
  if (column === 'min' || column === 'max') return 'a number'
  const list = 'a list as ["one", "two"]'
  return column === 'options'
    ? `${list}, or words between commas`
    : column === 'default'
      ? `what begins with " or [ is JSON`
      : 'what begins with " is JSON'
}
