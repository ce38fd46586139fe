// The tokens that can contain a semicolon: https://www.postgresql.org/docs/18/sql-syntax-lexical.html
const comment = String.raw`--[^\n]*|/\*[\s\S]*?\*/`
const quoted = String.raw`\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?<tag>[a-zA-Z_]\w*)?\$[\s\S]*?\$\k<tag>\$`
const token = new RegExp(`(?<comment>${comment})|${quoted}|\\w+|[\\s\\S]`, 'g')

/**
 * Split the text of a migration into its statements, without comments and semicolons. `begin atomic` bodies
 * are not supported.
 */
export function splitStatements(text: string): string[] {
  const statements = ['']
  for (const { 0: part, groups } of text.matchAll(token)) {
    const last = statements.length - 1
    if (part === ';') statements.push('')
    else statements[last] += groups?.comment ? ' ' : part
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}

/** Return a statement on one line, cut to 100 characters. */
export function summarizeStatement(statement: string): string {
  const line = statement.replace(/\s+/g, ' ')
  return line.length > 100 ? `${line.slice(0, 99)}…` : line
}
