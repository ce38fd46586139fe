import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import { type AnyOperation, requiresToken } from '#http/operation.ts'
import { eventKeyList } from '#rules/events/keys.ts'
import { webhookEventList } from '#rules/events/webhook-keys.ts'
import type { Sample } from '#test/contract/fixture-rows.ts'
import { getFixture } from '#test/contract/fixtures.ts'
import { insertWebhook } from '#test/contract/fixtures-webhooks.ts'
import { toInlineSchema } from '#test/contract/generators.ts'
import { createPermittedCaller, send } from '#test/contract/requests.ts'
import { plantNames } from '#test/contract/worst-values.ts'
import { startOwnService } from '#test/support/app.ts'
import { createAccount, type TestAccount } from '#test/support/people.ts'

// Each free text of an account contains its own name. Every operation runs with them, and what leaves the
// service is compared with canaries.tsv, which says what may leave by each way. A new text or a new way fails
// until somebody has decided who may read it.

const service = await startOwnService({ CHECK_RESPONSES: 'false' })
afterAll(() => service.close())

const toMark = (field: string) => `zq${field.replace(/[^a-z]+/g, 'q')}qz`
const marks = /zq([a-z]+?)qz/g

const found = new Map<string, Set<string>>()
function collect(way: string, content: unknown): void {
  const texts = found.get(way) ?? new Set()
  for (const [, field = ''] of JSON.stringify(content ?? '').matchAll(marks))
    texts.add(field.replaceAll('q', '.'))
  found.set(way, texts)
}

/** Let everything that happens in the account leave by every way. */
async function openWays({ id }: TestAccount): Promise<void> {
  const chat = (tool: number) => `${service.localOrigin}/chat/${tool}/${crypto.randomUUID()}`
  await service.sql(
    `insert into notification_configs (account_id, channel, webhook_url, email_addresses, events_enabled)
     values ($1, 'chat1_webhook', $2, null, $4), ($1, 'chat2_webhook', $3, null, $4), ($1, 'email', null, '["oncall@northwind.example"]', $4)`,
    [id, chat(1), chat(2), JSON.stringify(eventKeyList)],
  )
  await insertWebhook(service, { accountId: id }, webhookEventList)
}

/** The sample, and one for each other value of a field that is a choice or a switch. */
function listVariants(op: AnyOperation, sample: Sample): Sample[] {
  if (!op.body || !sample.body) return [sample]
  const { properties = {} } = toInlineSchema(op.body) as {
    properties?: Record<string, { enum?: unknown[]; type?: string }>
  }
  const changes = Object.entries(properties).flatMap(([name, field]) =>
    (field.enum ?? (field.type === 'boolean' ? [true, false] : [])).map((value) => ({ [name]: value })),
  )
  const others = changes.filter((change) =>
    Object.entries(change).some(([name, value]) => sample.body?.[name] !== value),
  )
  return [sample, ...others.map((change) => ({ ...sample, body: { ...sample.body, ...change } }))]
}

async function run(op: AnyOperation, variant: number): Promise<number> {
  const account = await createAccount(service)
  const person = await createPermittedCaller(op, account)
  const sample = await getFixture(op)(service, person)
  await openWays(account)
  await plantNames(service, account.id, toMark)
  const variants = listVariants(op, sample)
  const { text } = await send(service, op, variants[variant] ?? sample, {
    token: requiresToken(op) ? person.token : null,
  })
  if (!requiresToken(op)) collect(`answer of ${op.id}`, text)
  return variants.length
}

/**
 * Let an engineer of no team read everything of an account that has a row for each operation. So reports,
 * search, lists and the tools of programs are tried too, which call the same operations.
 */
async function readAsStranger(): Promise<void> {
  const account = await createAccount(service)
  const stranger = await account.addColleague({ teamId: null })
  // What a ticketing system answers was pushed to it before, which is a way of its own.
  const isRead = (op: AnyOperation) => op.method === 'get' && requiresToken(op) && !op.callsExternalService
  const reads = (operations as readonly AnyOperation[]).filter(
    (op) => isRead(op) && !op.produces?.includes('text/event-stream'),
  )
  const samples: [AnyOperation, Sample][] = []
  for (const op of reads)
    samples.push([op, await getFixture(op)(service, await createPermittedCaller(op, account))])
  await plantNames(service, account.id, toMark)
  for (const [op, sample] of samples) {
    const words: Record<string, string> = op.id === 'search.find' ? { q: 'zq' } : {}
    const { text } = await send(
      service,
      op,
      { ...sample, query: { ...sample.query, ...words } },
      { token: stranger.token },
    )
    collect('answer to an engineer of no team', text)
  }
}

const records = service.stack.localServer.dashboard.records

/** Read what the emulated vendors have received, and forget it. */
function collectRecords(): void {
  for (const { subject, html, text } of records.list('mail')) collect('mail', [subject, html, text])
  for (const { body } of records.list('chat')) collect('chat', body)
  for (const { body } of records.list('hooks')) collect('webhook', body)
  for (const { request } of records.list('ai')) {
    const text = JSON.stringify(request)
    const name = /"json_schema\\?":\{\\?"name\\?":\\?"(\w+)/.exec(text)?.[1] ?? 'other'
    const isForClient = /audience\\*":\\*"(client_update|email_draft)|kind\\*":\\*"client_email/.test(text)
    collect(isForClient ? 'prompt for a client' : `prompt ${name}`, request)
  }
  for (const name of ['mail', 'chat', 'hooks', 'ai'] as const) records.clear(name)
}

beforeAll(async () => {
  // First, because the gallery shows public flows of every account.
  await readAsStranger()
  for (const op of operations as readonly AnyOperation[]) {
    if (op.method === 'get' && requiresToken(op)) continue
    for (let variant = 0, count = 1; variant < count; variant++) count = await run(op, variant)
    collectRecords()
  }
  await service.stack.localServer.qstash.waitUntilSettled()
  collectRecords()
  const pushes = await service.sql<{ body: string; internal: boolean; details: object }>(
    'select body, internal, details from psa_pushes',
  )
  for (const { body, internal, details } of pushes)
    collect(internal ? 'ticket for colleagues' : 'ticket for a client', [body, details])
  collect('log', service.log)
}, 240_000)

it('AUD-01 what leaves the service is what canaries.tsv allows', async () => {
  const lines = [...found]
    .flatMap(([way, fields]) => [...fields].map((field) => `${way}\t${field}`))
    .toSorted()
  const table = (await readFile(new URL('canaries.tsv', import.meta.url), 'utf8')).trim().split('\n').slice(1)
  const undecided = lines.filter((line) => !table.includes(line))
  const gone = table.filter((line) => !lines.includes(line))
  // Decide for each undecided line who reads what leaves by this way, then add it to the table.
  expect({ undecided, gone }).toEqual({ undecided: [], gone: [] })
})
