// As much of ConnectWise's condition language as anybody asks in: comparisons of fields, joined by and and or, in parentheses.

type Test = (item: unknown) => boolean

/** Throws for what is none of the language. */
export function parseConditions(text: string): Test {
  const tokens = [...text.matchAll(/\s*("(?:[^"\\]|\\.)*"|!=|<=|>=|[=<>(),]|[\w./-]+|\S)/g)].map(([, token = '']) => token)
  let at = 0
  const is = (word: string) => tokens[at]?.toLowerCase() === word
  const skips = (word: string) => is(word) && at++ >= 0
  const take = (word?: string): string => {
    const token = tokens[at++]
    if (token === undefined || (word !== undefined && token.toLowerCase() !== word)) throw new Error(`Expected ${word ?? 'more'} at ${at}`)
    return token
  }
  const either = (): Test => {
    const tests = [both()]
    while (skips('or')) tests.push(both())
    return (item) => tests.some((test) => test(item))
  }
  const both = (): Test => {
    const tests = [one()]
    while (skips('and')) tests.push(one())
    return (item) => tests.every((test) => test(item))
  }
  const one = (): Test => {
    if (!is('(')) return comparison()
    take('(')
    const test = either()
    take(')')
    return test
  }
  const comparison = (): Test => {
    const path = take()
    if (!/^[A-Za-z_][\w/]*$/.test(path)) throw new Error(`${path} is no field`)
    const of = (item: unknown) =>
      path.split('/').reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], item) ?? null
    const operator = take().toLowerCase()
    if (operator === 'not') {
      take('in')
      const inside = list(of)
      return (item) => !inside(item)
    }
    if (operator === 'in') return list(of)
    const value = literal(take())
    const tests: Record<string, Test> = {
      '=': (item) => of(item) === value,
      '!=': (item) => of(item) !== value,
      contains: (item) => String(of(item) ?? '').includes(String(value)),
    }
    return tests[operator] ?? fail(operator)
  }
  const list = (of: (item: unknown) => unknown): Test => {
    take('(')
    const values = [literal(take())]
    while (skips(',')) values.push(literal(take()))
    take(')')
    return (item) => values.includes(of(item) as never)
  }
  const test = either()
  if (at < tokens.length) throw new Error(`Unexpected ${tokens[at]}`)
  return test
}

function literal(token: string): string | number | boolean | null {
  if (token.startsWith('"')) return token.length > 1 && token.endsWith('"') ? token.slice(1, -1).replace(/\\(.)/g, '$1') : fail(token)
  if (/^-?\d+$/.test(token)) return Number(token)
  if (/^(true|false)$/i.test(token)) return token.toLowerCase() === 'true'
  return token.toLowerCase() === 'null' ? null : fail(token)
}

function fail(token: string): never {
  throw new Error(`${token} is not understood`)
}
