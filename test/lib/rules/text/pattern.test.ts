import { createContext, Script } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePattern, maxPatternTextLength } from '#rules/text/pattern.ts'
import { measureCpuTimeMs } from '#test/support/measure.ts'
import { casesByDay } from '#test/support/night.ts'

const token = fc.constantFrom(
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
const quantifier = fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '{2,3}?')
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    token,
    fc
      .tuple(token, quantifier)
      .map(([part, suffix]) => (/^(?:[$^]|\\b)$/i.test(part) ? part : part + suffix)),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
    fc.tuple(tie('pattern'), quantifier).map(([a, suffix]) => `(${a})${suffix}`),
    tie('pattern').map((a) => `(?<n${Math.abs(a.length)}>${a})`),
  ),
}))
const randomText = fc.string({
  unit: fc.constantFrom('a', 'b', '1', '.', ' ', ']', '😀', '\n'),
  maxLength: 8,
})

const regExpContext = createContext({ source: '', texts: [] as string[] })
const matchScript = new Script("texts.map((text) => new RegExp('^(?:' + source + ')$', 'u').test(text))")

/**
 * Return which texts match as a whole, or undefined if RegExp refuses the pattern or takes long: it may
 * backtrack for many seconds.
 */
function matchWithRegExp(source: string, texts: string[]): boolean[] | undefined {
  Object.assign(regExpContext, { source, texts })
  try {
    return Array.from(matchScript.runInContext(regExpContext, { timeout: 100 }) as boolean[])
  } catch {
    return undefined
  }
}

describe('compilePattern', () => {
  it('matches a whole text exactly if RegExp does', () => {
    fc.assert(
      fc.property(pattern, fc.array(randomText, { minLength: 1, maxLength: 5 }), (source, texts) => {
        const expected = matchWithRegExp(source, texts)
        const matches = compilePattern(source)
        if (!expected || !matches) return
        expect([source, texts.map((text) => matches(text))]).toEqual([source, expected])
      }),
      { numRuns: casesByDay(3000) },
    )
  })

  it('accepts valid patterns, and refuses invalid or too large ones, lookaround and backreferences', () => {
    for (const source of [
      '',
      'a|b',
      'SRV-\\d{3}',
      '[A-Z]{2,4}',
      '(?<site>\\p{Lu})-(?:x|y)?',
      '\\u{1F600}',
      '\\uD83D\\uDE00',
      '.{0,255}',
    ])
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

  it('needs less than 2 s of CPU time for patterns that make RegExp backtrack', { retry: 2 }, () => {
    const backtrackingPatterns = [
      '(a*)*b',
      '(a|a)*b',
      '(a|aa)+$b',
      '.*.*.*.*.*.*x',
      '(?:a?){300}a{300}b',
      '((a+)+)+!',
    ]
    const matchAll = () => {
      for (const source of backtrackingPatterns)
        expect([source, compilePattern(source)?.('a'.repeat(maxPatternTextLength))]).toEqual([source, false])
    }
    expect(measureCpuTimeMs(matchAll)).toBeLessThan(2000)
  })
})
