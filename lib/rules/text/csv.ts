/** Excel reads a file as UTF-8 only after this mark. */
const byteOrderMark = '\uFEFF'
// Excel, LibreOffice and Google Sheets run a cell as a formula that begins with one of these, or after a
// separator of another locale:
// https://owasp.org/www-community/attacks/CSV_Injection
const formulaStart = /^(?=[\t\r\n])|(^|[;\t\r\n])(?=[^\S;\t\r\n]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g

/**
 * Write a table as CSV by RFC 4180, for spreadsheets. Each text is quoted. An apostrophe before what could
 * begin a formula makes it a text; numbers are written as they are. A null is an empty cell.
 */
export function writeCsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return byteOrderMark + writeLines(rows)
}

/** Write further lines of a table that `writeCsv` has begun. */
export function writeLines(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${row.map(writeCell).join(',')}\r\n`).join('')
}

function writeCell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  return `"${value.replace(formulaStart, (_, before = '') => `${before}'`).replaceAll('"', '""')}"`
}
