import type { Clock } from '#local/clock.ts'
import { phoneCredentials } from '#local/vendors/phone/credentials.ts'
import { releaseParts } from '#rules/audience.ts'
import { forTicket } from '#rules/release.ts'
import { newTicket, ticketSearch } from '#test/support/psa-recorder.ts'
import { agentIds } from '#test/support/runner.ts'
import {
  type ArticlePage,
  ArticlesError,
  type ArticlesPort,
  type ArticleVendor,
} from '#vendors/articles/articles.ts'
import { openArticles } from '#vendors/articles/open.ts'
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
export interface Asked<Port> {
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

/** The calls of each vendor that an account connects, to its emulator. */
export const createVendorCalls = (clock: Clock) => ({
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
})
