import { expect } from 'vitest'
import type { Service } from '#test/support/app.ts'
import { concurrentCallers, countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { claimHandoff, insertEscalation } from '#test/support/escalations.ts'
import { createAccount, type Person } from '#test/support/people.ts'

/**
 * Claim one escalation concurrently, and expect that one engineer wins, and every 409 contains the stored
 * winner and claim time.
 */
export async function expectOneClaimWinner(service: Service, rounds: number): Promise<void> {
  let account = await createAccount(service)
  let engineers: Person[] = []
  for (let round = 1; round <= rounds; round++) {
    // New people every 50 rounds, because each person may make 120 calls a minute.
    if (round % 50 === 1) {
      account = await createAccount(service)
      engineers = await Promise.all(Array.from({ length: concurrentCallers }, () => account.addColleague()))
    }
    const { session_id, handoff_id } = await insertEscalation(service, account.admin)
    const responses = await runConcurrently((caller) =>
      claimHandoff(engineers[caller] as Person, session_id, handoff_id),
    )
    expect(countByStatus(responses), `round ${round}`).toEqual({ 200: 1, 409: concurrentCallers - 1 })
    const [row] = await service.sql<{ id: string; name: string; claimed_at: string }>(
      `select h.claimed_by as id, u.full_name as name, app.iso(h.claimed_at) as claimed_at
         from ai_handoffs h join users u on u.id = h.claimed_by where h.id = $1`,
      [handoff_id],
    )
    const claimed = responses.find(({ status }) => status === 200)?.body
    expect(claimed, `round ${round}`).toMatchObject({ claimed_by: row?.id, claimed_at: row?.claimed_at })
    for (const { status, body } of responses)
      if (status === 409)
        expect(body, `round ${round}`).toMatchObject({
          winner: { id: row?.id, name: row?.name },
          claimed_at: row?.claimed_at,
        })
    const events = await service.sql(
      `select 1 from events where account_id = $1 and key = 'handoff.claimed' and link = $2`,
      [account.id, `/pilot/${session_id}`],
    )
    expect(events, `round ${round}`).toHaveLength(1)
  }
}
