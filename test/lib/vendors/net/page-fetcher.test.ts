import { afterAll, describe, expect, it } from 'vitest'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { fetchPage } from '#vendors/net/page-fetcher.ts'

const vendor = await startVendorServer()
afterAll(vendor.close)
const guard = {
  findRefusal: async (url: string) =>
    url.includes('internal') ? 'must not lead to a private address' : null,
}
const fetchPath = (path: string) =>
  fetchPage(guard, vendor.origin + path, { timeoutMs: 2000, maxBytes: 1000 })

describe('a page of the web', () => {
  it('KBI-20 has its bytes, its type and its address after up to three redirects', async () => {
    vendor.answer = ({ path }) =>
      path === '/3'
        ? { headers: { 'content-type': 'text/html' }, body: '<p>a' }
        : redirect(`/${Number(path.slice(1)) + 1}`)
    expect(await fetchPath('/0')).toEqual({
      bytes: new Uint8Array(Buffer.from('<p>a')),
      type: 'text/html',
      url: `${vendor.origin}/3`,
    })
  })
  const redirect = (location: string) => ({ status: 302, headers: { location } })

  it.each([
    [
      'a redirect to a private address',
      redirect('http://internal.example/'),
      'The address that it redirects to must not lead to a private address',
      true,
    ],
    ['a redirect to no address', redirect('http://['), 'The page redirects to no address', true],
    ['a circle of redirects', redirect('/'), 'The page redirects too often', true],
    ['a missing page', { status: 404 }, 'The page answered 404', true],
    ['a page that is too large', { body: 'x'.repeat(1001) }, 'The page is larger than 5 MB', true],
    ['a server that is overloaded', { status: 503 }, 'The page answered 503', false],
    ['a broken connection', null, 'The connection failed', undefined],
  ])('KBI-20 of %s is a failure', async (_, answer, error, gone) => {
    vendor.answer = () => answer
    expect(await fetchPath('/')).toMatchObject({ ok: false, error, ...(gone === undefined ? {} : { gone }) })
  })

  it('KBI-20 may be asked for again when the server says so', async () => {
    vendor.answer = () => ({ status: 429, headers: { 'retry-after': '90' } })
    expect(await fetchPath('/')).toMatchObject({ gone: false, retryAfterSeconds: 90 })
  })

  it('KBI-20 at a private address is not called', async () => {
    vendor.requests.length = 0
    expect(
      await fetchPage(guard, 'http://internal.example', { timeoutMs: 2000, maxBytes: 1000 }),
    ).toMatchObject({ ok: false, gone: true })
    expect(vendor.requests).toEqual([])
  })
})
