import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { createLinkChecker } from '#vendors/net/link-checker.ts'

const vendor = await startVendorServer()
afterAll(vendor.close)
beforeEach(() => {
  vendor.requests.length = 0
})

describe('a link of a flow', () => {
  const check = createLinkChecker({
    findRefusal: async (url) =>
      url.includes('internal')
        ? 'must not'
        : url.includes('nowhere')
          ? 'has a name that cannot be resolved'
          : null,
  })
  const redirect = (location: string | undefined, status = 302) => ({
    status,
    headers: location === undefined ? undefined : { location },
  })

  it.each([
    [200, 'ok'],
    [299, 'ok'],
    [304, 'ok'],
    [400, 'broken'],
    [401, 'ok'],
    [403, 'ok'],
    [404, 'broken'],
    [405, 'ok'],
    [406, 'ok'],
    [408, 'broken'],
    [410, 'broken'],
    [429, 'ok'],
    [451, 'ok'],
    [500, 'broken'],
  ])('that answers %i is %s', async (status, state) => {
    vendor.answer = () => ({ status })
    expect(await check(vendor.origin)).toEqual({ state, status })
  })
  it.each([
    [0, 'ok', 200, 1],
    [3, 'ok', 200, 4],
    [4, 'broken', null, 4],
  ])('with %i redirects is %s', async (redirects, state, status, calls) => {
    vendor.answer = ({ path }) =>
      Number(path.slice(1)) < redirects ? redirect(`/${Number(path.slice(1)) + 1}`, 301) : {}
    expect(await check(`${vendor.origin}/0`)).toEqual({ state, status })
    expect(vendor.requests).toHaveLength(calls)
  })
  it.each([
    [redirect('http://internal.example/'), { state: 'not_checked', status: null }],
    [redirect('http://nowhere.example/'), { state: 'broken', status: null }],
    [redirect('http://['), { state: 'broken', status: 302 }],
    [redirect(undefined, 300), { state: 'ok', status: 300 }],
    [
      { status: 201, headers: { location: '/internal' } },
      { state: 'ok', status: 201 },
    ],
    [
      { status: 400, headers: { location: '/internal' } },
      { state: 'broken', status: 400 },
    ],
    [null, { state: 'broken', status: null }],
  ])('that answers %j has the right result', async (answer, result) => {
    vendor.answer = () => answer
    expect(await check(vendor.origin)).toEqual(result)
  })
  it('is not called when the guard refuses it', async () => {
    expect(await check(`${vendor.origin}/internal`)).toEqual({ state: 'not_checked', status: null })
    expect(vendor.requests).toEqual([])
  })
})
