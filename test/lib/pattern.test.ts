import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePattern, patternReach } from '../../lib/text/pattern.ts'
import { busyMs } from '../support/measures.ts'

const piece = fc.constantFrom(
  'a',
  'b',
  '.',
  '\\d',
  '[^a]',
  '[ab]',
  '\\w',
  '^',
  '$',
  '\\b',
  '\\B',
  '\\.',
  '\\u0061',
  '\\p{L}',
  '[\\]a]',
  '[]',
  '[^]',
)
const times = fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '{2,3}?')
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    piece,
    fc.tuple(piece, times).map(([part, sign]) => (/^(?:[$^]|\\b)$/i.test(part) ? part : part + sign)),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
    fc.tuple(tie('pattern'), times).map(([a, sign]) => `(${a})${sign}`),
    tie('pattern').map((a) => `(?<n${Math.abs(a.length)}>${a})`),
  ),
}))
const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '.', ' ', ']', '😀', '\n'), maxLength: 8 })

describe('a pattern', () => {
  it('matches what the regular expression matches as a whole', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 5 }), (source, texts) => {
        let native: RegExp
        try {
          native = new RegExp(`^(?:${source})$`, 'u')
        } catch {
          return
        }
        const matches = compilePattern(source)
        if (!matches) return
        for (const one of texts) expect([source, one, matches(one)]).toEqual([source, one, native.test(one)])
      }),
      { numRuns: 3000 },
    )
  })

  it('is understood unless it is none, looks around or back, or is too large', () => {
    for (const source of ['', 'a|b', 'SRV-\\d{3}', '[A-Z]{2,4}', '(?<site>\\p{Lu})-(?:x|y)?', '\\u{1F600}', '\\uD83D\\uDE00', '.{0,255}'])
      expect([source, compilePattern(source) !== undefined]).toEqual([source, true])
    for (const source of [
      '(',
      '[b-a]',
      'a(?=b)',
      '(?<!a)b',
      '(a)\\1',
      '(?<n>a)\\k<n>',
      'a{1001}',
      '(((a{99}){99}){99}){99}',
      '((){999}){999}',
    ])
      expect([source, compilePattern(source) !== undefined]).toEqual([source, false])
  })

  it('takes no long time for what makes others backtrack', () => {
    const evil = ['(a*)*b', '(a|a)*b', '(a|aa)+$b', '.*.*.*.*.*.*x', '(?:a?){300}a{300}b', '((a+)+)+!']
    const tryAll = () => {
      for (const source of evil) expect([source, compilePattern(source)?.('a'.repeat(patternReach))]).toEqual([source, false])
    }
    expect(busyMs(tryAll)).toBeLessThan(2000)
  })
})
