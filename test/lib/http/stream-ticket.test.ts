import { expect, it } from 'vitest'
import { readLastEventId } from '#http/stream-ticket.ts'

const request = (headers: Record<string, string>) => new Request('https://api.example.com/', { headers })

it.each([
  [`12.${'s'.repeat(43)}`, { id: '12', secret: 's'.repeat(43) }],
  [`12.${'s'.repeat(42)}`, { id: `12.${'s'.repeat(42)}`, secret: undefined }],
  ['12', { id: '12', secret: undefined }],
  [null, { id: null, secret: undefined }],
])('reads the Last-Event-ID %j', (value, expected) => {
  expect(readLastEventId(request(value === null ? {} : { 'last-event-id': value }))).toEqual(expected)
})
