import { expect } from 'vitest'
import { dashboard, type OwnService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

/**
 * Switch a webhook off and on, replay and rotate it while its receiver fails and events arrive. Expect that
 * no request fails, and that after a replay every stored message was received.
 */
export async function expectChangesLoseNoMessage(service: OwnService, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const account = await createAccount(service)
    const admins = await Promise.all(Array.from({ length: 4 }, () => account.addColleague({ role: 'admin' })))
    await dashboard(service).clearRecords('hooks')
    const name = `race-${crypto.randomUUID()}`
    const url = `${service.localOrigin}/hooks/${name}`
    const { body } = expectStatus(
      await account.admin.call('POST', '/webhooks', { url, events: ['member.joined'] }),
      201,
    )
    await setFault(service, 12)
    const responses = await runConcurrently((n) =>
      change(service, account.id, admins[n % 4] as Person, { id: body.id, n }),
    )
    expect(
      Object.keys(countByStatus(responses)).filter((status) => Number(status) >= 500),
      `round ${round}`,
    ).toEqual([])
    await dashboard(service).clearFaults()
    expectStatus(await account.admin.call('PATCH', `/webhooks/${body.id}`, { is_active: true }), 200)
    await service.sql(`update webhook_deliveries set replayed_at = null where webhook_id = $1`, [body.id])
    expectStatus(
      await account.admin.call('POST', `/webhooks/${body.id}/replay`, {
        failed_since: '2026-01-01T00:00:00.000Z',
      }),
      202,
    )
    await dashboard(service).advanceClock(60)
    await dashboard(service).advanceClock(400)
    const rows = await service.sql<{ state: string; message_id: string }>(
      'select state, message_id from webhook_deliveries where webhook_id = $1',
      [body.id],
    )
    expect(countStates(rows), `round ${round}`).toEqual(rows.length > 0 ? { delivered: rows.length } : {})
    const received = await (await fetch(`${service.localOrigin}/desk/hooks`)).text()
    for (const { message_id } of rows) expect(received, `round ${round}`).toContain(message_id)
  }
}

async function setFault({ localOrigin }: OwnService, times: number): Promise<void> {
  const body = JSON.stringify({ service: 'hooks', mode: 'error', times })
  expectStatus(
    await fetch(`${localOrigin}/desk/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }),
    201,
  )
}

/** Make the call of caller `n`: every fourth one emits an event, the others change the webhook. */
async function change(
  { stack }: OwnService,
  accountId: string,
  admin: Person,
  { id, n }: { id: string; n: number },
): Promise<{ status: number }> {
  const kind = Math.floor(n / 4) % 4
  if (kind === 0) return admin.call('PATCH', `/webhooks/${id}`, { is_active: n % 8 < 4 })
  if (kind === 1)
    return admin.call('POST', `/webhooks/${id}/replay`, { failed_since: '2026-01-01T00:00:00.000Z' })
  if (kind === 2 && n % 2 === 0) return admin.call('POST', `/webhooks/${id}/rotate-secret`)
  const event = {
    key: 'member.joined',
    actorId: crypto.randomUUID(),
    teamId: null,
    memberName: `Caller ${n}`,
    inviterId: admin.id,
  } as const
  await stack.emitEvent(accountId, event)
  return { status: 200 }
}

function countStates(rows: readonly { state: string }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1
  return counts
}
