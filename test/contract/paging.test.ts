import { describe, expect, it } from 'vitest'
import { requiresToken } from '#http/operation.ts'
import { type ApiResponse, sharedService } from '#test/support/app.ts'
import { listCases } from './cases.ts'
import { getFixture } from './fixtures.ts'
import { createRequestSetup } from './request-setup.ts'
import { expectSuccess, send } from './requests.ts'

const service = await sharedService()

/** Lists in an order that nobody's change decides: who is where, and the few plans. */
const listsBySkip = ['presence.list', 'admin.plans.listLimits']
const pagesAtMost = 6

function readNext(response: ApiResponse): Record<string, string> | null {
  const [, url] = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '') ?? []
  return url ? Object.fromEntries(new URL(url).searchParams) : null
}

describe.concurrent('pages', () => {
  it.each(listCases(({ paged }) => paged))('WIR-67 the pages of %s follow each other by their last item', async (id, op) => {
    const { person, sample: first } = await createRequestSetup(service, op)
    // Most fixtures insert one row more each time.
    const again = await getFixture(op)(service, person)
    const sample = JSON.stringify(again.params) === JSON.stringify(first.params) ? again : first
    const caller = { token: requiresToken(op) ? person.token : null }
    const read = async (query: Record<string, string>) => {
      const response = await send(service, op, { ...sample, query: { ...sample.query, ...query } }, caller)
      expectSuccess(op, response)
      return response
    }
    const all = ((await read({ limit: '100' })).body as object[]).slice(0, pagesAtMost)
    const walked: object[] = []
    for (let query: Record<string, string> | null = { limit: '1' }; query && walked.length < all.length; ) {
      const response = await read(query)
      walked.push(...(response.body as object[]))
      query = readNext(response)
      if (query) expect(Object.keys(query)).toContain(listsBySkip.includes(id) ? 'skip' : 'after')
    }
    // Other tests change the lists of all accounts meanwhile.
    if (op.access === 'super_admin') expect(new Set(walked.map((item) => JSON.stringify(item))).size).toBe(walked.length)
    else expect(walked).toEqual(all)
  })

  it.each(listCases(({ paged }) => paged).filter(([id]) => !listsBySkip.includes(id)))(
    'WIR-67 %s refuses what is no cursor of it',
    async (_, op) => {
      const { person, sample } = await createRequestSetup(service, op)
      const caller = { token: requiresToken(op) ? person.token : null }
      const response = await send(service, op, { ...sample, query: { ...sample.query, after: 'WyJ4Il0' } }, caller)
      expect([response.status, response.body]).toMatchObject([422, { errors: [{ loc: ['query', 'after'] }] }])
    },
  )
})
