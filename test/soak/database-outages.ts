import { expect } from 'vitest'
import { dashboard, type OwnService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { escalationEvent } from '#test/support/jobs.ts'
import { createAccount, type TestAccount } from '#test/support/people.ts'
import { createRandom, type Random } from './random.ts'

/**
 * Emit events while the database fails at random moments. Expect that every stored event is delivered in the
 * end, and that each e-mail is sent once. Chat tools support no idempotency key, so a chat message may be
 * sent once per attempt.
 */
export async function expectNoLossDuringOutages(
  service: OwnService,
  rounds: number,
  seed: number,
): Promise<void> {
  await service.stack.localServer.qstash.waitUntilSettled()
  // Whoever changes a password twice gets the same e-mail twice.
  await dashboard(service).clearRecords('mail')
  const account = await createAccount(service)
  // A trial allows fewer e-mails than a round sends.
  await service.sql(`update accounts set subscription_status = 'active' where id = $1`, [account.id])
  const path = `/chat/1/outage-${crypto.randomUUID()}`
  await createConfigs(service, account, path)
  const random = createRandom(seed)
  for (let round = 1; round <= rounds; round++) {
    const storedDeliveryIds: string[] = []
    const outages = interruptDatabase(service, random)
    await runConcurrently(async (caller) => {
      await pause(random() * 400)
      // A failed emit may lose its event, because its caller sees the error.
      storedDeliveryIds.push(
        ...(await service.stack
          .emitEvent(account.id, escalationEvent(`Outage ${seed}-${round}-${caller}`))
          .catch(() => [])),
      )
    })
    await outages
    await advanceUntilDelivered(service, account.id)
    await expectAllDelivered(service, account.id, storedDeliveryIds, `seed ${seed}, round ${round}`)
    await expectAllowedSendCounts(service, account.id, path, `seed ${seed}, round ${round}`)
    await Promise.all(['chat', 'mail', 'queue'].map((name) => dashboard(service).clearRecords(name)))
    await service.sql('delete from events where account_id = $1', [account.id])
    await service.sql('delete from mail_counts where account_id = $1', [account.id])
  }
}

async function createConfigs(service: OwnService, { admin }: TestAccount, path: string): Promise<void> {
  const events_enabled = ['session.escalated']
  for (const config of [
    { channel: 'chat1_webhook', webhook_url: service.localOrigin + path, events_enabled },
    { channel: 'email', email_addresses: [`outage-${crypto.randomUUID()}@people.example`], events_enabled },
  ]) {
    expectStatus(await admin.call('POST', '/notifications/configs', config), 201)
  }
}

async function interruptDatabase({ stack }: OwnService, random: Random): Promise<void> {
  for (let outage = 0; outage < 4; outage++) {
    await pause(random() * 120)
    stack.localServer.faults.set({ service: 'postgres', mode: random() < 0.5 ? 'down' : 'hang' })
    await pause(20 + random() * 150)
    stack.localServer.faults.clear()
  }
}

/**
 * Advance the clock past leases and retry delays until no delivery is open, or until every attempt is used.
 */
async function advanceUntilDelivered(service: OwnService, accountId: string): Promise<void> {
  for (let turn = 0; turn < 12; turn++) {
    const openDeliveries = await service.sql(
      "select from deliveries where account_id = $1 and state in ('pending', 'retrying')",
      [accountId],
    )
    if (openDeliveries.length === 0) return
    await dashboard(service).advanceClock(turn < 2 ? 70 : 700)
  }
}

async function expectAllDelivered(
  service: OwnService,
  accountId: string,
  deliveryIds: string[],
  label: string,
): Promise<void> {
  const rows = await service.sql<{ id: string; state: string }>(
    'select id, state from deliveries where account_id = $1',
    [accountId],
  )
  const storedIds = new Set(rows.map(({ id }) => id))
  expect(
    rows.filter(({ state }) => state !== 'delivered'),
    label,
  ).toEqual([])
  expect(
    deliveryIds.filter((id) => !storedIds.has(id)),
    label,
  ).toEqual([])
  const [events] = await service.sql<{ notified: number; events: number }>(
    `select count(*)::int as events, count(*) filter (where exists (select from notifications n where n.event_id = e.id))::int as notified
       from events e where account_id = $1`,
    [accountId],
  )
  expect(events?.notified, label).toBe(events?.events)
}

async function expectAllowedSendCounts(
  service: OwnService,
  accountId: string,
  path: string,
  label: string,
): Promise<void> {
  const mails = await dashboard(service).listRecords('mail')
  const sent = mails.map(({ to, subject }) => `${to.join()} ${subject}`)
  expect(new Set(sent).size, label).toBe(sent.length)
  const rows = await service.sql<{ channel: string; title: string; attempts: number }>(
    'select d.channel, e.title, d.attempts from deliveries d join events e on e.id = d.event_id where d.account_id = $1',
    [accountId],
  )
  const emails = Object.groupBy(
    rows.filter(({ channel }) => channel === 'email'),
    ({ title }) => title,
  )
  for (const [title, deliveries] of Object.entries(emails))
    expect(mails.filter(({ subject }) => subject === title).length, label).toBe(deliveries?.length)
  const messages = (await dashboard(service).listRecords('chat')).filter((message) => message.path === path)
  for (const { title, attempts } of rows.filter(({ channel }) => channel === 'chat1_webhook')) {
    const sentCount = messages.filter(({ body }) => body.text === title).length
    expect(sentCount, `${label}: ${title}`).toBeGreaterThanOrEqual(1)
    expect(sentCount, `${label}: ${title}`).toBeLessThanOrEqual(attempts)
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
