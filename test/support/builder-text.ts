/**
 * Words and signs of what stays a text. A quote means that a table or column is a parameter of the function
 * that builds the text.
 */
const textOnly =
  /["(*+/~@|]|::|->| - |\b(?:with|join|union|case|or|like|using|distinct|group by|for update|on conflict|interval)\b/
const comparedColumns = /[a-z_]\w*\s*(?:=|<>|<=|>=|<|>)\s*(?!true|false|null)[a-z_]/
const selectFrom = /^select\b.* from (?<tables>.*?)(?: where .*| order by .*| limit .*)?$/

/**
 * Return whether the query builder says a SQL text as well: one table, its columns, and comparisons or
 * assignments of a column with parameters, literals and the expressions of the scope.
 */
export function isBuilderText(text: string): boolean {
  const plain = text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/'[^']*'|\bapp\.(?:now|account_id|user_id|team_id|platform_account)\(\)/g, '$0')
    .replace(/(\$\d+)::\w+(?:\[\])?/g, '$1')
    .replace(/\bin \((?!select )[^()]*\)/g, 'in $0')
    .replace(/^insert into (\w+) \([^()]*\) values \(([^()]*)\)/, 'insert into $1 values $2')
  if (textOnly.test(plain) || comparedColumns.test(plain)) return false
  if (plain.startsWith('select ')) return !(selectFrom.exec(plain)?.groups?.tables ?? ',').includes(',')
  return /^(?:insert into \w+ values|delete from|update (?!.* from ))/.test(plain)
}
