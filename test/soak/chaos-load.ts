import { setTimeout as sleep } from 'node:timers/promises'
import { parseEvents } from '#test/support/ai.ts'
import { type ApiResponse, type OwnService, request } from '#test/support/app.ts'
import { openEscalationStream } from '#test/support/escalations.ts'
import type { Person } from '#test/support/people.ts'
import type { Processes } from './chaos-processes.ts'
import { pick, type Random } from './random.ts'

/** What the callers have seen. */
export interface Seen {
  requests: number
  /** Requests without an answer, and answers 5xx, by status. */
  failures: Record<string, number>
  /** Answers that the OpenAPI document does not declare, and others that must not be. */
  violations: string[]
  /** The sessions whose escalation was answered with 200. */
  escalated: Set<string>
  /** The sessions whose claim was answered with 200. */
  claimed: Set<string>
}

/**
 * Send a request to one of the processes, as a client behind a load balancer. Return undefined without an
 * answer.
 */
async function send(
  processes: Processes,
  random: Random,
  seen: Seen,
  person: Person,
  path: string,
  method = 'POST',
  body?: unknown,
) {
  const running = processes.list()
  if (running.length === 0) return undefined
  const { api, output } = pick(random, running)
  seen.requests++
  const options = { token: person.token, ...(body === undefined ? {} : { body }) }
  const answer = await request({ api }, method, path, options).catch((error: Error) => {
    // `request` refuses an answer that is not declared. Any other error is a lost connection.
    if (error.name === 'AssertionError') seen.violations.push(error.message)
    return undefined
  })
  const status = answer?.status ?? 'none'
  if (status === 'none' || status >= 500) seen.failures[status] = (seen.failures[status] ?? 0) + 1
  if (status === 500) seen.violations.push(`${method} ${path} returned 500: ${findLogLine(output(), answer)}`)
  return answer
}

/** Find what the log of a process says of an answer. */
function findLogLine(log: string, answer: ApiResponse | undefined): string | undefined {
  const id = answer?.headers.get('x-request-id')
  return log.split('\n').find((line) => id && line.includes(id) && line.includes('"error"'))
}

/** Repeat a request until it has an answer that another try does not change. */
async function insist(ask: () => Promise<ApiResponse | undefined>): Promise<ApiResponse> {
  for (;;) {
    const answer = await ask()
    if (answer && answer.status < 500 && answer.status !== 429) return answer
    await sleep(answer?.status === 429 ? 2000 : 300)
  }
}

/**
 * Escalate each of the sessions of a person, and let a colleague claim every third one, until the time is
 * over.
 */
export async function playEngineer(
  { processes, random, seen, until }: { processes: Processes; random: Random; seen: Seen; until: number },
  owner: Person,
  colleague: Person,
  sessionIds: readonly string[],
): Promise<void> {
  for (const [n, id] of sessionIds.entries()) {
    if (Date.now() > until) return
    const path = `/ai-sessions/${id}`
    const ask = (person: Person, suffix: string, method = 'POST', body?: unknown) =>
      send(processes, random, seen, person, path + suffix, method, body)
    const answer = await insist(() => ask(owner, '/escalate', 'POST', { summary: `Case ${id}` }))
    // 409: the answer to an earlier try was lost.
    if (answer.status === 200 || answer.body?.code === 'wrong_state') seen.escalated.add(id)
    else seen.violations.push(`escalate returned ${answer.status}: ${answer.text}`)
    if (n % 3 === 0) await claim(ask, colleague, id, seen)
    await send(processes, random, seen, colleague, '/ai-sessions/queue', 'GET')
    await sleep(1500 + random() * 2000)
  }
}

async function claim(
  ask: (person: Person, suffix: string, method?: string) => Promise<ApiResponse | undefined>,
  colleague: Person,
  id: string,
  seen: Seen,
): Promise<void> {
  const handoffs = await insist(() => ask(colleague, '/handoffs', 'GET'))
  const answer = await insist(() => ask(colleague, `/handoffs/${handoffs.body?.[0]?.id}/claim`))
  if (answer.status === 200) seen.claimed.add(id)
  else seen.violations.push(`claim returned ${answer.status}: ${answer.text}`)
}

/** The events of a person's stream, which reconnects where it stopped, as an EventSource does. */
export interface Listener {
  ids: string[]
  created: string[]
  claimed: string[]
  others: string[]
  /** Resolves when the stream is open for the first time: it has no event of before. */
  opened: Promise<void>
  stop(): Promise<void>
}

/** Listen to the stream of a person until `stop`. */
export function listen(processes: Processes, random: Random, person: Person): Listener {
  const { promise: opened, resolve: reportOpen } = Promise.withResolvers<void>()
  const listener: Listener = { ids: [], created: [], claimed: [], others: [], opened, stop: async () => {} }
  let isOpen = true
  let lastId: string | undefined
  let disconnect = () => {}
  const take = (event: string, id: string | undefined, data: { session_id?: string }) => {
    if (id) listener.ids.push(id)
    if (event === 'handoff_created') listener.created.push(data.session_id ?? '')
    else if (event === 'handoff_claimed') listener.claimed.push(data.session_id ?? '')
    else listener.others.push(event)
  }
  const read = async () => {
    while (isOpen) {
      const running = processes.list()
      const headers = lastId === undefined ? undefined : { 'last-event-id': lastId }
      const stream =
        running.length > 0
          ? await openEscalationStream(pick(random, running), person, headers).catch(() => undefined)
          : undefined
      if (stream?.status === 200) {
        disconnect = stream.disconnect
        reportOpen()
        await stream.closed
        // A process that dies may leave half an event.
        const text = stream.text().slice(0, stream.text().lastIndexOf('\n\n') + 2)
        for (const { event, id, data } of parseEvents(text)) take(event, id, data)
        // The stream begins with an id, which an EventSource stores before the first event.
        lastId = /.*^id: (\S+)$/ms.exec(text)?.[1] ?? lastId
      }
      await sleep(1000)
    }
  }
  const reading = read()
  listener.stop = async () => {
    isOpen = false
    disconnect()
    await reading
  }
  return listener
}

/** Insert sessions of tickets for each owner, before the faults begin. */
export async function insertSessions(
  { sql }: OwnService,
  owners: readonly Person[],
  each: number,
  ticketIds: readonly string[],
) {
  return Promise.all(
    owners.map(async (owner) => {
      const rows = await sql<{ id: string }>(
        `insert into ai_sessions (account_id, team_id, user_id, session_type, title, problem_summary, psa_ticket_id)
         select $1, $2, $3, 'chat', 'Case', 'Reception cannot print.', ($4::text[])[1 + n % cardinality($4::text[])]
           from generate_series(1, $5) n returning id`,
        [owner.accountId, owner.teamId, owner.id, ticketIds, each],
      )
      return rows.map(({ id }) => id)
    }),
  )
}
