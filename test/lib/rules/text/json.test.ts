import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import {
  findUnstorableText,
  isStorable,
  isTooDeep,
  maxJsonDepth,
  parseJson,
  readJson,
} from '#rules/text/json.ts'

const createNested = (depth: number, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth)

function getDepth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(getDepth))
}

describe('WIR-88 readJson', () => {
  const repeat = (part: string, count: number) => `[${part.repeat(count)}0]`

  it('WIR-88 reads 200,000 objects and lists, and refuses more before they are parsed', () => {
    expect(readJson(repeat('{},', 199_999))).toHaveLength(200_000)
    for (const part of ['{},', '[],', '{"a":[]},'])
      expect(() => readJson(repeat(part, 200_000))).toThrow(
        expect.objectContaining({ kind: 'invalid', message: expect.stringContaining('valid') }),
      )
    expect(parseJson(repeat('{},', 200_000))).toBeUndefined()
    // A text of any other length has none.
    expect(readJson(JSON.stringify('{'.repeat(1_000_000)))).toHaveLength(1_000_000)
  })

  it('WIR-88 counts the keys, which take as long as objects', () => {
    const budget = createBudget()
    const json = `{${Array.from({ length: 1000 }, (_, index) => `"k${index}":"::"`)}}`
    runWithin(budget, () => readJson(json))
    expect(budget.getSpent().steps).toBe(json.length + 40 + 1000 * 100)
  })
})

describe('isTooDeep', () => {
  it('allows up to 32 levels of arrays and objects', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      expect(isTooDeep(createNested(maxJsonDepth, open, close))).toBe(false)
      expect(isTooDeep(createNested(maxJsonDepth + 1, open, close))).toBe(true)
    }
    expect(isTooDeep(createNested(16, '[{"a":', '}]'))).toBe(false)
    expect(isTooDeep(createNested(17, '[{"a":', '}]'))).toBe(true)
  })

  it('counts levels, not brackets', () => {
    expect(isTooDeep(`[${Array(1000).fill('[{}]').join(',')}]`)).toBe(false)
  })

  it('ignores brackets in strings, even after quotes and backslashes', () => {
    const brackets = '['.repeat(100)
    for (const text of [brackets, `"${brackets}`, `\\${brackets}`, `\\"${brackets}`, `a\\\\"${brackets}`]) {
      expect(isTooDeep(JSON.stringify({ [text]: [text] }))).toBe(false)
    }
    expect(isTooDeep(`"\\\\"${createNested(33)}`)).toBe(true)
  })

  it('agrees with the depth of the parsed value for random JSON', () => {
    const randomWrapper = fc.constantFrom<(text: string) => string>(
      (text) => `[${text}]`,
      (text) => `{"a":${text}}`,
      (text) => `["}]",${text},{}]`,
      (text) => `{"\\\\":"[","\\"":${text}, "b":[1]}`,
    )
    const randomWrappers = fc.array(randomWrapper, { minLength: 28, maxLength: 36 })
    const randomJson = fc
      .tuple(fc.json({ maxDepth: 3 }), randomWrappers)
      .map(([leaf, wrappers]) => wrappers.reduce((inner, wrap) => wrap(inner), leaf))
    const agreesWithDepth = fc.property(
      randomJson,
      (json) => isTooDeep(json) === getDepth(JSON.parse(json)) > maxJsonDepth,
    )
    expect(() => fc.assert(agreesWithDepth)).not.toThrow()
  })

  it('checks a megabyte of brackets', () => {
    expect(isTooDeep('['.repeat(1_000_000))).toBe(true)
    expect(isTooDeep('[]'.repeat(500_000))).toBe(false)
  })
})

describe('isStorable', () => {
  it.each([
    ['', true],
    ['text', true],
    ['😀', true],
    ['\u0001\u007f\uffff', true],
    ['a\u0000b', false],
    ['\ud83d', false],
    ['\ude00', false],
    ['\ude00\ud83d', false],
  ])('%j is storable: %s', (text, expected) => expect(isStorable(text)).toBe(expected))

  it('accepts the texts that UTF-8 encodes without loss, except NUL', () => {
    const isLossless = (text: string) => Buffer.from(text).toString() === text && !text.includes('\0')
    const randomText = fc.string({ unit: fc.constantFrom('a', '\ud83d', '\ude00', '\0', '\ufffd', '你') })
    const acceptsLossless = fc.property(randomText, (text) => isStorable(text) === isLossless(text))
    expect(() => fc.assert(acceptsLossless)).not.toThrow()
  })
})

describe('findUnstorableText', () => {
  it('returns the path of each unstorable text, and the path of the object for an unstorable key', () => {
    const errors = findUnstorableText(
      { a: ['fine', 'x\0'], b: { c: '\ud800' }, 'k\0': 'y\0', n: 1, z: null },
      ['body'],
    )
    expect(errors.map(({ loc, type }) => [loc, type])).toEqual([
      [['body', 'a', 1], 'invalid_text'],
      [['body', 'b', 'c'], 'invalid_text'],
      [['body'], 'invalid_text'],
    ])
  })

  it('returns nothing for storable texts', () => {
    expect(findUnstorableText({ a: [1, true, null, 'x', { b: '😀' }] }, ['body'])).toEqual([])
  })
})
