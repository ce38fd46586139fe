// @module-tag mechanism
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClock } from '#local/clock.ts'
import { startLocalServer } from '#local/server.ts'
import { phoneCredentials } from '#local/vendors/phone/credentials.ts'
import { releaseParts } from '#rules/audience.ts'
import { forTicket } from '#rules/release.ts'
import { secrets } from '#test/local/test-server.ts'
import { type AnswerVariant, listEnvelopes, listVariants } from '#test/support/answer-variants.ts'
import { newTicket, ticketSearch } from '#test/support/psa-recorder.ts'
import { agentIds } from '#test/support/runner.ts'
import { startVendorServer, type VendorAnswer, type VendorRequest } from '#test/support/vendor-server.ts'
import {
  type ArticlePage,
  ArticlesError,
  type ArticlesPort,
  type ArticleVendor,
} from '#vendors/articles/articles.ts'
import { openArticles } from '#vendors/articles/open.ts'
import { listLosses } from '#vendors/net/wire.ts'
import { createPhoneOpener } from '#vendors/phone/open.ts'
import type { PhoneChannel, PhonePort } from '#vendors/phone/phone.ts'
import { createPsaOpener } from '#vendors/psa/open.ts'
import { PsaError, type PsaPort } from '#vendors/psa/psa.ts'
import { createRunnerOpener } from '#vendors/runner/open.ts'
import { RunnerError, type RunnerPort } from '#vendors/runner/runner.ts'
import { httpWebhooks } from '#vendors/webhooks/http-webhooks.ts'

const guard = { findRefusal: async () => null }
const search = { ...ticketSearch, pageSize: 25 }
const timeEntry = {
  memberId: '172',
  startedAt: '2026-01-01T00:00:00Z',
  minutes: 15,
  note: forTicket('internal', 'a'),
  reference: 'sf-2',
}
const since = '2020-01-01T00:00:00Z'

/** What is asked of a vendor: the answers to these calls are recorded from its emulator, and then changed. */
interface Asked<Port> {
  open(origin: string): Port
  calls: Record<string, (port: Port) => Promise<unknown>>
  /** Keys without which a record is none. Every other one is optional. */
  required: RegExp
  error: new (...input: never[]) => Error
}

const sendToPhone = (kind: PhoneChannel) => async (port: PhonePort) => {
  const text = releaseParts('An escalation waits for you')
  const result = await port.send({ id: crypto.randomUUID(), kind, to: '+4930123456', text })
  if (!result.ok) throw new Error(result.error)
  return { id: String(result.status) }
}

const psaCalls = (ticket: string): Asked<PsaPort>['calls'] => ({
  boards: (port) => port.listBoards(),
  members: (port) => port.listMembers(),
  statuses: (port) => port.listStatuses('1'),
  companies: (port) => port.searchCompanies(['n']),
  tickets: (port) => port.searchTickets(search),
  ticket: (port) => port.getTicket(ticket),
  context: (port) => port.getTicketContext(ticket),
  recipient: (port) => port.findRecipient(ticket),
  note: async (port) => {
    const id = await port.addNote(ticket, forTicket('internal', 'a'))
    return [{ id }, { id: await port.findNote(ticket, { text: 'a', since }) }]
  },
  change: (port) => port.updateTicket(ticket, { memberId: null }),
  created: async (port) => ({ id: await port.createTicket(newTicket) }),
  time: async (port) => {
    const id = await port.addTimeEntry({ ...timeEntry, ticketId: ticket })
    return [{ id }, { id: (await port.findTimeEntry(ticket, timeEntry.reference))?.id ?? null }]
  },
})
const secretsOf = { public_key: 'demo', private_key: 'demo' }
const articleCalls: Asked<ArticlesPort>['calls'] = {
  async page(port) {
    const pages: ArticlePage[] = []
    for (let next: string | null = ''; next !== null; next = pages.at(-1)?.next ?? null)
      pages.push(await port.listPage(next))
    return pages
  },
  article: (port) => port.read('1'),
}
const askedArticles = (vendor: ArticleVendor, path: string, required: RegExp): Asked<ArticlesPort> => ({
  open: (origin) => openArticles({ vendor, baseUrl: origin + path, apiKey: 'demo' }, guard),
  calls: articleCalls,
  required,
  error: ArticlesError,
})

const vendors = {
  connectwise: {
    open: (origin) =>
      createPsaOpener(guard)({
        provider: 'connectwise',
        baseUrl: `${origin}/psa`,
        identity: { company_id: 'demo', client_id: 'demo' },
        secrets: secretsOf,
      }),
    calls: psaCalls('4711'),
    required: /^(id|identifier)$/,
    error: PsaError,
  } satisfies Asked<PsaPort>,
  halopsa: {
    open: (origin) =>
      createPsaOpener(guard)({
        provider: 'halopsa',
        baseUrl: `${origin}/halo`,
        identity: { client_id: 'demo', tenant: null, auth_url: null },
        secrets: { client_secret: 'demo' },
      }),
    calls: psaCalls('4711'),
    required: /^(?:\w+_)?id$/,
    error: PsaError,
  } satisfies Asked<PsaPort>,
  tacticalRmm: {
    open: (origin) =>
      createRunnerOpener(guard)({
        provider: 'tactical_rmm',
        baseUrl: `${origin}/tactical-rmm`,
        apiKey: 'demo',
      }),
    calls: {
      agents: (port) => port.listAgents(undefined),
      agentsOfClient: (port) => port.listAgents('Northwind'),
      ping: (port) => port.findAgent(agentIds.online),
      run: async (port) => {
        const reference = 'reference'
        const id = await port.storeScript({ reference, title: 't', language: 'bash', script: 'echo' })
        await port.start(agentIds.online, id, 30)
        clock.setOffset(60_000)
        return [await port.findRun(reference), { id }]
      },
    },
    // The text of a stored script is compared, because another one must not run.
    required: /^(id|agent_id|name|script_body|shell)$/,
    error: RunnerError,
  } satisfies Asked<RunnerPort>,
  twilio: {
    open: (origin) =>
      createPhoneOpener(
        guard,
        httpWebhooks(),
      )({
        provider: 'twilio',
        baseUrl: `${origin}/twilio`,
        accountSid: phoneCredentials.accountSid,
        apiKeySid: phoneCredentials.apiKeySid,
        secret: phoneCredentials.secret,
        sender: '+15005550006',
      }),
    calls: { sms: sendToPhone('sms'), voice: sendToPhone('voice') },
    // Without it the answer may be a page of something else.
    required: /^sid$/,
    error: Error,
  } satisfies Asked<PhonePort>,
  hudu: askedArticles('hudu', '/hudu', /^(id|content)$/),
  itGlue: askedArticles('it_glue', '/it-glue', /^(id|attributes|content)$/),
}

/** A server that keeps the answers of the emulator, and sends one of them changed. */
const proxy = await startVendorServer()
const clock = createClock()
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
        for (const variant of [...listVariants(body), ...listEnvelopes(body)]) {
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
