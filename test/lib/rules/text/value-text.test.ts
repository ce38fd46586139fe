import { expect, it } from 'vitest'
import { toValueText } from '#rules/text/value-text.ts'

it.each([
  [{ name: 'srv1' }, '{"name":"srv1"}'],
  [[{ a: 1 }, { a: 2 }], '{"a":1}, {"a":2}'],
  [[{ a: 1, b: 2 }, 'c'], '{"a":1,"b":2}; c'],
  [['Berlin, Mitte', 'Paris'], 'Berlin, Mitte; Paris'],
  [['a', 'b'], 'a, b'],
  [[['a', null], true], 'a, ; true'],
  [0, '0'],
  [null, null],
  ['', null],
])('SES-68 writes %j as %j', (value, text) => {
  expect(toValueText(value)).toBe(text)
})
