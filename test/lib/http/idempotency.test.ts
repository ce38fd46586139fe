import { describe, expect, it } from 'vitest'
import { hashRequest, readIdempotencyKey } from '#http/idempotency.ts'

const url = 'https://api.example.com/api/v1/x'
const request = (headers: Record<string, string>) => new Request(url, { headers })

describe('an Idempotency-Key', () => {
  it.each([['a'], ['a'.repeat(255)], [null]])('is accepted: %j', (key) => {
    expect(readIdempotencyKey(request(key === null ? {} : { 'idempotency-key': key }))).toBe(key)
  })
  it.each(['', 'a'.repeat(256), 'ä'])('is refused: %j', (key) => {
    expect(() => readIdempotencyKey(request({ 'idempotency-key': key }))).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        body: expect.objectContaining({ errors: [expect.objectContaining({ type: 'invalid_key' })] }),
      }),
    )
  })
  it('stands for the path, the query and the body of a request', async () => {
    const bytes = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>
    const hashes = await Promise.all([
      hashRequest(url, 'a'),
      hashRequest('https://other.example/api/v1/x', 'a'),
      hashRequest(`${url}?a`, 'a'),
      hashRequest(`${url}y`, 'a'),
      hashRequest(url, 'b'),
      hashRequest(url, bytes('a')),
      hashRequest(url, bytes('a')),
    ])
    expect(hashes[1]).toBe(hashes[0])
    expect(hashes[6]).toBe(hashes[5])
    expect(new Set(hashes).size).toBe(5)
  })
})
