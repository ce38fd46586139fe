import { expect, it } from 'vitest'
import { containsDomain } from '#rules/text/hostname.ts'

it.each([
  ['Mail to example.com bounces', true],
  ['EXAMPLE.COM.', true],
  ['jane@example.com', true],
  ['https://www.example.com/x', true],
  ['example.com.attacker.test', false],
  ['notexample.com', false],
  ['example.community', false],
  ['not-example.com and example.com', true],
  ['', false],
])('TOL-08 finds a domain in %j: %j', (text, expected) => {
  expect(containsDomain(text, 'example.com')).toBe(expected)
})
