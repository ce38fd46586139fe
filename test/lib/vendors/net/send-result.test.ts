import { describe, expect, it } from 'vitest'
import { failedSend, parseRetryAfter } from '#vendors/net/send-result.ts'

describe('parseRetryAfter', () => {
  it.each([
    ['1', 1],
    [' 90 ', 90],
    ['86400', 86_400],
    ['86401', 86_400],
    ['0', undefined],
    ['-5', undefined],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
    ['Wed, 21 Oct 2015 07:28:00 GMT', undefined],
  ])('reads %j as %j seconds', (header, seconds) => expect(parseRetryAfter(header)).toBe(seconds))

  it('reads a date as the seconds until then', () => {
    const seconds = parseRetryAfter(new Date(Date.now() + 80_000_000).toUTCString()) ?? 0
    expect(seconds > 79_990 && seconds <= 80_000).toBe(true)
  })
})

it.each([
  [new DOMException('', 'TimeoutError'), 'No answer within 10 s'],
  [new DOMException('', 'AbortError'), 'No answer within 10 s'],
  [new TypeError('fetch failed'), 'The connection failed'],
  ['no error', 'The connection failed'],
])('failedSend tells a time-out from other failures: %s', (error, text) => {
  expect(failedSend(error)).toEqual({ ok: false, status: null, error: text })
})
