import { describe, expect, it } from 'vitest'
import { Email, Name } from '#http/fields.ts'

const parse = (schema: typeof Email | typeof Name, text: string) => schema.safeParse(text).data ?? null

describe('an e-mail address', () => {
  it.each([
    ['dana@northwind.example', 'dana@northwind.example'],
    ['  dana@northwind.example\n', 'dana@northwind.example'],
    ['info@müller.example', 'info@xn--mller-kva.example'],
    ['info@ПРИМЕР.example', 'info@xn--e1afmkfd.example'],
    [`${'a'.repeat(64)}@northwind.example`, `${'a'.repeat(64)}@northwind.example`],
    ['dana+tickets@sub.northwind.example', 'dana+tickets@sub.northwind.example'],
  ])('WIR-40 accepts %j as %s', (text, stored) => expect(parse(Email, text)).toBe(stored))

  it.each([
    `${'a'.repeat(65)}@northwind.example`,
    'dana@mül/ler.example',
    'dana@mü ller.example',
    'dana@ü:1@northwind.example',
    'dana@[ü]',
    '@müller.example',
    'müller@',
    `a@${'ü'.repeat(400)}.example`,
    'dana@northwind.example, eve@northwind.example',
    'dana @northwind.example',
  ])('WIR-40 refuses %j', (text) => expect(parse(Email, text)).toBe(null))
})

describe('a name', () => {
  it.each([
    ['Dana\u200b Reyes', 'Dana Reyes'],
    ['\u202egro.live\u202c Dana', 'gro.live Dana'],
    [' \ufeffDana ', 'Dana'],
    ['👩‍💻 Team', '👩‍💻 Team'],
    ['कृष्\u200dण', 'कृष्\u200dण'],
  ])('WIR-41 stores %j as %j', (text, stored) => expect(parse(Name, text)).toBe(stored))

  it.each(['\u200b', '\u200d', ' \u2060\u00ad ', '\u202e\u202c'])(
    'WIR-41 refuses %j, which shows nothing',
    (text) => expect(parse(Name, text)).toBe(null),
  )
})
