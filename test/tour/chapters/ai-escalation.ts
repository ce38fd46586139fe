import * as z from 'zod'
import type { ServerEvent } from '#client/client.ts'
import type { Subscription, Tour } from '#test/tour/client.ts'
import { waitForChatMessage, waitForMail } from '#test/tour/dashboard.ts'
import { listWithItem, TourError } from '#test/tour/expectations.ts'
import { waitForNote } from '#test/tour/notes.ts'
import type { Person } from '#test/tour/person.ts'
import { formatMessage } from '#test/tour/print.ts'
import { getOnCallEmail } from './register-and-notify.ts'
import { uploadImage } from './upload-and-branding.ts'

interface Scene {
  admin: Person
  robin: Person
  ticketId: string
}

/** Ask about a ticket, try the suggested fix and escalate to Robin. Return the AI session's id. */
export async function escalateAiSession(tour: Tour, scene: Scene): Promise<string> {
  const { admin, robin, ticketId } = scene
  const session = z.object({
    id: z.string(),
    status: z.literal('active'),
    title: z.string(),
    client_name: z.string(),
  })
  const { turns } = admin.client.ai
  const { id } = await tour.call(
    () => turns.createSession({ session_type: 'chat', psa_ticket_id: ticketId }),
    { returns: session },
  )
  await askWithImage(tour, admin, id)
  await tryFix(tour, admin, id)
  const stream = await tour.followEscalations(robin.client)
  try {
    const handoffId = await escalate(tour, scene, id)
    const event = z.object({
      event: z.literal('handoff_created'),
      data: z.object({ handoff_id: z.literal(handoffId), title: z.string() }),
    })
    await stream.waitFor(event, 'event about the handoff')
    await requireNotified(tour, scene, id)
    await showPresence(tour, stream, scene, id)
    const readyAssessment = z.object({
      handoff_id: z.literal(handoffId),
      assessment_status: z.literal('ready'),
    })
    await stream.waitFor(
      z.object({ event: z.literal('handoff_assessment_ready'), data: readyAssessment }),
      'event about the assessment',
    )
  } finally {
    stream.close()
  }
  return id
}

/**
 * Admin and Robin look at the session at the same time: Robin learns it from the stream, and from the answer
 * to his own presence.
 */
async function showPresence(
  tour: Tour,
  stream: Subscription,
  { admin, robin }: Scene,
  id: string,
): Promise<void> {
  const resource = { type: 'ai_session', id } as const
  await tour.call(() => admin.client.presence.put({ ...resource, mode: 'editing' }), {
    returns: z.object({ expires_at: z.string() }),
  })
  const colleague = z.object({ user: z.object({ id: z.literal(admin.id) }), mode: z.literal('editing') })
  const event = z.object({ event: z.literal('presence'), data: colleague.extend({ id: z.literal(id) }) })
  await stream.waitFor(event, 'event about the presence')
  await tour.call(() => robin.client.presence.put({ ...resource, mode: 'viewing' }), {
    returns: z.object({ also_here: z.tuple([colleague]) }),
  })
  await tour.call(() => admin.client.presence.delete(resource))
}

async function askWithImage(tour: Tour, admin: Person, sessionId: string): Promise<void> {
  const uploadId = await uploadImage(tour, admin)
  const triage_update = z.object({ asset_name: z.literal('LT-0412') })
  const suggested_fix = z.object({ status: z.literal('proposed'), title: z.string() })
  const turn = z.object({ deltas: z.number().min(1), message: z.object({ triage_update, suggested_fix }) })
  const question = {
    session_id: sessionId,
    upload_ids: [uploadId],
    message:
      'The tunnel of LT-0412 drops every ten minutes, error 809, as soon as nobody types. Please suggest a fix.',
  }
  await tour.call(() => readTurn(admin.client.ai.turns.sendMessage.stream(question)), { returns: turn })
}

/** Count the streamed pieces of text and read the message at the end of the stream. */
async function readTurn(events: AsyncIterable<ServerEvent>) {
  let deltas = 0
  let message: unknown
  for await (const { event, data } of events) {
    if (event === 'delta') deltas++
    if (event === 'message') message = data
  }
  return { deltas, message }
}

async function tryFix(tour: Tour, { client }: Person, session_id: string): Promise<void> {
  const { fixes } = client.ai
  const proposedFix = listWithItem(
    z.object({ id: z.string(), status: z.literal('proposed') }),
    'proposed fix',
  )
  const { id } = await tour.call(() => fixes.list({ session_id }), { returns: proposedFix })
  const fix = { session_id, fix_id: id }
  await tour.call(() => fixes.apply(fix), {
    returns: z.object({ id: z.literal(id), applied_at: z.string() }),
  })
  const partialFix = z.object({
    id: z.literal(id),
    status: z.literal('applied_partial'),
    partial_notes: z.string(),
  })
  const outcome = { outcome: 'applied_partial', notes: 'Holds for an hour, then drops' } as const
  await tour.call(() => fixes.recordOutcome({ ...fix, ...outcome }), { returns: partialFix })
}

async function escalate(tour: Tour, { admin, robin }: Scene, sessionId: string): Promise<string> {
  const escalation = {
    session_id: sessionId,
    target_user_id: robin.id,
    summary: 'The tunnel drops when idle',
    reason: 'Needs rights on the firewall',
    what_was_tried: 'Reset the network adapter: holds for an hour, then drops',
    next_steps: 'Raise the idle timeout of the firewall',
    urgency: 'critical',
  } as const
  const { handoff_id } = await tour.call(() => admin.client.ai.handoffs.escalate(escalation), {
    returns: z.object({
      status: z.literal('escalated'),
      handoff_id: z.string(),
      psa_push: z.literal('queued'),
      notified: z.number(),
    }),
  })
  return handoff_id
}

/**
 * Require the escalation in Robin's inbox, in e-mails, in both chat tools, on the ticket and in the
 * escalation queue.
 */
async function requireNotified(
  tour: Tour,
  { admin, robin, ticketId }: Scene,
  sessionId: string,
): Promise<void> {
  const { ai, notifications } = robin.client
  const ticket = `(Ticket #${ticketId})`
  const inbox = z.object({
    event_key: z.literal('session.escalated'),
    title: z.string().includes(ticket),
    link: z.string().includes(sessionId),
  })
  await tour.call(() => notifications.list(), {
    returns: listWithItem(inbox, 'notification about the escalation'),
  })
  await waitForMail(tour, getOnCallEmail(tour), ticket)
  const alert = await waitForMail(tour, robin.email, ticket)
  for (const shown of ['Urgency: Critical', 'What was tried', 'Next steps', `${sessionId}?pickup=true`])
    if (!alert.text.includes(shown)) throw new TourError(`The alert does not show “${shown}”.`)
  tour.print('  # The alert of the critical outage, as Robin reads it:')
  for (const line of formatMessage(alert)) tour.print(line)
  for (const tool of [1, 2] as const) await waitForChatMessage(tour, tool, ticket)
  await waitForNote(tour, admin, { ticketId, sourceId: sessionId, text: 'Holds for an hour, then drops' })
  const waitingEscalation = z.object({
    session_id: z.literal(sessionId),
    urgency: z.literal('critical'),
    claimed_by: z.null(),
  })
  await tour.call(() => ai.escalations.listQueue(), {
    returns: listWithItem(waitingEscalation, 'escalation that waits for Robin'),
  })
}
