import { expect, it } from 'vitest'
import { markWords } from '#rules/text/mark-words.ts'

const listMarked = (text: string, words: string[]) =>
  markWords(text, words).map(({ start, end }) => text.slice(start, end))

it('SEA-06 marks whole words, and words with the start that an asterisk ends', () => {
  expect(listMarked('Print the printer list, reprint', ['print'])).toEqual(['Print'])
  expect(listMarked('Print the printer list, reprint', ['print*'])).toEqual(['Print', 'printer'])
  expect(listMarked('srv-print01.contoso.local', ['srv-print01*', 'contoso'])).toEqual([
    'srv-print01',
    'contoso',
  ])
})

it('SEA-06 marks a word with accents, capitals and characters of two code units before it', () => {
  expect(listMarked('😀 MÜLLER İstanbul ﬁ', ['muller', 'istanbul'])).toEqual(['MÜLLER', 'İstanbul'])
})

it('SEA-06 joins marks that overlap, and marks nothing for an empty word', () => {
  expect(markWords('10.20.30', ['10', '10.20', '20', '', '*'])).toEqual([{ start: 0, end: 5 }])
})

it.each([
  ['a b a', ['a', 'b'], ['a', 'b', 'a']],
  ['ab', ['a*', 'ab'], ['ab']],
  ['a.b', ['a', 'b'], ['a', 'b']],
  ['😀a', ['a'], ['a']],
  ['𝒳a', ['a'], []],
  ['xa', ['a'], []],
  ['1a', ['a'], []],
])('SEA-06 marks in %j the words %j: %j', (text, words, marked) => {
  expect(listMarked(text, words)).toEqual(marked)
})
