import { expect } from 'vitest'
import { createAiSession, insertAiSession, parseEvents } from './ai.ts'
import { type ApiResponse, authorizationHeader, type OwnService, type Service } from './app.ts'
import type { Person } from './people.ts'

/**
 * Create a session and escalate it through the API. This also writes events and starts the assessment. Return
 * the session's id.
 */
export async function createEscalation(
  person: Person,
  input: Record<string, unknown> = {},
  sessionFields: Record<string, unknown> = {},
) {
  const { id } = await createAiSession(person, sessionFields)
  return { id, ...(await escalateSession(person, id, input)) }
}

/**
 * Insert an unclaimed escalation by SQL, without events or rate limits. Its assessment has failed, so no job
 * changes the row. Use it where only the rows matter, or where many escalations are needed.
 */
export async function insertEscalation(
  service: Service,
  owner: Person,
): Promise<{ session_id: string; handoff_id: string }> {
  const session_id = await insertAiSession(service, owner)
  await service.sql(`update ai_sessions set status = 'escalated' where id = $1`, [session_id])
  const [row] = await service.sql<{ id: string }>(
    `insert into ai_handoffs (account_id, session_id, intent, created_by, summary, assessment_status)
     values ($1, $2, 'escalate', $3, 'Reception cannot print.', 'failed') returning id`,
    [owner.accountId, session_id, owner.id],
  )
  return { session_id, handoff_id: row?.id ?? '' }
}

/** Escalate an existing session through the API. */
export async function escalateSession(
  person: Person,
  id: string,
  input: Record<string, unknown> = {},
): Promise<{ handoffId: string; body: ApiResponse['body'] }> {
  const response = await person.call('POST', `/ai-sessions/${id}/escalate`, input)
  expect(response.status, response.text).toBe(200)
  return { handoffId: response.body.handoff_id, body: response.body }
}

export const claimHandoff = (person: Person, id: string, handoffId: string) =>
  person.call('POST', `/ai-sessions/${id}/handoffs/${handoffId}/claim`)
export const pickUpSession = (person: Person, id: string) => person.call('POST', `/ai-sessions/${id}/pickup`)

/**
 * Insert unpublished stream events for an account, whose data is `{ n, title }`, then run the cron job that
 * publishes them.
 */
export async function insertStreamEvents(
  service: OwnService,
  accountId: string,
  count: number,
  bytes = 10,
): Promise<void> {
  await service.sql(
    `insert into stream_events (account_id, event, data, created_at)
     select $1, 'handoff_created', jsonb_build_object('n', n, 'title', repeat('x', $3)), app.now() - interval '1 minute' from generate_series(1, $2) n`,
    [accountId, count, bytes],
  )
  await service.stack.runCron()
}

export interface EscalationStream {
  status: number
  /** Everything received so far, comments included. */
  text(): string
  /** The events received so far, or only those of one name. */
  events(name?: string): ReturnType<typeof parseEvents>
  /** Resolves when the stream ends or fails. */
  closed: Promise<void>
  disconnect(): void
}

/**
 * Open the escalation stream of a person and read it in the background. Without a token, the query must
 * contain a ticket.
 */
export async function openEscalationStream(
  service: Pick<Service, 'api'>,
  { token }: Pick<Person, 'token'>,
  headers: Record<string, string> = {},
  query = '',
): Promise<EscalationStream> {
  const abort = new AbortController()
  const response = await fetch(`${service.api}/api/v1/ai-sessions/escalations/stream${query}`, {
    headers: { ...authorizationHeader(token), accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  })
  let text = ''
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
  }
  const closed = response.status === 200 ? read().catch(() => {}) : Promise.resolve()
  return {
    status: response.status,
    text: () => text,
    events: (name) => parseEvents(text).filter(({ event }) => !name || event === name),
    closed,
    disconnect: () => abort.abort(),
  }
}
