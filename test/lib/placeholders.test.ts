import { describe, expect, it } from 'vitest'
import { fillPlaceholders, findPlaceholderKeys } from '../../lib/flows/placeholders.ts'

describe('a placeholder', () => {
  it.each([' ', '\t', '\n', '\v', '\f', '\r', '\u00a0', '\u2003'])('may have the space %j around its key', (space) => {
    expect(fillPlaceholders(`<{{${space}host${space}}}>`, { host: 'a' })).toBe('<a>')
  })

  it.each(['\b', '\u000e', '\u001f', '!', '\u00a1'])('may not have the character %j around its key', (char) => {
    expect(findPlaceholderKeys(`{{${char}host}} {{host${char}}}`)).toEqual([])
  })

  it.each(['a', 'z', 'A', 'Z', '_', 'a0', 'a9', 'a.b', 'a-b'])('may have the key %s', (key) => {
    expect(findPlaceholderKeys(`{{${key}}}`)).toEqual([key])
  })

  it.each(['0', '9', '.', '-', '@', '[', '`', '{', 'a/', 'a:', 'a,'])('may not have the key %s', (key) => {
    expect(findPlaceholderKeys(`{{${key}}}`)).toEqual([])
  })

  it('stays in the text without a value, and others are filled', () => {
    expect(fillPlaceholders('{{a}} {{ b }} {{ {{c}}', { b: 1, c: 2 })).toBe('{{a}} 1 {{ 2')
    expect(fillPlaceholders('{{a}}{{b}}.', { a: 1, b: 2 })).toBe('12.')
  })
})
