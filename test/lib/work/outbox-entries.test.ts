import { describe, expect, it } from 'vitest'
import { limitConcurrency } from '#async/limit-concurrency.ts'
import type { OutboxEntry } from '#db/outbox-entry.ts'
import { forAccount } from '#rules/audience.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import type { EscalationDetails } from '#rules/events/escalation-alert.ts'
import type { Event } from '#rules/events/events.ts'
import { forClient, forTicket } from '#rules/release.ts'
import { createStubDatabase } from '#test/support/stub-database.ts'
import { enqueueDelivery, postponeDelivery } from '#work/deliveries.ts'
import { enqueueEmitted, enqueueEvent } from '#work/events.ts'
import { enqueueLiveEvent, sweepLiveEvents } from '#work/live-events.ts'
import { publishEntries } from '#work/publish.ts'
import { enqueueOncePush, enqueuePush, type NewPush, type OncePush } from '#work/pushes.ts'
import { enqueueReminder } from '#work/reminders.ts'
import { enqueueWaitingWebhook, enqueueWebhook, enqueueWebhookEvent } from '#work/webhooks.ts'

describe('work that a transaction has stored', () => {
  type Db = ReturnType<typeof createStubDatabase>['db']
  it.each<[string, (db: Db) => unknown, object[]]>([
    ['a delivery', (db) => enqueueDelivery(db, 'd'), [{ kind: 'delivery', id: 'd', attempt: 1 }]],
    [
      'a delayed delivery',
      (db) => enqueueDelivery(db, 'd', 2, 30),
      [{ kind: 'delivery', id: 'd', attempt: 2, delaySeconds: 30 }],
    ],
    [
      'a postponed delivery',
      (db) => postponeDelivery(db, 'd', 3, 1.2),
      [{ kind: 'delivery', id: 'd', attempt: 3, delaySeconds: 2, isPostponed: true }],
    ],
    ['a webhook', (db) => enqueueWebhook(db, 'w'), [{ kind: 'webhook', id: 'w', attempt: 1 }]],
    [
      'a webhook that had to wait',
      (db) => enqueueWaitingWebhook(db, { id: 'w', attempts: 2 }),
      [{ kind: 'webhook', id: 'w', attempt: 3, isPostponed: true }],
    ],
    [
      'a reminder',
      (db) => enqueueReminder(db, { id: 'r', delay_seconds: 60 }),
      [{ kind: 'reminder', id: 'r', attempt: 1, delaySeconds: 60 }],
    ],
    [
      'the deliveries and webhooks of an event',
      (db) => enqueueEmitted(db, { delivery_ids: ['d', 'e'], webhook_delivery_ids: ['w'], user_ids: ['u'] }),
      [
        { kind: 'delivery', id: 'd', attempt: 1 },
        { kind: 'delivery', id: 'e', attempt: 1 },
        { kind: 'webhook', id: 'w', attempt: 1 },
      ],
    ],
  ])('%s is registered', (_, enqueue, entries) => {
    const { db, outbox } = createStubDatabase(() => [])
    enqueue(db)
    expect(outbox).toEqual(entries)
  })

  it('an event for webhooks alone is registered once per webhook', async () => {
    const { db, outbox } = createStubDatabase(() => [{ webhook_delivery_ids: ['w', 'x'] }])
    await enqueueWebhookEvent(db, { type: 'flow.published', subject: 's', data: {} as never })
    expect(outbox).toEqual(['w', 'x'].map((id) => ({ kind: 'webhook', id, attempt: 1 })))
  })

  it('a live event is registered with its account', async () => {
    const row = { account_id: 'a', key: 'k', event: 'ticket_changed', data: { id: 't' } }
    const { db, outbox } = createStubDatabase(() => [row])
    await enqueueLiveEvent(db, 'ticket_changed', { id: 't' } as never)
    expect(outbox).toEqual([
      { kind: 'live_event', accountId: 'a', event: { key: 'k', event: 'ticket_changed', data: { id: 't' } } },
    ])
  })
})

describe('publishEntries', () => {
  const liveEvent = (accountId: string, n: number): OutboxEntry => ({
    kind: 'live_event',
    accountId,
    event: { key: `k${n}`, event: 'ticket_changed', data: {} },
  })
  /** Publish entries, and return what the queue and the streams receive. */
  async function publish(entries: OutboxEntry[]) {
    const published: unknown[] = []
    const { db } = createStubDatabase(() => [])
    const queue = {
      publish: async (messages: { path: string }[]) => void published.push(messages.map(({ path }) => path)),
    }
    const realtime = {
      publish: async (accountId: string, events: { key: string }[]) =>
        void published.push([accountId, ...events.map(({ key }) => key)]),
    }
    await publishEntries({ platform: db, queue: queue as never, realtime: realtime as never }, entries)
    return published
  }
  it('publishes nothing without entries', async () => expect(await publish([])).toEqual([]))
  it('publishes all attempts in one call, and the live events by account', async () => {
    const attempt: OutboxEntry = { kind: 'push', id: 'p', attempt: 1 }
    expect(
      await publish([
        attempt,
        liveEvent('a', 1),
        liveEvent('b', 2),
        { ...attempt, kind: 'webhook' },
        liveEvent('a', 3),
      ]),
    ).toEqual([
      ['/jobs/psa/push', '/jobs/webhooks/deliver'],
      ['a', 'k1', 'k3'],
      ['b', 'k2'],
    ])
  })
  it('calls no queue for live events alone', async () =>
    expect(await publish([liveEvent('a', 1)])).toEqual([['a', 'k1']]))
})

describe('the sweep of live events', () => {
  /** Sweep the batches of accounts with one event each. Each claim takes a millisecond of a clock. */
  async function sweep(batches: string[][], budgetMs: number, failing = '') {
    let time = 0
    const published: string[] = []
    const { db, statements } = createStubDatabase((text) => {
      if (!text.includes('with turns')) return []
      time++
      return (batches.shift() ?? []).map((account_id) => ({
        account_id,
        events: [{ key: account_id, event: 'ticket_changed', data: {} }],
      }))
    })
    const realtime = {
      publish: async (accountId: string) => {
        if (accountId === failing) throw new Error('away')
        published.push(accountId)
      },
    }
    const options = { budgetMs, now: () => time, slots: limitConcurrency({ running: 6 }) }
    await sweepLiveEvents({ platform: db, realtime: realtime as never }, options)
    return {
      published,
      claims: statements.filter(({ sql }) => sql.startsWith('with turns')),
      first: statements[0]?.sql,
    }
  }
  it('deletes old events first, and publishes until none is left', async () => {
    const { published, claims, first } = await sweep([['a', 'b'], ['c']], 100)
    expect([first, published]).toEqual([
      "delete from stream_events where created_at < app.now() - interval '1 day'",
      ['a', 'b', 'c'],
    ])
    expect(claims.map(({ parameters }) => parameters)).toEqual([[500], [500], [500]])
  })
  it('continues after an account whose events cannot be published', async () =>
    expect((await sweep([['a', 'b'], ['c']], 100, 'a')).published).toEqual(['b', 'c']))
  it.each([
    [0, []],
    [1, ['a']],
    [2, ['a', 'b']],
  ])('claims no more after its time of %i', async (budgetMs, accounts) =>
    expect((await sweep([['a'], ['b'], ['c']], budgetMs)).published).toEqual(accounts),
  )
})

describe('a note for a ticket', () => {
  const secret = 'password: hunter2secret'
  const note = { visibility: 'internal', text: forAccount(secret) } as const
  const push: NewPush = { ticketId: '7', note, sourceKind: 'session', sourceId: 's' }
  const timeEntry: OncePush = {
    kind: 'time_entry',
    ticketId: '7',
    note,
    sessionId: 's',
    details: {} as never,
  }
  /** Answer the statements of a push. The batch reads the row that it has inserted, or an earlier one. */
  function createPushDatabase(isMasked: boolean, inserted: object[], stored: object[]) {
    const stub = createStubDatabase((sql) =>
      sql.includes('insert into psa_pushes')
        ? inserted
        : sql.includes('from psa_pushes')
          ? stored
          : [{ is_masked: isMasked }],
    )
    const batch = async (queries: { compile(): { sql: string; parameters: unknown[] } }[]) => {
      const results = []
      for (const query of queries)
        results.push(
          (
            await (stub.db as { executeQuery(q: unknown): Promise<{ rows: object[] }> }).executeQuery(
              query.compile(),
            )
          ).rows,
        )
      return results
    }
    Object.assign(stub.db as object, { batch })
    return stub
  }
  const outboxOf = (id: string) => [{ kind: 'push', id, attempt: 1 }]
  it.each([
    ['new', [{ id: 'p' }], [{ id: 'p' }], 'p', outboxOf('p')],
    ['already stored', [], [{ id: 'q' }], 'q', []],
    ['for no connection', [], [], null, []],
  ])('that is %s', async (_, inserted, stored, id, entries) => {
    const once = createPushDatabase(false, inserted, stored)
    expect([await enqueueOncePush(once.db, timeEntry), once.outbox]).toEqual([id, entries])
    const note = createPushDatabase(false, inserted, stored)
    expect([await enqueuePush(note.db, push), note.outbox]).toEqual([id, entries])
  })
  it('PSA-39 for the client is masked, whatever the account says', async () => {
    const { db, findStatements } = createPushDatabase(false, [], [])
    const budget = createBudget()
    await runWithin(budget, () =>
      enqueuePush(db, { ...push, note: runWithin(budget, () => forTicket('client', secret)) }),
    )
    await runWithin(budget, () =>
      enqueueOncePush(db, {
        ...timeEntry,
        note: runWithin(budget, () => forTicket('resolution', secret)),
      } as OncePush),
    )
    const text = runWithin(budget, () => forClient(secret))
    await runWithin(budget, () =>
      enqueueOncePush(db, {
        kind: 'ticket',
        sessionId: 's',
        description: text,
        details: { summary: text } as never,
      }),
    )
    expect(findStatements('insert into psa_pushes')).toHaveLength(3)
    expect(JSON.stringify(findStatements('insert into psa_pushes'))).not.toContain('hunter2secret')
  })
  it.each([false, true])('is masked as the account says: %s', async (isMasked) => {
    const { db, findStatements } = createPushDatabase(isMasked, [], [])
    await enqueuePush(db, push)
    await enqueueOncePush(db, timeEntry)
    const texts = findStatements('insert into psa_pushes').map((parameters) =>
      JSON.stringify(parameters).includes('hunter2secret'),
    )
    expect(texts).toEqual([!isMasked, !isMasked])
  })
  it.each([false, true])('that is a resolution (%s) says so', async (isResolution) => {
    const { db, findStatements } = createPushDatabase(false, [], [])
    await enqueuePush(db, { ...push, note: forTicket(isResolution ? 'resolution' : 'client', 'x') })
    const details = isResolution ? '{"is_resolution":true}' : '{}'
    expect(findStatements('insert into psa_pushes')[0]).toContain(details)
    expect(findStatements('insert into psa_pushes')[0]).not.toContain(
      isResolution ? '{}' : '{"is_resolution":true}',
    )
  })
})

describe('the call that stores an event', () => {
  const event: Extract<Event, { key: 'session.escalated' }> = {
    key: 'session.escalated',
    ...{ actorId: 'actor', teamId: null, sessionId: 's', engineerName: 'Dana', problemSummary: 'Printer' },
    ...{ psaTicketId: null, targetUserId: null },
  }
  const details = { urgency: 'high' } as unknown as EscalationDetails
  it.each<[Event, string | null, object | null]>([
    [event, 'actor', null],
    [{ ...event, causedById: 'other' }, 'other', null],
    [{ ...event, causedById: null, details }, 'actor', { urgency: 'high' }],
  ])('of %j names who caused it, and has its escalation as JSON', async (stored, causedBy, escalation) => {
    const { db, findStatements } = createStubDatabase(() => [
      { delivery_ids: [], user_ids: ['u'], webhook_delivery_ids: [] },
    ])
    expect(await enqueueEvent(db, stored)).toEqual(['u'])
    const [parameters = []] = findStatements('app.emit(')
    const [texts, masked, , cause] = parameters.slice(6)
    expect([parameters.slice(0, 6), masked, cause]).toEqual([
      ['session.escalated', 'actor', null, [], true, null],
      null,
      causedBy,
    ])
    expect(JSON.parse(String(texts)).escalation ?? null).toEqual(escalation)
  })
})
