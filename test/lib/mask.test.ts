import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mask } from '../../lib/text/mask.ts'
import { maskSecrets } from '../../lib/text/mask-secrets.ts'
import { busyMs } from '../support/measures.ts'
import { hidden, values } from './mask-corpus.ts'
import { ordinary } from './mask-ordinary.ts'

describe('masking', () => {
  it('SES-22 leaves nothing of an address, mailbox, path, token or key in the corpus', () => {
    const missed = hidden.filter(({ line, telling }) => telling.length === 0 || telling.some((piece) => mask(line).includes(piece)))
    console.info(`masking: ${hidden.length - missed.length} of ${hidden.length} lines hidden`)
    expect(missed.map(({ kind, line }) => [kind, line, mask(line)])).toEqual([])
    expect(hidden.length).toBeGreaterThanOrEqual(500)
  })

  it('leaves ordinary lines as they are', () => {
    const changed = ordinary.filter((line) => mask(line) !== line)
    console.info(`masking: ${ordinary.length - changed.length} of ${ordinary.length} ordinary lines left alone`)
    expect(changed.map((line) => [line, mask(line)])).toEqual([])
    expect(ordinary.length).toBeGreaterThanOrEqual(200)
  })

  it('keeps the words around what it hides', () => {
    const around = (kind: string) => (values[kind] ?? []).map((value) => mask(`Before ${value} after`))
    for (const kind of ['ipv4', 'ipv6', 'email', 'key', 'path']) for (const line of around(kind)) expect(line).toMatch(/^Before .* after$/)
  })

  it('hides a key that unseen characters cut in pieces', () => {
    for (const [name, key] of [
      ['key', `ghp_${'a1B2'.repeat(9)}`],
      ['Bearer', 'abcdefg1'],
    ])
      expect(mask(`${name} ${key?.replace(/.../g, '$&\u200b')}`)).toBe(`${name} [masked secret]`)
  })

  it('asks every rule that finds something', () => {
    const lines = [...hidden.map(({ line }) => line), ...ordinary]
    const texts = lines.flatMap((line) => [line, line.toUpperCase(), line.toLowerCase(), line.replaceAll(' ', '\n')])
    for (const text of texts) expect(maskSecrets(text), text).toBe(maskSecrets(text, -1))
  })

  it('hides a password of letters and a sign alone', () => {
    expect(mask('The password is Sommer!x')).toBe('The password is [masked secret]')
    expect(mask('The password is wrong.')).toBe('The password is wrong.')
  })

  it('changes nothing the second time', () => {
    for (const { line } of hidden) expect(mask(mask(line))).toBe(mask(line))
  })

  it('hides a value wherever in a text it stands', () => {
    const words = fc.array(fc.constantFrom('checked', 'the', 'ping', 'of', '(', ')', '\n', '- ', '> ', 'и', '了'), { maxLength: 12 })
    const one = fc.constantFrom(
      '10.0.8.21',
      'fe80::1',
      'dana@contoso.com',
      '\\\\fs01\\finance',
      'password: hunter2',
      'AKIAABCDEFGHIJKLMNOP',
    )
    fc.assert(
      fc.property(words, one, words, (before, value, after) => {
        expect(mask(`${before.join(' ')} ${value} ${after.join(' ')}`)).not.toContain(value)
      }),
      { numRuns: 2000 },
    )
  })

  it('takes time that grows no faster than the text', () => {
    const size = 100_000
    const slow: string[] = []
    for (const piece of hostile) {
      const timeOf = (length: number) => busyMs(() => mask(piece.repeat(length / piece.length)))
      const ratio = () => timeOf(2 * size) / Math.max(timeOf(size), 10)
      // The machine has others to serve: what is linear is so in one of five tries.
      if (Array.from({ length: 5 }).every(() => ratio() > 3)) slow.push(JSON.stringify(piece))
    }
    expect(slow).toEqual([])
  }, 120_000)
})

const hostile = [
  'a',
  '1',
  '.',
  ':',
  '@',
  '\\',
  '/',
  '-',
  ' ',
  '\n',
  '"',
  "'",
  '=',
  '%40',
  '::',
  '1.',
  '1.1.1.1',
  'a@',
  'a@a.',
  'a.a@',
  'eyJ',
  '-eyJ',
  '_eyJ',
  'ghp_',
  'sk-',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY-----\n',
  '-----END A-----',
  'password',
  'password=',
  'password="',
  'password: ',
  '--password ',
  'a:',
  'fe80:',
  'http://',
  'http://a:',
  'https://a:b',
  '\\\\a',
  '\\\\a\\',
  '\\\\a\\b c',
  ' \\\\aa\\b ',
  '\\\\\\\\a\\\\',
  ' //a/',
  '" \\\\',
  'smb://',
  'AAAAA-',
  '111111-',
  '0x',
  '0x0.',
  'a-',
  '0-',
  'Cookie:',
  'Cookie: a=',
  'Bearer ',
  'aA0',
  'aA0.',
  'aA0/',
  ' [at] ',
  '(at)',
  'a [at] a',
  '[dot]',
  'a[at]a[dot]',
  '&#64;',
  'key=',
  '?sig=',
  'curl -u ',
  'curl -u a:',
  '\u200b',
  '1\u200b',
  'Private-MAC:',
  'Private-Lines: 1\nA\n',
  'ConvertTo-SecureString ',
  'ip-1-',
  '0.ip6.',
  'a b.',
  '-----BEGIN ',
  '123456789:AA',
  'a!',
  'Ω',
  '漢',
  '漢@',
  '１.',
  'MTa.',
  '\\\\a\\b.',
  '“',
  'x.x.',
  '"@',
]
