import { describe, expect, it } from 'vitest'
import type { JudgedPlaceholder } from '#rules/scripts/placeholders.ts'
import { insideComment, insideQuotes } from '#rules/scripts/placement-reasons.ts'
import { findClosing, findOpening, getDepth, splitAtCommas } from '#rules/scripts/python/brackets.ts'
import { findCalls, isChangeOfObject } from '#rules/scripts/python/changes.ts'
import { readPythonTokens, type Token } from '#rules/scripts/python/tokens.ts'

const read = (script: string) => readPythonTokens(script, [])
const readTexts = (script: string) => read(script).tokens.map(({ kind, text }) => (kind === 'end' ? 'end' : `${kind} ${text}`))
const readAll = (script: string) => read(script).tokens.slice(0, -1)
const joinTexts = (tokens: readonly Token[]) => tokens.map(({ text }) => text).join(' ')

describe('the tokens of a Python script', () => {
  it.each<[string, string[]]>([
    ['', ['end']],
    ['a b', ['name a', 'name b', 'end']],
    ['_a1 1a é a\u0301 ﬁ', ['name _a1', 'number 1a', 'name é', 'name á', 'name fi', 'end']],
    ['a\nb\rc;d', ['name a', 'end', 'name b', 'end', 'name c', 'end', 'name d', 'end']],
    ['(\na;\n)\nb', ['operator (', 'name a', 'operator ;', 'operator )', 'end', 'name b', 'end']],
    ['[a\n{b\n}\n]\nc', ['operator [', 'name a', 'operator {', 'name b', 'operator }', 'operator ]', 'end', 'name c', 'end']],
    [')\na', ['operator )', 'end', 'name a', 'end']],
    [')(\na', ['operator )', 'operator (', 'name a', 'end']],
    ['a \\\nb', ['name a', 'name b', 'end']],
    ['a \\\r\nb', ['name a', 'name b', 'end']],
    ['a # b\nc', ['name a', 'end', 'name c', 'end']],
    ['a # b\rc', ['name a', 'end', 'name c', 'end']],
    ['# a', ['end']],
    ['a += 1', ['name a', 'operator +=', 'number 1', 'end']],
    ['a + = 1', ['name a', 'operator +', 'operator =', 'number 1', 'end']],
    ['a == b', ['name a', 'operator ==', 'name b', 'end']],
    ['(= =', ['operator (', 'operator =', 'operator =', 'end']],
    ['a := b', ['name a', 'operator :=', 'name b', 'end']],
    ['a= b', ['name a', 'operator =', 'name b', 'end']],
    ['a.b', ['name a', 'operator .', 'name b', 'end']],
  ])('of %j are %j', (script, texts) => {
    expect(readTexts(script)).toEqual(texts)
  })

  const string = (text: string, options: object = {}) => ({ kind: 'string', text, isFormat: false, isKnown: true, ...options })
  it.each<[string, object]>([
    ["'a'", string('a')],
    ['"a\'b"', string("a'b")],
    ['"""a"\nb"""', string('a"\nb')],
    ["'''a'''", string('a')],
    ["rb'\\x61'", string('\\x61')],
    ["Rb'a'", string('a')],
    ["f'{a}'", string('{a}', { isFormat: true })],
    ["T'{a}'", string('{a}', { isFormat: true })],
    ["'\\x61\\u0062\\U00000063\\144'", string('abcd')],
    ["'\\U0010ffff\\U00110000'", string('\u{10ffff}')],
    ["b'\\x61\\u0062\\U00000063'", string('a\\u0062\\U00000063')],
    ["'\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"'", string('\x07\b\f\n\r\t\v\\\'"')],
    ["'\\q\\8'", string('\\q\\8')],
    ["'a\\\nb\\\r\nc\\\rd'", string('abcd')],
    ["'\\N{DASH}\\x61'", string('\\N{DASH}\\x61', { isKnown: false })],
    ["b'\\N{DASH}'", string('\\N{DASH}')],
    ["r'\\N{DASH}'", string('\\N{DASH}')],
    ["'\\x6'", string('\\x6')],
  ])('of the string %s are %j', (script, token) => {
    expect(read(script)).toMatchObject({ tokens: [token, { kind: 'end' }], isAmbiguous: false })
  })

  it.each([
    ["'a", true],
    ["'a\nb'", true],
    ["'''a", true],
    ["f'{a'", true],
    ["f'a}'", true],
    ["f'{{a'", false],
    ["f'a}}'", false],
    ["'{a'", false],
    ["f'{a}'", false],
  ])('of %j are ambiguous: %s', (script, isAmbiguous) => {
    expect(read(script).isAmbiguous).toBe(isAmbiguous)
  })

  it('include the placeholders outside of strings and comments, and the reasons against the others', () => {
    const script = "x = @1 + '@2' # @3\r@4"
    const placeholders = [...script.matchAll(/@\d/g)].map(({ index }) => ({ start: index, end: index + 2 }) as JudgedPlaceholder)
    const { tokens, reasons } = readPythonTokens(script, placeholders)
    const starts = tokens.flatMap((token) => (token.kind === 'placeholder' ? token.placeholder.start : []))
    expect(starts).toEqual([4, 19])
    expect([...reasons]).toEqual([
      [10, insideQuotes],
      [16, insideComment],
    ])
  })
})

describe('the brackets of a Python script', () => {
  it.each([
    ['(a)', 0, 2],
    ['(a[b]{c})d', 0, 8],
    ['((a)', 0, 4],
    ['(a ")")', 0, 3],
  ])('in %j are closed from %i at %i', (script, start, closing) => {
    expect(findClosing(readAll(script), start)).toBe(closing)
  })

  it.each([
    ['f(a, b)', 2, 1],
    ['f(a)(b)', 5, 4],
    ['f(a)b', 4, -1],
    ['f(g[a])', 4, 3],
    ['f(g[a]b)', 6, 1],
    ['"("a', 1, -1],
    ['f(a)', 3, -1],
  ])('in %j around the token %i open at %i', (script, index, opening) => {
    expect(findOpening(readAll(script), index)).toBe(opening)
  })

  it.each([
    ['a, b, c', ['a', 'b', 'c']],
    ['a(b, c), [d, e], {f, g}', ['a ( b , c )', '[ d , e ]', '{ f , g }']],
    [', a,, "," b,', ['a', ', b']],
    ['', []],
  ])('keep parts of %j together: %j', (script, parts) => {
    expect(splitAtCommas(readAll(script)).map(joinTexts)).toEqual(parts)
  })

  it.each([
    ['a', 0],
    ['(a)[b]{c}', 1],
    ['([{a}])', 3],
    ['"(((" (', 1],
    [') (', 0],
  ])('of %j are %i deep', (script, depth) => {
    expect(getDepth(readAll(script))).toBe(depth)
  })
})

describe('the changes of objects in a Python script', () => {
  it.each([
    ['a', '=', false],
    ['a', '+=', true],
    ['a', ':=', false],
    ['a[0]', '=', true],
    ['a.b', '=', true],
    ['a: b.c', '=', false],
    ['a: b[c]', '=', false],
    ['else: a.b', '=', true],
    ['try: a[0]', '=', true],
    ['finally: a[0]', '=', true],
    ['a "."', '=', false],
  ])('include the assignment to %j with %s: %s', (target, operator, expected) => {
    expect(isChangeOfObject(readAll(target), operator)).toBe(expected)
  })

  const listCalls = (script: string, assigned: string[] = []) =>
    findCalls(readAll(script), new Set(assigned)).map(({ values, changed }) => [joinTexts(values), joinTexts(changed)])

  it.each<[string, [string, string][]]>([
    ['f(a, b)', [['a , b', 'f a , b']]],
    ['a.b.append(c)', [['c', 'a . b . append c']]],
    ['a[0].append(c)', [['c', 'a [ 0 ] . append c']]],
    [
      'f(a)(b)',
      [
        ['a', 'f a'],
        ['b', 'f ( a ) b'],
      ],
    ],
    ['x = a.append(b)', [['b', 'a . append b']]],
    ['return f(a)', [['a', 'f a']]],
    ['x and a.f(b)', [['b', 'a . f b']]],
    ['"a".f(b)', [['b', 'a . f b']]],
    ['(a)', []],
    ['x = (a)', []],
    ['if (a)', []],
    ['def f(a)', []],
    ['print(a)', []],
    ['x.print(a)', []],
    ['open(a)', []],
    ['print(f(a))', [['a', 'f a']]],
    ['a print', []],
    ['{a: b}.update(c)', [['c', '{ a : b } . update c']]],
    ['a, b.f(c)', [['c', 'b . f c']]],
    ['"print"(a)', [['a', 'print a']]],
  ])('include the calls of %j: %j', (script, calls) => {
    expect(listCalls(script)).toEqual(calls)
  })

  it('include calls of functions that the script names like one that changes nothing', () => {
    expect(listCalls('print(a)', ['print'])).toEqual([['a', 'print a']])
  })
})
