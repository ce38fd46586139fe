// @module-tag behaviour
import { expect, it } from 'vitest'
import { readEntryName } from '#rules/archive/entry-name.ts'
import { createBudget, runWithin } from '#rules/budget.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)
const text = (value: string) => new TextEncoder().encode(value)
const unicodePath = (name: string, size = 5 + text(name).length) =>
  bytes(0x75, 0x70, size & 0xff, size >> 8, 1, 0, 0, 0, 0, ...text(name))
const bueroInCodePage = bytes(0x42, 0x81, 0x72, 0x6f)

it.each([
  [text('a/b.html'), bytes(), 'a/b.html'],
  [text('Büro'), bytes(), 'Büro'],
  [bueroInCodePage, bytes(), 'Büro'],
  [bueroInCodePage, unicodePath('Büro 2'), 'Büro 2'],
  [bueroInCodePage, bytes(0x55, 0x54, 1, 0, 7, ...unicodePath('Büro 3')), 'Büro 3'],
  [bueroInCodePage, unicodePath('Büro', 5000), 'Büro'],
  [bueroInCodePage, unicodePath(''), 'Büro'],
  [bueroInCodePage, bytes(0x75, 0x70, 1), 'Büro'],
  [bytes(0x9a, 0x62, 0x65, 0x72), bytes(), 'Über'],
  [bytes(0xff, 0xe1), bytes(), '\u00a0ß'],
])('the name of %j with the fields %j is %s', (name, fields, expected) => {
  expect(readEntryName(name, fields)).toBe(expected)
})

it('has a letter for each byte of the code page', () => {
  const all = readEntryName(
    Uint8Array.from({ length: 256 }, (_, n) => n),
    bytes(),
  )
  expect([all.length, new Set(all).size]).toEqual([256, 256])
})

it('WIR-30 the letters of names outside of UTF-8 are counted', () => {
  const name = new Uint8Array(65_000).fill(0xff)
  const readNames = (count: number) =>
    runWithin(createBudget({ steps: 200_000 }), () => {
      for (let n = 0; n < count; n++) readEntryName(name, bytes())
    })
  expect(() => readNames(3)).not.toThrow()
  expect(() => readNames(4)).toThrow('The request is not valid')
})
