import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import { formats } from '#functions/sessions/exports/schemas.ts'
import { type AnyOperation, requiresToken } from '#http/operation.ts'
import { eventKeyList } from '#rules/events/keys.ts'
import { webhookEventList } from '#rules/events/webhook-keys.ts'
import type { Sample } from '#test/contract/fixture-rows.ts'
import { getFixture } from '#test/contract/fixtures.ts'
import { insertGateway } from '#test/contract/fixtures-phone.ts'
import { insertWebhook } from '#test/contract/fixtures-webhooks.ts'
import { toInlineSchema } from '#test/contract/generators.ts'
import { createPermittedCaller, send } from '#test/contract/requests.ts'
import { plantTexts, readFieldLimits } from '#test/contract/worst-values.ts'
import { startOwnService } from '#test/support/app.ts'
import { insertBrowsers } from '#test/support/browsers.ts'
import { isNight, someByDay } from '#test/support/night.ts'
import { createAccount, type TestAccount } from '#test/support/people.ts'
import { personalChannels } from '#work/claimed-deliveries.ts'
import { findSecrets, secretForms, secretsOf } from './secret-forms.ts'

// Each free text of an account contains its own name, and a secret in one of five forms of markup. Every
// operation runs with them. The names in what leaves the service are compared with canaries.tsv, which says
// what may leave by each way: a new text or a new way fails until somebody has decided who may read it. The
// accounts mask what leaves, so a secret in it has passed the gate by.

const service = await startOwnService({ CHECK_RESPONSES: 'false', AI_REDACTION: 'all' })
afterAll(() => service.close())

const toMark = (field: string) => `zq${field.replace(/[^a-z]+/g, 'q')}qz`
const marks = /zq([a-z]+?)qz/g

const found = new Map<string, Set<string>>()
/** The secrets that were seen, as `way: secret of fields`. */
const seen = new Set<string>()

/** Ways on which everything stays as it is: what people of the account read inside of it. */
const insideWays = /^(?:answer to an engineer|answer of (?:identity|accounts|public)|log)/
/** People without an account read the addresses that an author publishes. */
const publicWays = /^answer of flows\./

function collect(way: string, content: unknown): void {
  const texts = found.get(way) ?? new Set()
  const secrets = publicWays.test(way) ? secretsOf.public : secretsOf.colleagues
  for (const secret of insideWays.test(way) ? [] : findSecrets(content, secrets))
    seen.add(`${way}: ${secret}`)
  for (const [, field = ''] of JSON.stringify(content ?? '').matchAll(marks))
    texts.add(field.replaceAll('q', '.'))
  found.set(way, texts)
}

/** Let everything that happens in the account leave by every way. */
async function openWays({ id }: TestAccount): Promise<void> {
  await service.sql(
    `update accounts set preferences = preferences || '{"mask_exports": true, "push_details": true}' where id = $1`,
    [id],
  )
  const chat = (tool: number) => `${service.localOrigin}/chat/${tool}/${crypto.randomUUID()}`
  await service.sql(
    `insert into notification_configs (account_id, channel, webhook_url, email_addresses, events_enabled)
     values ($1, 'chat1_webhook', $2, null, $4), ($1, 'chat2_webhook', $3, null, $4), ($1, 'email', null, '["oncall@northwind.example"]', $4)`,
    [id, chat(1), chat(2), JSON.stringify(eventKeyList)],
  )
  await insertWebhook(service, { accountId: id }, webhookEventList)
  await insertBrowsers(service, id)
  await insertGateway(service, { accountId: id })
  await service.sql(
    `insert into phone_numbers (account_id, user_id, number, verified_at)
     select account_id, id, '+49301' || (1000000 + abs(hashtext(id::text)) % 8999999), app.now() from users where account_id = $1
     on conflict do nothing`,
    [id],
  )
  await service.sql(
    `insert into mail_preferences (account_id, user_id, alert_steps) select account_id, id, $2 from users where account_id = $1
     on conflict (account_id, user_id) do update set alert_steps = excluded.alert_steps`,
    [id, JSON.stringify(personalChannels.map((channel) => ({ channel, delay_minutes: 0 })))],
  )
}

/** Documents and texts that people send on. What they look at in the app is not masked. */
const isDocument = ({ id }: AnyOperation) =>
  /^(?:sessions\.exports|ai\.outputs|psa\.pushes\.preview)/.test(id)

/** The sample, and one for each other value of a field that is a choice or a switch. */
function listVariants(op: AnyOperation, sample: Sample): Sample[] {
  if (isDocument(op) && op.method === 'get')
    return formats.flatMap((format) =>
      secretForms.map(() => ({ ...sample, query: op.produces ? { ...sample.query, format } : sample.query })),
    )
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
  // A request that is refused for its secrets was made without them before.
  return [
    sample,
    ...[...others, plantSecret(sample.body, chooseForm(op.id, 0))].map((change) => ({
      ...sample,
      body: { ...sample.body, ...change },
    })),
  ]
}

/** Return a form of markup by the id of an operation, so that a new operation changes that of no other. */
function chooseForm(id: string, variant: number): string {
  const sum = [...id].reduce((total, letter) => total + letter.charCodeAt(0), variant)
  return secretForms[sum % secretForms.length] ?? ''
}

/** Put a secret into each free text of a body. */
function plantSecret(body: Record<string, unknown>, form: string): Record<string, unknown> {
  const { text } = readFieldLimits()
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'string' && (text.get(name) ?? 0) > value.length + form.length
        ? `${value}\n\n${form}`
        : value,
    ]),
  )
}

/** Write its name into each free text of an account, with a secret if the column has room for it. */
function plant(accountId: string, form: string): Promise<void> {
  return plantTexts(service, accountId, [(field) => `${toMark(field)}\n\n${form}`, toMark])
}

async function run(op: AnyOperation, variant: number): Promise<number> {
  const account = await createAccount(service)
  const person = await createPermittedCaller(op, account)
  const sample = await getFixture(op)(service, person)
  await openWays(account)
  await plant(account.id, chooseForm(op.id, variant))
  const variants = listVariants(op, sample)
  const { text } = await send(service, op, variants[variant] ?? sample, {
    token: requiresToken(op) ? person.token : null,
  })
  if (!requiresToken(op) || isDocument(op)) collect(`answer of ${op.id}`, text)
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
  await plantTexts(service, account.id, [toMark])
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
  for (const { message } of records.list('push')) collect('browser', message)
  for (const { text } of records.list('phone')) collect('phone', text)
  for (const { body } of records.list('hooks')) collect('webhook', body)
  for (const { request } of records.list('ai')) {
    const text = JSON.stringify(request)
    const name = /"json_schema\\?":\{\\?"name\\?":\\?"(\w+)/.exec(text)?.[1] ?? 'other'
    const isForClient = /audience\\*":\\*"(client_update|email_draft)|kind\\*":\\*"client_email/.test(text)
    collect(isForClient ? 'prompt for a client' : `prompt ${name}`, request)
  }
  for (const name of ['mail', 'chat', 'push', 'phone', 'hooks', 'ai'] as const) records.clear(name)
}

beforeAll(async () => {
  // First, because the gallery shows public flows of every account.
  await readAsStranger()
  const isWay = (op: AnyOperation) => op.method !== 'get' || !requiresToken(op) || isDocument(op)
  // By day some operations run, once, with the sample.
  for (const op of someByDay((operations as readonly AnyOperation[]).filter(isWay), 120)) {
    for (let variant = 0, count = 1; variant < count; variant++) {
      const variants = await run(op, variant)
      if (isNight) count = variants
    }
    // What a later operation changes of the platform's content is not in the prompts of this one.
    await service.stack.localServer.qstash.waitUntilSettled()
    collectRecords()
  }
  const pushes = await service.sql<{ body: string; internal: boolean; details: object }>(
    'select body, internal, details from psa_pushes',
  )
  for (const { body, internal, details } of pushes)
    collect(internal ? 'ticket for colleagues' : 'ticket for a client', [body, details])
  // A row that was planted itself did not come by an event.
  const inbox = await service.sql(
    `select title, body, escalation from notifications where title not like '%${toMark('notifications.title')}%'`,
  )
  for (const row of inbox) collect('in-app notification', row)
  collect('log', service.log)
})

it('AUD-01 what leaves the service is what canaries.tsv allows', async () => {
  const lines = [...found]
    .flatMap(([way, fields]) => [...fields].map((field) => `${way}\t${field}`))
    .toSorted()
  const table = (await readFile(new URL('canaries.tsv', import.meta.url), 'utf8')).trim().split('\n').slice(1)
  // By a restoration the text of an old version is that of its template.
  const undecided = lines.filter(
    (line) =>
      !table.includes(line) && !table.includes(line.replace('\tscript.versions.', '\tscript.templates.')),
  )
  const gone = isNight ? table.filter((line) => !lines.includes(line)) : []
  // Decide for each undecided line who reads what leaves by this way, then add it to the table.
  expect({ undecided, gone }).toEqual({ undecided: [], gone: [] })
})

it('AUD-02 no secret of any text leaves an account that masks what leaves', () => {
  expect([...seen].toSorted()).toEqual([])
})
