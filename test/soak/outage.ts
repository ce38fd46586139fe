import { expect } from 'vitest'
import type { Stack } from '../../lib/local/stack.ts'
import { expectStatus } from '../support/answers.ts'
import { desk, type Service } from '../support/app.ts'
import { type AccountOf, newAccount } from '../support/people.ts'
import { escalation, together } from './callers.ts'

type Own = Service & { stack: Stack }

/**
 * Events are emitted while the database is cut off at random moments. Whatever was promised is delivered in the end; no mail leaves twice
 * under one delivery id, and a chat message, which has no such id, never more often than attempts were made.
 */
export async function outagesLoseNothing(service: Own, rounds: number, seed: number): Promise<void> {
  const account = await newAccount(service)
  const path = `/chat/1/outage-${crypto.randomUUID()}`
  await configure(service, account, path)
  const random = seeded(seed)
  for (let round = 1; round <= rounds; round++) {
    const promised: string[] = []
    const cuts = cutAtRandom(service, random)
    await together(async (caller) => {
      await pause(random() * 400)
      // An emit that fails promised nothing: its caller knows.
      promised.push(...(await service.stack.emit(account.id, escalation(`Outage ${seed}-${round}-${caller}`)).catch(() => [])))
    })
    await cuts
    await untilSettled(service, account.id)
    await expectAllDelivered(service, account.id, promised, `seed ${seed}, round ${round}`)
    await expectNoneTwice(service, account.id, path, `seed ${seed}, round ${round}`)
    await Promise.all(['chat', 'mail', 'queue'].map((name) => desk(service).empty(name)))
    await service.sql('delete from events where account_id = $1', [account.id])
  }
}

async function configure(service: Own, { admin }: AccountOf, path: string): Promise<void> {
  const events_enabled = ['session.escalated']
  for (const config of [
    { channel: 'chat1_webhook', webhook_url: service.local + path, events_enabled },
    { channel: 'email', email_addresses: [`outage-${crypto.randomUUID()}@people.example`], events_enabled },
  ]) {
    expectStatus(await admin.call('POST', '/notifications/configs', config), 201)
  }
}

async function cutAtRandom({ stack }: Own, random: () => number): Promise<void> {
  for (let cut = 0; cut < 4; cut++) {
    await pause(random() * 120)
    stack.local.faults.set({ service: 'postgres', mode: random() < 0.5 ? 'down' : 'hang' })
    await pause(20 + random() * 150)
    stack.local.faults.clear()
  }
}

/** Past leases and back-offs, as often as there are attempts. */
async function untilSettled(service: Own, accountId: string): Promise<void> {
  for (let turn = 0; turn < 12; turn++) {
    const open = await service.sql("select from deliveries where account_id = $1 and state in ('pending', 'retrying')", [accountId])
    if (open.length === 0) return
    await desk(service).advance(turn < 2 ? 70 : 700)
  }
}

async function expectAllDelivered(service: Own, accountId: string, promised: string[], when: string): Promise<void> {
  const rows = await service.sql<{ id: string; state: string }>('select id, state from deliveries where account_id = $1', [accountId])
  const states = new Map(rows.map(({ id, state }) => [id, state]))
  expect(
    rows.filter(({ state }) => state !== 'delivered'),
    when,
  ).toEqual([])
  expect(
    promised.filter((id) => !states.has(id)),
    when,
  ).toEqual([])
  const [events] = await service.sql<{ told: number; events: number }>(
    `select count(*)::int as events, count(*) filter (where exists (select from notifications n where n.event_id = e.id))::int as told
       from events e where account_id = $1`,
    [accountId],
  )
  expect(events?.told, when).toBe(events?.events)
}

async function expectNoneTwice(service: Own, accountId: string, path: string, when: string): Promise<void> {
  const mails = await desk(service).read('mail')
  const keys = mails.map(({ idempotency_key }) => idempotency_key)
  expect(new Set(keys).size, when).toBe(keys.length)
  const rows = await service.sql<{ id: string; channel: string; title: string; attempts: number }>(
    'select d.id, d.channel, e.title, d.attempts from deliveries d join events e on e.id = d.event_id where d.account_id = $1',
    [accountId],
  )
  for (const { id } of rows.filter(({ channel }) => channel === 'email')) expect(keys, when).toContain(id)
  const messages = (await desk(service).read('chat')).filter((message) => message.path === path)
  for (const { title, attempts } of rows.filter(({ channel }) => channel === 'chat1_webhook')) {
    const sent = messages.filter(({ body }) => body.text === title).length
    expect(sent, `${when}: ${title}`).toBeGreaterThanOrEqual(1)
    expect(sent, `${when}: ${title}`).toBeLessThanOrEqual(attempts)
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Numbers from 0 to 1 that the same seed gives again. */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
}
