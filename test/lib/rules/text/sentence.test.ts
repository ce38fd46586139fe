import fc from 'fast-check'
import { expect, it } from 'vitest'
import { defuseLinks, removeLinks } from '#rules/text/plain-name.ts'
import { isolate, sentence } from '#rules/text/sentence.ts'

it.each([
  ['Dana', 'Dana'],
  ['打印机 – ok', '打印机 – ok'],
  ['نور', '\u2068نور\u2069'],
  ['שלום (HQ)', '\u2068שלום (HQ)\u2069'],
  ['one\nنور\r\ntwo', '\u2068one\u2069\n\u2068نور\u2069\r\n\u2068two\u2069'],
  // What a value opens it closes, and it cannot close the isolate around it.
  ['a\u2067b', '\u2068a\u2067b\u2069\u2069'],
  ['a\u2069b', '\u2068ab\u2069'],
  ['\u202eexe.txt', '\u2068\u202eexe.txt\u2069'],
])('NOT-107 isolates %j as %j', (value, expected) => {
  expect(isolate(value)).toBe(expected)
})

it('NOT-107 the words of a sentence are in no isolate, whatever its values contain', () => {
  const unit = fc.constantFrom('a', 'نور', '\u2066', '\u2067', '\u2068', '\u2069', '\u202e', ' ', '\n')
  const value = fc.string({ unit, maxLength: 12 })
  fc.assert(
    fc.property(value, value, (first, second) => {
      for (const line of sentence`<${first}> <${second}>`.split('\n')) {
        let depth = 0
        for (const character of line) {
          if (/[\u2066-\u2068]/.test(character)) depth++
          else if (character === '\u2069') depth--
          expect(depth).toBeGreaterThanOrEqual(0)
          if (/[<>]/.test(character)) expect(depth).toBe(0)
        }
        expect(depth).toBe(0)
      }
    }),
  )
})

it('NOT-58 isolates hide no link, and stay where there is none', () => {
  expect(removeLinks(sentence`Dana escalated: ${'نور https://evil.example/x'}`)).toBe(
    'Dana escalated: \u2068نور [link]\u2069',
  )
  expect(removeLinks('see evil\u2068.example/login now')).toBe('see [link] now')
  expect(defuseLinks('see www\u2067.evil.example')).toBe('see www[.]evil[.]example')
})
