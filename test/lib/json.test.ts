import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxDepth, storable, tooDeep, unstorable } from '../../lib/text/json.ts'

const nested = (depth: number, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth)

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

describe('tooDeep', () => {
  it('takes 32 levels of arrays, objects or both, and no more', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      expect(tooDeep(nested(maxDepth, open, close))).toBe(false)
      expect(tooDeep(nested(maxDepth + 1, open, close))).toBe(true)
    }
    expect(tooDeep(nested(16, '[{"a":', '}]'))).toBe(false)
    expect(tooDeep(nested(17, '[{"a":', '}]'))).toBe(true)
  })

  it('counts levels, not brackets: many beside one another are not deep', () => {
    expect(tooDeep(`[${Array(1000).fill('[{}]').join(',')}]`)).toBe(false)
  })

  it('reads no brackets in texts, whatever is quoted in them', () => {
    const brackets = '['.repeat(100)
    for (const text of [brackets, `"${brackets}`, `\\${brackets}`, `\\"${brackets}`, `a\\\\"${brackets}`]) {
      expect(tooDeep(JSON.stringify({ [text]: [text] }))).toBe(false)
    }
    expect(tooDeep(`"\\\\"${nested(33)}`)).toBe(true)
  })

  it('is right about every JSON there is', () => {
    const around = fc.constantFrom<(text: string) => string>(
      (text) => `[${text}]`,
      (text) => `{"a":${text}}`,
      (text) => `["}]",${text},{}]`,
      (text) => `{"\\\\":"[","\\"":${text}, "b":[1]}`,
    )
    const levels = fc.array(around, { minLength: 28, maxLength: 36 })
    const text = fc.tuple(fc.json({ maxDepth: 3 }), levels).map(([leaf, wraps]) => wraps.reduce((inner, wrap) => wrap(inner), leaf))
    fc.assert(fc.property(text, (text) => tooDeep(text) === depthOf(JSON.parse(text)) > maxDepth))
  })

  it('answers at once for a megabyte of brackets', () => {
    expect(tooDeep('['.repeat(1_000_000))).toBe(true)
    expect(tooDeep('[]'.repeat(500_000))).toBe(false)
  })
})

describe('storable', () => {
  it.each([
    ['', true],
    ['text', true],
    ['😀', true],
    ['\u0001\u007f\uffff', true],
    ['a\u0000b', false],
    ['\ud83d', false],
    ['\ude00', false],
    ['\ude00\ud83d', false],
  ])('%j: %s', (text, answer) => expect(storable(text)).toBe(answer))

  it('is what UTF-8 can carry there and back, but NUL', () => {
    const carried = (text: string) => Buffer.from(text).toString() === text && !text.includes('\0')
    const any = fc.string({ unit: fc.constantFrom('a', '\ud83d', '\ude00', '\0', '\ufffd', '你') })
    fc.assert(fc.property(any, (text) => storable(text) === carried(text)))
  })
})

describe('unstorable', () => {
  it('names the place of every text and of the object of every key', () => {
    const found = unstorable({ a: ['fine', 'x\0'], b: { c: '\ud800' }, 'k\0': 'y\0', n: 1, z: null }, ['body'])
    expect(found.map(({ loc, type }) => [loc, type])).toEqual([
      [['body', 'a', 1], 'invalid_text'],
      [['body', 'b', 'c'], 'invalid_text'],
      [['body'], 'invalid_text'],
    ])
  })

  it('finds nothing in what is fine', () => {
    expect(unstorable({ a: [1, true, null, 'x', { b: '😀' }] }, ['body'])).toEqual([])
  })
})
