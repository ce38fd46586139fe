import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import { requiresToken } from '#http/operation.ts'
import { selectsFields } from '#http/selected-fields.ts'
import { root } from '#local/root.ts'
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

// Without a `where`, the condition on the last item would belong to a join, and every page would be the
// first.
it('WIR-67 every page of a statement continues a condition on its rows', () => {
  const files = readdirSync(join(root, 'functions'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('queries.ts'),
  )
  const pages = files.flatMap((path) => {
    const [, ...parts] = readFileSync(join(root, 'functions', path), 'utf8').split(/(?=sql(?:<[^>]*>)?`)/)
    return parts
      .filter((part) => part.includes('${pageEnd('))
      .map((part) => `${path}: ${part.split('${pageEnd(')[0]}`)
  })
  expect(pages.length).toBeGreaterThan(15)
  const continuesCondition = /\b(?:where|having)\b|sql` and `\)\}\s*$|\$\{subscriptions\}\s*$/
  expect(pages.filter((page) => !continuesCondition.test(page))).toEqual([])
})

describe.concurrent('pages', () => {
  it.each(listCases(({ paged }) => paged))(
    'WIR-67 the pages of %s follow each other by their last item',
    async (id, op) => {
      const { person, sample: first } = await createRequestSetup(service, op)
      // Most fixtures insert one row more each time.
      const again = await getFixture(op)(service, person)
      const sample = JSON.stringify(again.params) === JSON.stringify(first.params) ? again : first
      const caller = { token: requiresToken(op) ? person.token : null }
      const create = operations.find(({ method, path }) => method === 'post' && path === op.path)
      for (let count = 0; create && count < 2; count++) {
        const { body = {} } = await getFixture(create)(service, person)
        // Refused where there can be only one, such as an open approval.
        await send(service, create, { params: sample.params ?? {}, body }, caller)
      }
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
      const identify = (item: object) => ('id' in item ? item.id : JSON.stringify(item))
      // Other tests change the lists of all accounts meanwhile.
      if (op.access === 'super_admin') expect(new Set(walked.map(identify)).size).toBe(walked.length)
      else expect(walked.map(identify)).toEqual(all.map(identify))
    },
  )

  it.each(listCases(({ paged }) => paged))(
    'WIR-77 %s answers the selected fields only, and refuses unknown ones',
    async (_, op) => {
      const { person, sample } = await createRequestSetup(service, op)
      const caller = { token: requiresToken(op) ? person.token : null }
      const read = (query: Record<string, string> = {}) =>
        send(service, op, { ...sample, query: { ...sample.query, ...query } }, caller)
      const [whole] = (await read()).body as object[]
      const selected = Object.keys(whole ?? {}).slice(1, 3)
      const refused = await read({ fields: [...selected, 'secret'].join(',') })
      expect([refused.status, refused.body]).toMatchObject([422, { errors: [{ loc: ['query', 'fields'] }] }])
      const answered = await read({ fields: selected.join(',') })
      expect([answered.status, (answered.body as object[])[0] ?? {}]).toMatchObject(
        whole ? [200, {}] : [422, {}],
      )
      if (whole)
        for (const item of answered.body as object[])
          expect(selected).toEqual(expect.arrayContaining(Object.keys(item)))
    },
  )

  it.each(listCases(selectsFields))(
    'WIR-77 %s answers the selected fields only, and refuses unknown ones',
    async (_, op) => {
      const { person, sample } = await createRequestSetup(service, op)
      const caller = { token: requiresToken(op) ? person.token : null }
      const read = (fields: string) =>
        send(service, op, { ...sample, query: { ...sample.query, fields } }, caller)
      const selected = Object.keys(op.returns.shape).slice(1, 3)
      const refused = await read([...selected, 'secret'].join(','))
      expect([refused.status, refused.body]).toMatchObject([422, { errors: [{ loc: ['query', 'fields'] }] }])
      const answered = await read(selected.join(','))
      expect([answered.status, answered.error]).toEqual([op.success, undefined])
      expect(Object.keys(answered.body).toSorted()).toEqual(selected.toSorted())
    },
  )

  it.each(listCases(({ paged }) => paged))(
    'WIR-20 %s is empty after the largest number of items to skip',
    async (_, op) => {
      const { person, sample } = await createRequestSetup(service, op)
      const caller = { token: requiresToken(op) ? person.token : null }
      const query = { ...sample.query, skip: String(2 ** 31 - 1), limit: '100' }
      expect(await send(service, op, { ...sample, query }, caller)).toMatchObject({ status: 200, body: [] })
    },
  )

  it.each(listCases(({ paged }) => paged).filter(([id]) => !listsBySkip.includes(id)))(
    'WIR-67 %s refuses what is no cursor of it',
    async (_, op) => {
      const { person, sample } = await createRequestSetup(service, op)
      const caller = { token: requiresToken(op) ? person.token : null }
      const response = await send(
        service,
        op,
        { ...sample, query: { ...sample.query, after: 'WyJ4Il0' } },
        caller,
      )
      expect([response.status, response.body]).toMatchObject([422, { errors: [{ loc: ['query', 'after'] }] }])
    },
  )
})
