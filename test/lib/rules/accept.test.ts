// @module-tag mechanism
import { expect, it } from 'vitest'
import { admitsType, prefersType } from '#rules/text/accept.ts'

it.each([
  ['text/html', true],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['TEXT/HTML; q=1.0', true],
  ['application/json, text/html', true],
  ['text/html;level=1;q=0.5', true],
  ['application/json, text/html;q=0.9', false],
  ['application/json;q=0.8, text/html;q=0.9', true],
  ['text/html;q=0', false],
  ['text/html;q=0.000, */*', false],
  ['text/html;q=0.5, */*;q=0.6', false],
  ['text/html;q=2', false],
  ['text/html;q=', false],
  ['*/*', false],
  ['text/*', false],
  ['', false],
  [`text/html${';'.repeat(100_000)}`, true],
])('%.60s prefers a page: %s', (accept, expected) => {
  expect(prefersType(accept, 'text/html')).toBe(expected)
})

it.each([
  ['', true],
  ['*/*', true],
  ['application/*;q=0.1', true],
  ['application/json', true],
  ['text/html, */*;q=0', false],
  ['application/json;q=0, */*', false],
  ['text/event-stream', false],
])('%s admits JSON: %s', (accept, expected) => {
  expect(admitsType(accept, 'application/json')).toBe(expected)
})
