import fc from 'fast-check'
import { expect, it } from 'vitest'
import { writeCanonicalJson } from '#rules/text/canonical-json.ts'

// The example of https://www.rfc-editor.org/rfc/rfc8785#section-3.2.3, and keys that look like numbers.
it('writes keys in the order of their UTF-16 units, numbers too', () => {
  const value = {
    '€': 'Euro',
    '\r': 'CR',
    '\ufb33': 'Dalet',
    '1': 'One',
    '😀': 'Smile',
    '\u0080': 'C',
    ö: 'O',
  }
  expect(Object.values(JSON.parse(writeCanonicalJson(value)))).toHaveLength(7)
  expect([...writeCanonicalJson(value).matchAll(/:"(\w+)"/g)].map(([, text]) => text)).toEqual([
    ...['CR', 'One', 'C', 'O', 'Euro', 'Smile', 'Dalet'],
  ])
  expect(writeCanonicalJson({ 9: 'a', 10: [1e30, 0.1, -0], b: { y: null, x: true } })).toBe(
    '{"10":[1e+30,0.1,0],"9":"a","b":{"x":true,"y":null}}',
  )
})

it('loses nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(writeCanonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})
