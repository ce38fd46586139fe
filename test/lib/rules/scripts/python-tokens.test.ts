import { describe, expect, it } from 'vitest'
import { createBudget } from '#rules/budget.ts'
import { findClosing, findOpening, splitAtCommas } from '#rules/scripts/python/brackets.ts'
import { findCalls, isChangeOfObject } from '#rules/scripts/python/changes.ts'
import { readPythonScript, type Token } from '#rules/scripts/python/tokens.ts'

const read = (text: string) => readPythonScript({ text, placeholderByMark: new Map() }, createBudget())
const readAll = (text: string) => read(text).statements.flat()
const joinTexts = (tokens: readonly Token[]) => tokens.map(({ text }) => text).join(' ')

describe('the tokens of a Python script', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['a\nb\r\nc;d', ['a', 'b', 'c', 'd']],
    ['é = a\u0301 + ﬁ', ['é = á + fi']],
    ['(\na,\n)\nb', ['( a , )', 'b']],
    ['[a,\n{b\n}\n]\nc', ['[ a , { b } ]', 'c']],
    ['a = \\\nb', ['a = b']],
    ['a = \\\r\nb', ['a = b']],
    ['a # b \\\nc', ['a', 'c']],
    ['if a: b\nelse: c', ['if a : b', 'else : c']],
    ['a += 1', ['a += 1']],
    ['(a := b)', ['( a := b )']],
    ['a **= b', ['a * *= b']],
    ['a == b.c', ['a == b . c']],
    ['a(**b)', ['a ( * * b )']],
  ])('of %j are %j', (script, statements) => {
    expect(read(script).statements.map(joinTexts)).toEqual(statements)
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
    ["'\\x61\\u0062\\U00000063\\144'", string('abcd')],
    ["'\\U0010ffff\\U00110000'", string('\u{10ffff}')],
    ["b'\\x61\\u0062\\U00000063'", string('a\\u0062\\U00000063')],
    ["'\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"'", string('\x07\b\f\n\r\t\v\\\'"')],
    ["'\\q\\8'", string('\\q\\8')],
    ["'a\\\nb'", string('ab')],
    ["'\\N{DASH}\\x61'", string('\\N{DASH}\\x61', { isKnown: false })],
    ["b'\\N{DASH}'", string('\\N{DASH}')],
    ["r'\\N{DASH}'", string('\\N{DASH}')],
  ])('of the string %s are %j', (script, token) => {
    expect(read(script)).toMatchObject({ statements: [[token]], stoppedAt: undefined })
  })

  it.each([
    ["'a", 2],
    ["'''a", 4],
    ['f("a', 4],
    ["f'{a'", 4],
    ['f"{a["b"]}"', 0],
    ['a b', 2],
    ['f(', 2],
    ["f'{{a'", undefined],
    ["'{a'", undefined],
    ["f'{a}'", undefined],
  ])('of %j cannot be followed after %s', (script, stoppedAt) => {
    expect(read(script).stoppedAt).toBe(stoppedAt)
  })
})

describe('the brackets of a Python script', () => {
  it.each([
    ['(a)', 0, 2],
    ['f(a[b], {c}).d', 1, 10],
    ['((a))', 0, 4],
    ['(a, ")")', 0, 4],
  ])('in %j are closed from %i at %i', (script, start, closing) => {
    expect(findClosing(readAll(script), start)).toBe(closing)
  })

  it.each([
    ['f(a, b)', 2, 1],
    ['f(a)(b)', 5, 4],
    ['f(a)b', 4, -1],
    ['f(g[a])', 4, 3],
    ['f(g[a].b)', 7, 1],
    ['"("a', 1, -1],
    ['f(a)', 3, -1],
  ])('in %j around the token %i open at %i', (script, index, opening) => {
    expect(findOpening(readAll(script), index)).toBe(opening)
  })

  it.each([
    ['a, b, c', ['a', 'b', 'c']],
    ['a(b, c), [d, e], {f, g}', ['a ( b , c )', '[ d , e ]', '{ f , g }']],
    ['a, ",", b,', ['a', ',', 'b']],
    ['', []],
  ])('keep parts of %j together: %j', (script, parts) => {
    expect(splitAtCommas(readAll(script)).map(joinTexts)).toEqual(parts)
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
    ['if a: b\nelse: a.b', '=', true],
    ['try: a[0]', '=', true],
    ['try: b\nfinally: a[0]', '=', true],
    ['a "."', '=', false],
  ])('include the assignment to %j with %s: %s', (target, operator, expected) => {
    expect(isChangeOfObject(read(target).statements.at(-1) ?? [], operator)).toBe(expected)
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
