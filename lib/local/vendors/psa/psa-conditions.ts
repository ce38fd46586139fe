// The part of ConnectWise's condition language that the service uses: only `=`, `!=`, `contains`, `in` and
// `not in`, with `and`, `or` and parentheses.

type Predicate = (item: unknown) => boolean
type Value = string | number | boolean | null

/** Parse conditions into a predicate. Throw on a syntax error. */
export function parseConditions(text: string): Predicate {
  const tokens = [...text.matchAll(/\s*("(?:[^"\\]|\\.)*"|!=|<=|>=|[=<>(),]|[\w./-]+|\S)/g)].map(
    ([, token = '']) => token,
  )
  let position = 0
  const nextIs = (word: string) => tokens[position]?.toLowerCase() === word
  const skipIf = (word: string): boolean => {
    if (!nextIs(word)) return false
    position += 1
    return true
  }
  const takeToken = (expected?: string): string => {
    const token = tokens[position++]
    if (token === undefined || (expected !== undefined && token.toLowerCase() !== expected))
      throw new Error(
        expected ? `Expected ${expected} as token ${position}` : 'Unexpected end of the conditions',
      )
    return token
  }
  const parseOr = (): Predicate => {
    const tests = [parseAnd()]
    while (skipIf('or')) tests.push(parseAnd())
    return (item) => tests.some((test) => test(item))
  }
  const parseAnd = (): Predicate => {
    const tests = [parseTerm()]
    while (skipIf('and')) tests.push(parseTerm())
    return (item) => tests.every((test) => test(item))
  }
  const parseTerm = (): Predicate => {
    if (!nextIs('(')) return parseComparison()
    takeToken('(')
    const test = parseOr()
    takeToken(')')
    return test
  }
  const parseComparison = (): Predicate => {
    const path = takeToken()
    if (!/^[A-Za-z_][\w/]*$/.test(path)) throw new Error(`${path} is not a field`)
    const operator = takeToken().toLowerCase()
    if (operator === 'in') return parseList(path)
    if (operator === 'not') {
      takeToken('in')
      const isInList = parseList(path)
      return (item) => !isInList(item)
    }
    const value = parseLiteral(takeToken())
    if (operator === '=') return (item) => readField(item, path) === value
    if (operator === '!=') return (item) => readField(item, path) !== value
    // SQL Server's default collation ignores case.
    if (operator === 'contains')
      return (item) =>
        String(readField(item, path) ?? '')
          .toLowerCase()
          .includes(String(value).toLowerCase())
    throw new Error(`The operator ${operator} is not supported`)
  }
  const parseList = (path: string): Predicate => {
    takeToken('(')
    const values = [parseLiteral(takeToken())]
    while (skipIf(',')) values.push(parseLiteral(takeToken()))
    takeToken(')')
    return (item) => values.includes(readField(item, path) as Value)
  }
  const test = parseOr()
  if (position < tokens.length) throw new Error(`Unexpected ${tokens[position]}`)
  return test
}

/** Read a field by its path, such as `board/id`. */
function readField(item: unknown, path: string): unknown {
  return (
    path
      .split('/')
      .reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], item) ??
    null
  )
}

function parseLiteral(token: string): Value {
  if (/^".*"$/s.test(token)) return token.slice(1, -1).replace(/\\(.)/g, '$1')
  if (/^-?\d+$/.test(token)) return Number(token)
  if (/^(true|false)$/i.test(token)) return token.toLowerCase() === 'true'
  if (token.toLowerCase() === 'null') return null
  throw new Error(`${token} is not a literal`)
}
