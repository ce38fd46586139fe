// The part of ConnectWise's condition language that the service uses: comparisons of fields, joined by `and` and `or`, in parentheses.

type Test = (item: unknown) => boolean
type Value = string | number | boolean | null

/** Parse conditions into a test of an item. Throw on a syntax error. */
export function parseConditions(text: string): Test {
  const tokens = [...text.matchAll(/\s*("(?:[^"\\]|\\.)*"|!=|<=|>=|[=<>(),]|[\w./-]+|\S)/g)].map(([, token = '']) => token)
  let position = 0
  const nextIs = (word: string) => tokens[position]?.toLowerCase() === word
  const skipIf = (word: string): boolean => {
    if (!nextIs(word)) return false
    position += 1
    return true
  }
  const take = (expected?: string): string => {
    const token = tokens[position++]
    if (token === undefined || (expected !== undefined && token.toLowerCase() !== expected))
      throw new Error(`Expected ${expected ?? 'more'} at ${position}`)
    return token
  }
  const parseOr = (): Test => {
    const tests = [parseAnd()]
    while (skipIf('or')) tests.push(parseAnd())
    return (item) => tests.some((test) => test(item))
  }
  const parseAnd = (): Test => {
    const tests = [parseTerm()]
    while (skipIf('and')) tests.push(parseTerm())
    return (item) => tests.every((test) => test(item))
  }
  const parseTerm = (): Test => {
    if (!nextIs('(')) return parseComparison()
    take('(')
    const test = parseOr()
    take(')')
    return test
  }
  const parseComparison = (): Test => {
    const path = take()
    if (!/^[A-Za-z_][\w/]*$/.test(path)) throw new Error(`${path} is not a field`)
    const operator = take().toLowerCase()
    if (operator === 'in') return parseList(path)
    if (operator === 'not') {
      take('in')
      const isInList = parseList(path)
      return (item) => !isInList(item)
    }
    const value = parseLiteral(take())
    if (operator === '=') return (item) => readField(item, path) === value
    if (operator === '!=') return (item) => readField(item, path) !== value
    if (operator === 'contains') return (item) => String(readField(item, path) ?? '').includes(String(value))
    throw new Error(`${operator} is not an operator`)
  }
  const parseList = (path: string): Test => {
    take('(')
    const values = [parseLiteral(take())]
    while (skipIf(',')) values.push(parseLiteral(take()))
    take(')')
    return (item) => values.includes(readField(item, path) as Value)
  }
  const test = parseOr()
  if (position < tokens.length) throw new Error(`Unexpected ${tokens[position]}`)
  return test
}

/** Read a field by its path, such as `board/id`. */
function readField(item: unknown, path: string): unknown {
  return path.split('/').reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], item) ?? null
}

function parseLiteral(token: string): Value {
  if (/^".*"$/s.test(token)) return token.slice(1, -1).replace(/\\(.)/g, '$1')
  if (/^-?\d+$/.test(token)) return Number(token)
  if (/^(true|false)$/i.test(token)) return token.toLowerCase() === 'true'
  if (token.toLowerCase() === 'null') return null
  throw new Error(`${token} is not a literal`)
}
