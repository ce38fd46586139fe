import { expect } from 'vitest'
import { insertEscalation } from '../contract/fixtures-escalations.ts'
import type { Service } from '../support/app.ts'
import { claim } from '../support/escalations.ts'
import { newAccount, type Person } from '../support/people.ts'
import { callers, tally, together } from './callers.ts'

/** One escalation, claimed by as many engineers at once: one wins, and all others are told who and when, as the row has it. */
export async function claimHasOneWinner(service: Service, rounds: number): Promise<void> {
  let account = await newAccount(service)
  let engineers: Person[] = []
  for (let round = 1; round <= rounds; round++) {
    // New people before anybody meets the limit of 120 a minute.
    if (round % 50 === 1) {
      account = await newAccount(service)
      engineers = await Promise.all(Array.from({ length: callers }, () => account.colleague()))
    }
    const { session_id, handoff_id } = await insertEscalation(service, account.admin)
    const answers = await together((n) => claim(engineers[n] as Person, session_id, handoff_id))
    expect(tally(answers), `round ${round}`).toEqual({ 200: 1, 409: callers - 1 })
    const [row] = await service.sql<{ id: string; name: string; at: string }>(
      `select h.claimed_by as id, u.full_name as name, app.iso(h.claimed_at) as at from ai_handoffs h join users u on u.id = h.claimed_by where h.id = $1`,
      [handoff_id],
    )
    expect(answers.find(({ status }) => status === 200)?.body, `round ${round}`).toMatchObject({ claimed_by: row?.id, claimed_at: row?.at })
    for (const { status, body } of answers)
      if (status === 409) expect(body, `round ${round}`).toMatchObject({ winner: { id: row?.id, name: row?.name }, claimed_at: row?.at })
    const told = await service.sql(`select 1 from events where account_id = $1 and key = 'handoff.claimed' and link = $2`, [
      account.id,
      `/pilot/${session_id}`,
    ])
    expect(told, `round ${round}`).toHaveLength(1)
  }
}
