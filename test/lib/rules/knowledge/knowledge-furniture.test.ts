import { describe, expect, it } from 'vitest'
import {
  furnitureLines,
  furnitureRules,
  furnitureTitles,
  isFurnitureTitle,
} from '#rules/knowledge/furniture-names.ts'
import { readBlocksOf } from '#test/support/articles.ts'

const paragraph =
  'Restart the spooler on the print server, then print a test page from the workstation that reported it.'
const listTexts = (part: string) =>
  readBlocksOf('html', `<h1>Printer</h1><p>${paragraph}</p>${part}<p>${paragraph}</p>`).map(
    ({ text }) => text,
  )
const article = ['Printer', paragraph, paragraph]

describe.each(furnitureRules)('a part that $reason is left out', ({ names }) => {
  it.each(names)('by the class or id %s', (name) => {
    for (const attribute of [
      `class="${name}"`,
      `class="x ${name.toUpperCase()}"`,
      `id="${name}"`,
      `class="x_${name}"`,
    ])
      expect([attribute, listTexts(`<div ${attribute}>Noise</div>`)]).toEqual([attribute, article])
  })

  it.each(names)('but not by a longer word with %s in it, nor by the name of the page around it', (name) => {
    for (const kept of [`un${name}able`, `has-${name}`, `no-${name}`])
      expect([kept, listTexts(`<div class="${kept}">Step</div>`)]).toEqual([
        kept,
        ['Printer', paragraph, 'Step', paragraph],
      ])
  })
})

it('each name belongs to one rule', () => {
  const names = furnitureRules.flatMap((rule) => rule.names)
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
})

it.each(furnitureLines)('the line “%s” is left out', (line) => {
  expect(listTexts(`<div>${line}</div>`)).toEqual(article)
})

it.each([
  'Was this article helpful?',
  'was this page helpful Yes No',
  'Did this page help you?',
  '3 out of 7 found this helpful',
])('the question “%s” is left out', (line) => {
  expect(listTexts(`<div>${line}</div>`)).toEqual(article)
})

it.each(furnitureTitles)('the list of links below “%s” is left out', (title) => {
  const links = '<ul><li><a href="/a">Scanner</a></li><li><a href="/b">Fax</a></li></ul>'
  expect(listTexts(`<h2>${title}:</h2>${links}`)).toEqual(article)
  expect(isFurnitureTitle(`  ${title.toUpperCase()} ? `)).toBe(true)
})
