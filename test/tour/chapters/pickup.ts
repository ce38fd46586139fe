import * as z from 'zod'
import type { Client } from '../client.ts'
import { listWithItem } from '../expectations.ts'
import { waitForNote } from '../notes.ts'
import type { Person } from '../person.ts'

interface Scene {
  admin: Person
  robin: Person
  ticketId: string
  aiSessionId: string
}

/** Pick up the escalation as Robin, push a summary to the ticket and resolve the session. */
export async function pickUpEscalation(client: Client, { admin, robin, ticketId, aiSessionId }: Scene): Promise<void> {
  const { accessToken } = robin
  const session = `/ai-sessions/${aiSessionId}`
  const triedFix = z.object({ status: z.literal('applied_partial'), partial_notes: z.literal('Holds for an hour, then drops') })
  const escalation_package = z.object({ fixes: listWithItem(triedFix, 'fix that was tried') })
  const active = z.object({ status: z.literal('active'), picked_up_by_id: z.literal(robin.id), escalation_package })
  await client.api('POST', `${session}/pickup`, { accessToken, returns: active })
  const reply = z.object({ message: z.object({ role: z.literal('assistant'), content: z.string() }) })
  const message = 'Idle timeout of the firewall raised, the tunnel holds.'
  await client.api('POST', `${session}/chat`, { accessToken, body: { message }, returns: reply })
  await pushSummary(client, { robin, ticketId, aiSessionId })
  const resolved = z.object({ status: z.literal('resolved'), psa_push: z.literal('queued'), documentation: z.string() })
  const resolution = { outcome: 'resolved', notes: 'Idle timeout raised' }
  await client.api('POST', `${session}/resolve`, { accessToken, body: resolution, returns: resolved })
  await waitForNote(client, robin, { ticketId, sourceId: aiSessionId, text: 'Outcome: resolved' })
  const metrics = z.object({ n_handoffs_claimed: z.literal(1), n_handoffs_with_action: z.literal(1), avg_seconds: z.number() })
  await client.api('GET', '/analytics/flowpilot/escalations?period=7d', { accessToken: admin.accessToken, returns: metrics })
}

async function pushSummary(client: Client, { robin, ticketId, aiSessionId }: Omit<Scene, 'admin'>): Promise<void> {
  const { accessToken } = robin
  const outputs = `/ai-sessions/${aiSessionId}/outputs`
  const summary = z.object({ id: z.string(), kind: z.literal('resolution_summary'), content: z.string().min(1) })
  const { id } = await client.api('POST', outputs, { accessToken, body: { kind: 'resolution_summary' }, status: 201, returns: summary })
  const queued = z.object({ id: z.literal(id), psa_push: z.literal('queued') })
  await client.api('POST', `${outputs}/${id}/push`, { accessToken, returns: queued })
  await waitForNote(client, robin, { ticketId, sourceId: id, text: 'the tunnel holds' })
}
