import { expect, it } from 'vitest'
import { readPlainText } from '#rules/knowledge/plain-text.ts'

const read = (...lines: string[]) => readPlainText(lines.join('\n')).map(({ kind, text }) => [kind, text])

it('makes a heading of an underlined line that starts a block, not of the last line of a paragraph', () => {
  expect(read('Title', '=====', 'One', 'Two', '---')).toEqual([
    ['heading', 'Title'],
    ['text', 'One\nTwo\n\\---'],
  ])
})

it('keeps an indented line after an empty line in its item, and ends the item at other lines', () => {
  expect(read('1. Restart it', '', '   and wait', '', 'Then call us')).toEqual([
    ['item', '1. Restart it\n\n   and wait'],
    ['text', 'Then call us'],
  ])
})
