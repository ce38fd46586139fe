import * as z from 'zod'
import type { Client } from '../client.ts'
import { waitForChatMessage, waitForMail } from '../dashboard.ts'
import { listWithItem, TourError } from '../expectations.ts'
import { waitForNote } from '../notes.ts'
import type { Person } from '../person.ts'
import { formatMessage } from '../print.ts'
import { getOnCallEmail } from './register-and-notify.ts'
import { uploadImage } from './upload-and-branding.ts'

interface Scene {
  admin: Person
  robin: Person
  ticketId: string
}

/** Ask about a ticket, try the suggested fix and escalate to Robin. Return the AI session's id. */
export async function escalateAiSession(client: Client, scene: Scene): Promise<string> {
  const { admin, robin, ticketId } = scene
  const session = z.object({ id: z.string(), status: z.literal('active'), title: z.string(), client_name: z.string() })
  const body = { session_type: 'chat', psa_ticket_id: ticketId }
  const { id } = await client.api('POST', '/ai-sessions', { accessToken: admin.accessToken, body, status: 201, returns: session })
  await askWithImage(client, admin, id)
  await tryFix(client, admin, id)
  const stream = await client.subscribe('/ai-sessions/escalations/stream', robin.accessToken)
  try {
    const handoffId = await escalate(client, scene, id)
    const event = z.object({ event: z.literal('handoff_created'), data: z.object({ handoff_id: z.literal(handoffId), title: z.string() }) })
    await stream.waitFor(event, 'event about the handoff')
    await requireNotified(client, scene, id)
    const readyAssessment = z.object({ handoff_id: z.literal(handoffId), assessment_status: z.literal('ready') })
    await stream.waitFor(z.object({ event: z.literal('handoff_assessment_ready'), data: readyAssessment }), 'event about the assessment')
  } finally {
    stream.close()
  }
  return id
}

async function askWithImage(client: Client, admin: Person, sessionId: string): Promise<void> {
  const uploadId = await uploadImage(client, admin)
  const triage_update = z.object({ asset_name: z.literal('LT-0412') })
  const suggested_fix = z.object({ status: z.literal('proposed'), title: z.string() })
  const turn = z.object({ deltas: z.number().min(1), message: z.object({ triage_update, suggested_fix }) })
  await client.api('POST', `/ai-sessions/${sessionId}/chat`, {
    accessToken: admin.accessToken,
    accept: 'text/event-stream',
    body: {
      upload_ids: [uploadId],
      message: 'The tunnel of LT-0412 drops every ten minutes, error 809, as soon as nobody types. Please suggest a fix.',
    },
    returns: z.preprocess(summarizeTurn, turn),
  })
}

/** Count the streamed pieces of text and read the message at the end of the stream. */
function summarizeTurn(events: unknown): unknown {
  const { data: parsedEvents } = z.array(z.object({ event: z.string(), data: z.unknown() })).safeParse(events)
  const message = parsedEvents?.find(({ event }) => event === 'message')?.data
  return { deltas: parsedEvents?.filter(({ event }) => event === 'delta').length, message }
}

async function tryFix(client: Client, { accessToken }: Person, sessionId: string): Promise<void> {
  const fixes = `/ai-sessions/${sessionId}/suggested-fixes`
  const proposedFix = listWithItem(z.object({ id: z.string(), status: z.literal('proposed') }), 'proposed fix')
  const { id } = await client.api('GET', fixes, { accessToken, returns: proposedFix })
  await client.api('POST', `${fixes}/${id}/apply`, { accessToken, returns: z.object({ id: z.literal(id), applied_at: z.string() }) })
  const partialFix = z.object({ id: z.literal(id), status: z.literal('applied_partial'), partial_notes: z.string() })
  const body = { outcome: 'applied_partial', notes: 'Holds for an hour, then drops' }
  await client.api('PATCH', `${fixes}/${id}/outcome`, { accessToken, body, returns: partialFix })
}

async function escalate(client: Client, { admin, robin }: Scene, sessionId: string): Promise<string> {
  const { handoff_id } = await client.api('POST', `/ai-sessions/${sessionId}/escalate`, {
    accessToken: admin.accessToken,
    body: {
      target_user_id: robin.id,
      summary: 'The tunnel drops when idle',
      reason: 'Needs rights on the firewall',
      what_was_tried: 'Reset the network adapter: holds for an hour, then drops',
      next_steps: 'Raise the idle timeout of the firewall',
      urgency: 'critical',
    },
    returns: z.object({ status: z.literal('escalated'), handoff_id: z.string(), psa_push: z.literal('queued'), notified: z.number() }),
  })
  return handoff_id
}

/** Require the escalation in Robin's inbox, in e-mails, in both chat tools, on the ticket and in the escalation queue. */
async function requireNotified(client: Client, { admin, robin, ticketId }: Scene, sessionId: string): Promise<void> {
  const { accessToken } = robin
  const ticket = `(Ticket #${ticketId})`
  const inbox = z.object({
    event_key: z.literal('session.escalated'),
    title: z.string().includes(ticket),
    link: z.string().includes(sessionId),
  })
  await client.api('GET', '/notifications', { accessToken, returns: listWithItem(inbox, 'notification about the escalation') })
  await waitForMail(client, getOnCallEmail(client), ticket)
  const alert = await waitForMail(client, robin.email, ticket)
  for (const shown of ['Urgency: Critical', 'What was tried', 'Next steps', `${sessionId}?pickup=true`])
    if (!alert.text.includes(shown)) throw new TourError(`The alert does not show “${shown}”.`)
  client.print('  # The alert of the critical outage, as Robin reads it:')
  for (const line of formatMessage(alert)) client.print(line)
  for (const tool of [1, 2] as const) await waitForChatMessage(client, tool, ticket)
  await waitForNote(client, admin, { ticketId, sourceId: sessionId, text: 'Holds for an hour, then drops' })
  const waitingEscalation = z.object({ session_id: z.literal(sessionId), urgency: z.literal('critical'), claimed_by: z.null() })
  await client.api('GET', '/ai-sessions/queue', {
    accessToken,
    returns: listWithItem(waitingEscalation, 'escalation that waits for Robin'),
  })
}
