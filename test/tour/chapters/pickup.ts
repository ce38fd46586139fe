import * as z from 'zod'
import type { Tour } from '#test/tour/client.ts'
import { listWithItem } from '#test/tour/expectations.ts'
import { waitForNote } from '#test/tour/notes.ts'
import type { Person } from '#test/tour/person.ts'

interface Scene {
  admin: Person
  robin: Person
  ticketId: string
  aiSessionId: string
}

/** Pick up the escalation as Robin, push a summary to the ticket and resolve the session. */
export async function pickUpEscalation(
  tour: Tour,
  { admin, robin, ticketId, aiSessionId }: Scene,
): Promise<void> {
  const { ai } = robin.client
  const session = { session_id: aiSessionId }
  const triedFix = z.object({
    status: z.literal('applied_partial'),
    partial_notes: z.literal('Holds for an hour, then drops'),
  })
  const escalation_package = z.object({ fixes: listWithItem(triedFix, 'fix that was tried') })
  const active = z.object({
    status: z.literal('active'),
    picked_up_by_id: z.literal(robin.id),
    escalation_package,
  })
  await tour.call(() => ai.escalations.pickUp(session), { returns: active })
  const reply = z.object({ message: z.object({ role: z.literal('assistant'), content: z.string() }) })
  const message = 'Idle timeout of the firewall raised, the tunnel holds.'
  await tour.call(() => ai.turns.sendMessage({ ...session, message }), { returns: reply })
  await pushSummary(tour, { robin, ticketId, aiSessionId })
  const resolved = z.object({
    status: z.literal('resolved'),
    psa_push: z.literal('queued'),
    documentation: z.string(),
  })
  await tour.call(
    () =>
      ai.sessions.resolve({
        ...session,
        outcome: 'resolved',
        notes: 'Idle timeout raised',
        accept_proposals: true,
      }),
    {
      returns: resolved,
    },
  )
  await waitForNote(tour, robin, { ticketId, sourceId: aiSessionId, text: 'Outcome: resolved' })
  const metrics = z.object({
    n_handoffs_claimed: z.literal(1),
    n_handoffs_with_action: z.literal(1),
    avg_seconds: z.number(),
  })
  await tour.call(() => admin.client.analytics.getEscalations({ period: '7d' }), { returns: metrics })
}

async function pushSummary(
  tour: Tour,
  { robin, ticketId, aiSessionId }: Omit<Scene, 'admin'>,
): Promise<void> {
  const { outputs } = robin.client.ai
  const session = { session_id: aiSessionId }
  const summary = z.object({
    id: z.string(),
    kind: z.literal('resolution_summary'),
    content: z.string().min(1),
  })
  const { id } = await tour.call(() => outputs.create({ ...session, kind: 'resolution_summary' }), {
    returns: summary,
  })
  const queued = z.object({ id: z.literal(id), psa_push: z.literal('queued') })
  await tour.call(() => outputs.push({ ...session, output_id: id }), { returns: queued })
  await waitForNote(tour, robin, { ticketId, sourceId: id, text: 'the tunnel holds' })
}
