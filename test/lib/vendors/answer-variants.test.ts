// @module-tag mechanism
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClock } from '#local/clock.ts'
import { startLocalServer } from '#local/server.ts'
import { secrets } from '#test/local/test-server.ts'
import { type AnswerVariant, listEnvelopes, listVariants } from '#test/support/answer-variants.ts'
import { someByDay } from '#test/support/night.ts'
import { type Asked, createVendorCalls } from '#test/support/vendor-calls.ts'
import { startVendorServer, type VendorAnswer, type VendorRequest } from '#test/support/vendor-server.ts'
import { listLosses } from '#vendors/net/wire.ts'

/** A server that keeps the answers of the emulator, and sends one of them changed. */
const proxy = await startVendorServer()
const clock = createClock()
const vendors = createVendorCalls(clock)
const local = { origin: '', close: async () => {} }
const recorded = new Map<string, Promise<VendorAnswer>>()
const asked = new Set<string>()
/** How often each call was made since `ask`, because a later answer to it may differ. */
let times: Record<string, number> = {}
let changed: { key: string; body: unknown; status?: number } | undefined

beforeAll(async () => {
  Object.assign(local, await startLocalServer({ port: 0, redisName: 'variants', secrets, clock }))
  proxy.answer = async (request) => {
    const call = `${request.method} ${request.path} ${request.body}`
    const place = times[call] ?? 0
    times[call] = place + 1
    const key = `${call} ${place}`
    const answer = recorded.get(key) ?? forward(request)
    recorded.set(key, answer)
    asked.add(key)
    if (changed?.key !== key) return answer
    const { status } = changed
    return { ...(await answer), ...(status && { status }), body: JSON.stringify(changed.body) }
  }
})
afterAll(async () => {
  proxy.close()
  await local.close()
})

const ask = (call: () => Promise<unknown>) => {
  times = {}
  return call()
}

async function forward({ method, path, headers, body }: VendorRequest): Promise<VendorAnswer> {
  const response = await fetch(local.origin + path, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      ['host', 'connection', 'content-length'].includes(name) ? [] : [[name, String(value)]],
    ),
    ...(body === '' ? {} : { body }),
  })
  const headersOf = { 'content-type': response.headers.get('content-type') ?? '' }
  return { status: response.status, headers: headersOf, body: await response.text() }
}

function listIds(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'id' && each !== null ? [String(each)] : listIds(each),
  )
}

/** Return the ids that may be missing: those of the touched item, if the change takes what makes it a record. */
function listExcused(variant: AnswerVariant, before: unknown, required: RegExp): 'all' | 'none' | 'item' {
  const value = variant.path.reduce<unknown>(
    (each, key) => (each as Record<string | number, unknown> | null)?.[key],
    before,
  )
  const isGone = variant.change.endsWith('left out') || variant.change.endsWith('null')
  if (typeof value === 'object' && value !== null && isGone) return variant.path.includes(0) ? 'item' : 'all'
  return required.test(String(variant.path.at(-1))) && !variant.change.includes('unknown')
    ? variant.path.includes(0)
      ? 'item'
      : 'all'
    : 'none'
}

/** Whether a change puts bad items into the list that was asked for. A page behind the list is only counted. */
function isReadList(key: string, { change, path }: AnswerVariant): boolean {
  const isOfAnswer =
    path.length === 1 || /^(?:tickets|clients|actions|assets|articles|data)$/.test(String(path[0]))
  return (
    change.endsWith('bad items before it') && path.length <= 2 && isOfAnswer && !key.includes('pageSize=1 ')
  )
}

describe.each(Object.entries(vendors) as [string, Asked<unknown>][])(
  '%s',
  (_, { open, calls, required, error }) => {
    it.each(Object.entries(calls))('%s is read from every variant of each answer', async (_name, call) => {
      changed = undefined
      asked.clear()
      const ids = listIds(await ask(() => call(open(proxy.origin))))
      const keys = [...asked].filter((key) => !key.includes('/token'))
      const lost: string[] = []
      let variants = 0
      for (const key of keys) {
        const { body: text } = (await recorded.get(key)) ?? {}
        const body: unknown = JSON.parse(String(text))
        const all = [...listVariants(body), ...listEnvelopes(body)]
        for (const variant of someByDay(all, all.length / 4)) {
          variants++
          changed = { key, body: variant.body }
          const excused = listExcused(variant, body, required)
          const { value: found, losses } = await listLosses(() =>
            ask(() => call(open(proxy.origin))).catch((failure: unknown) => failure),
          )
          const title = `${key}: ${variant.change}`
          if (found instanceof Error) {
            if (!(found instanceof error)) lost.push(`${title}: ${found}`)
            else if (excused === 'none') lost.push(`${title}: ${found.message}`)
            continue
          }
          if (isReadList(key, variant) && losses.length === 0)
            lost.push(`${title}: leaves them out without a word`)
          const left = new Set(listIds(found))
          const missing = ids.filter((id) => !left.has(id))
          const isEmpty = missing.length === ids.length && ids.length > 3
          if (excused === 'none' ? missing.length > 0 : excused === 'item' && isEmpty)
            lost.push(`${title}: loses ${missing}`)
        }
      }
      changed = undefined
      expect(variants).toBeGreaterThan(0)
      expect(lost).toEqual([])
    })
  },
)

/** Calls that read more than one record: what of them must be read, and which answers are only a part. */
const partsOf: [keyof typeof vendors, string, RegExp][] = [
  ['connectwise', 'context', /^GET (?!\S*\/service\/tickets\/4711 )/],
  ['halopsa', 'context', /^GET (?!\S*\/Tickets\/4711)/],
  ['halopsa', 'tickets', /\/Status/],
  ['hudu', 'page', /\/(?:companies|folders)\//],
  ['itGlue', 'page', /\/relationships\/documents/],
]
it.each(partsOf)('a part that %s refuses costs no other part of its %s', async (name, call, isPart) => {
  const { open, calls } = vendors[name] as Asked<unknown>
  const work = () => ask(() => (calls[call] as (port: unknown) => Promise<unknown>)(open(proxy.origin)))
  changed = undefined
  asked.clear()
  const ids = listIds(await work())
  const lost: string[] = []
  const parts = [...asked].filter((key) => isPart.test(key))
  for (const key of parts)
    for (const status of [403, 404, 500]) {
      changed = { key, status, body: { message: 'This record is hidden.' } }
      const found = await work().catch((failure: unknown) => failure)
      const { body } = (await recorded.get(key)) ?? {}
      const excused = new Set([...listIds(found), ...listIds(JSON.parse(String(body)))])
      const missing = ids.filter((id) => !excused.has(id))
      if (found instanceof Error || missing.length > 0)
        lost.push(`${key} ${status}: ${found instanceof Error ? found.message : `loses ${missing}`}`)
    }
  changed = undefined
  expect(parts.length).toBeGreaterThan(0)
  expect(lost).toEqual([])
})
