import { expect } from 'vitest'
import { newAiSession, parseEvents } from './ai.ts'
import type { Answer, Service } from './app.ts'
import type { Person } from './people.ts'

/** A session of this person's, escalated; its id and its handoff's. */
export async function newEscalation(person: Person, given: Record<string, unknown> = {}, about: Record<string, unknown> = {}) {
  const { id } = await newAiSession(person, about)
  return { id, ...(await escalate(person, id, given)) }
}

export async function escalate(
  person: Person,
  id: string,
  given: Record<string, unknown> = {},
): Promise<{ handoffId: string; body: Answer['body'] }> {
  const answer = await person.call('POST', `/ai-sessions/${id}/escalate`, given)
  expect(answer.status, answer.text).toBe(200)
  return { handoffId: answer.body.handoff_id, body: answer.body }
}

export const claim = (person: Person, id: string, handoffId: string) =>
  person.call('POST', `/ai-sessions/${id}/handoffs/${handoffId}/claim`)
export const pickup = (person: Person, id: string) => person.call('POST', `/ai-sessions/${id}/pickup`)

export interface Listening {
  status: number
  /** All that was heard so far, comments included. */
  text(): string
  events(name?: string): ReturnType<typeof parseEvents>
  /** Resolves when the service ends the stream. */
  ended: Promise<void>
  leave(): void
}

/** Opens the escalation stream of this person and reads it. */
export async function listen(service: Pick<Service, 'api'>, person: Person, headers: Record<string, string> = {}): Promise<Listening> {
  const leaving = new AbortController()
  const response = await fetch(`${service.api}/api/v1/ai-sessions/escalations/stream`, {
    headers: { authorization: `Bearer ${person.token}`, accept: 'text/event-stream', ...headers },
    signal: leaving.signal,
  })
  let text = ''
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
  }
  const ended = response.status === 200 ? read().catch(() => {}) : Promise.resolve()
  return {
    status: response.status,
    text: () => text,
    events: (name) => parseEvents(text).filter(({ event }) => !name || event === name),
    ended,
    leave: () => leaving.abort(),
  }
}
