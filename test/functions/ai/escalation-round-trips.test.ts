// @module-tag plan
import { expect, it, onTestFinished } from 'vitest'
import type { OutboxEntry } from '#db/outbox-entry.ts'
import { openScope } from '#db/scope.ts'
import * as handoffs from '#functions/ai/handoffs/service.ts'
import type { WriteContext } from '#http/operation.ts'
import { openPostgres } from '#platform/node/postgres.ts'
import { createAiSession } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'
import { connectPsa } from '#test/support/psa.ts'

const service = await sharedService()

it('an escalation with a ticket takes two database round trips and enqueues its push, deliveries, live event and assessment', async () => {
  const account = await createAccount(service)
  await connectPsa(service, account.admin)
  const owner = await account.addColleague()
  const session = await createAiSession(owner, { psa_ticket_id: '4711' })

  let roundTrips = 0
  const database = openPostgres({
    url: service.settings.DATABASE_URL ?? '',
    maxConnections: 2,
    onRoundTrip: () => roundTrips++,
  })
  onTestFinished(() => database.close())
  const entries: OutboxEntry[] = []
  const caller = { userId: owner.id, accountId: account.id, signInId: owner.signInId }
  const options = { caller, access: 'engineer', skipGuards: 'none', ip: '', readOnly: false } as const
  const { db } = openScope(database, options, (entry) => entries.push(entry))

  const input = {
    reason: 'VPN',
    summary: 'No route',
    what_was_tried: 'Restart',
    next_steps: 'Routes',
    urgency: 'high',
  } as const
  const result = await handoffs.escalate({ db, caller } as WriteContext, session.id, input)
  expect(result).toMatchObject({ status: 'escalated', psa_push: 'queued', notified: 1 })
  expect(roundTrips).toBe(2)
  expect(entries.map(({ kind }) => kind).sort()).toEqual(['assessment', 'delivery', 'live_event', 'push'])
})
