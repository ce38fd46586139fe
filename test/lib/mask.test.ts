import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mask } from '../../lib/text/mask.ts'
import { maskSecrets } from '../../lib/text/mask-secrets.ts'
import { measureCpuTimeMs } from '../support/measure.ts'
import { linesToMask, valuesByKind } from './mask-corpus.ts'
import { ordinaryLines } from './mask-ordinary.ts'

describe('mask', () => {
  it('SES-22 masks every address, path, token and key of the corpus completely', () => {
    const unmasked = linesToMask.filter(
      ({ line, secretParts }) => secretParts.length === 0 || secretParts.some((part) => mask(line).includes(part)),
    )
    console.info(`masking: ${linesToMask.length - unmasked.length} of ${linesToMask.length} lines masked`)
    expect(unmasked.map(({ kind, line }) => [kind, line, mask(line)])).toEqual([])
    expect(linesToMask.length).toBeGreaterThanOrEqual(500)
  })

  it('does not change ordinary lines', () => {
    const changed = ordinaryLines.filter((line) => mask(line) !== line)
    console.info(`masking: ${ordinaryLines.length - changed.length} of ${ordinaryLines.length} ordinary lines unchanged`)
    expect(changed.map((line) => [line, mask(line)])).toEqual([])
    expect(ordinaryLines.length).toBeGreaterThanOrEqual(200)
  })

  it.each([
    // 19 changes between upper case, lower case and digits in 50 characters: the least for a random text.
    ['masks', 19, 50, 'aA0'],
    ['keeps', 18, 50, 'aA0'],
    // 8 changes in 32 characters without upper case.
    ['masks', 8, 32, 'z0'],
    ['keeps', 7, 32, 'z0'],
  ])('%s a text with %i changes of the kind of character in %i characters of %s', (verb, changes, length, classes) => {
    const text = Array.from({ length }, (_, n) => classes[Math.min(n, changes) % classes.length]).join('')
    expect(maskSecrets(text)).toBe(verb === 'masks' ? '[masked secret]' : text)
  })

  it('keeps the text around a masked value', () => {
    for (const kind of ['ipv4', 'ipv6', 'email', 'key', 'path'])
      for (const value of valuesByKind[kind] ?? []) expect(mask(`Before ${value} after`)).toMatch(/^Before .* after$/)
  })

  it('masks a key with invisible characters in it', () => {
    for (const [name, key] of [
      ['key', `ghp_${'a1B2'.repeat(9)}`],
      ['Bearer', 'abcdefg1'],
    ])
      expect(mask(`${name} ${key?.replace(/.../g, '$&\u200b')}`)).toBe(`${name} [masked secret]`)
  })

  it('returns the same for the detected traits of a text as for all traits', () => {
    const lines = [...linesToMask.map(({ line }) => line), ...ordinaryLines]
    const texts = lines.flatMap((line) => [line, line.toUpperCase(), line.toLowerCase(), line.replaceAll(' ', '\n')])
    for (const text of texts) expect(maskSecrets(text), text).toBe(maskSecrets(text, -1))
  })

  it('masks the value after every word for a secret', () => {
    const names =
      'password passwort passwd passphrase kennwort contraseña contrasena wachtwoord lösenord hasło haslo senha пароль 密码 密碼 パスワード 비밀번호 סיסמה pwd passcode secret token credential credentials psk community apikey'
    const namesWithSpaces = [
      'mot de passe',
      'كلمة المرور',
      'pre-shared key',
      'community string',
      'recovery key',
      'wifi key',
      'session id',
      'auth_id',
    ]
    for (const name of [...names.split(' '), ...namesWithSpaces]) expect(maskSecrets(`${name}: Ab9#`)).toBe(`${name}: [masked secret]`)
  })

  it('masks a password of letters and one symbol', () => {
    expect(mask('The password is Sommer!x')).toBe('The password is [masked secret]')
    expect(mask('The password is wrong.')).toBe('The password is wrong.')
  })

  it('does not change a text that is already masked', () => {
    for (const { line } of linesToMask) expect(mask(mask(line))).toBe(mask(line))
  })

  it('masks a value at any place in a text', () => {
    const randomWords = fc.array(fc.constantFrom('checked', 'the', 'ping', 'of', '(', ')', '\n', '- ', '> ', 'и', '了'), { maxLength: 12 })
    const randomValue = fc.constantFrom(
      '10.0.8.21',
      'fe80::1',
      'dana@contoso.com',
      '\\\\fs01\\finance',
      'password: hunter2',
      'AKIAABCDEFGHIJKLMNOP',
    )
    fc.assert(
      fc.property(randomWords, randomValue, randomWords, (before, value, after) => {
        expect(mask(`${before.join(' ')} ${value} ${after.join(' ')}`)).not.toContain(value)
      }),
      { numRuns: 2000 },
    )
  })

  it('takes linear time for hostile texts', () => {
    const size = 100_000
    const slowTexts: string[] = []
    for (const part of hostileParts) {
      const measureTime = (length: number) => measureCpuTimeMs(() => mask(part.repeat(length / part.length)))
      const measureRatio = () => measureTime(2 * size) / Math.max(measureTime(size), 10)
      // Other processes can slow down single measurements, so one of five attempts must show linear time.
      if (Array.from({ length: 5 }).every(() => measureRatio() > 3)) slowTexts.push(JSON.stringify(part))
    }
    expect(slowTexts).toEqual([])
  }, 120_000)
})

const hostileParts = [
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
