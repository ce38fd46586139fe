import { expect, it } from 'vitest'
import { hasShortLocalPart, normaliseEmail } from '#rules/text/email-address.ts'

it.each([
  [' dana@northwind.example ', 'dana@northwind.example'],
  ['info@müller.example', 'info@xn--mller-kva.example'],
  ['a@b@müller.example', 'a@b@xn--mller-kva.example'],
  ['@müller.example', '@müller.example'],
  ['müller.example', 'müller.example'],
  ['a@mü/ller.example', 'a@mü/ller.example'],
])('normaliseEmail writes %j as %j', (text, address) => {
  expect(normaliseEmail(text)).toBe(address)
})

it('normaliseEmail does not change a text of more than 1,000 characters', () => {
  const createAddress = (length: number) => `${'x'.repeat(length - 4)}@ü.x`
  expect(normaliseEmail(createAddress(1000))).toBe(`${'x'.repeat(996)}@xn--tda.x`)
  expect(normaliseEmail(createAddress(1001))).toBe(createAddress(1001))
})

it('hasShortLocalPart accepts 64 characters before the last @', () => {
  expect([64, 65].map((length) => hasShortLocalPart(`${'x'.repeat(length)}@x.example`))).toEqual([
    true,
    false,
  ])
})
