import { insertAiSession } from '#test/support/ai.ts'
import type { ApiResponse } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import type { Person } from '#test/support/people.ts'
import { pick } from './random.ts'
import type { Week } from './week.ts'

// What people of the desk do. Each act is tried by whoever the random numbers choose, so that some are
// refused.

const outcomes = ['resolved', 'resolved', 'resolved', 'unresolved', 'escalated', 'cancelled']
type Act = (week: Week, person: Person) => Promise<ApiResponse | undefined>
interface SessionRow {
  id: string
  ticket_number: string | null
  parent_session_id: string | null
  started_at: Date
  completed_at: Date
}

/** Choose one row of a statement whose `$1` is the person. */
async function choose(
  { service, random }: Week,
  person: Person,
  statement: string,
): Promise<SessionRow | undefined> {
  const rows = await service.sql<SessionRow>(`${statement} order by 1`, [person.id])
  return rows.length > 0 ? pick(random, rows) : undefined
}
const fields = 'select id, ticket_number, parent_session_id, started_at, completed_at from sessions where'
const own = `${fields} user_id = $1`

async function continueSession(week: Week, person: Person): Promise<ApiResponse | undefined> {
  const { random } = week
  const row = await choose(week, person, `${own} and state = 'in_progress' and subflow_session_id is null`)
  if (!row) return undefined
  const path = `/sessions/${row.id}`
  const { current_step: step } = expectStatus(await person.call('GET', path), 200).body
  if (!step || random() < 0.2)
    return person.call('POST', `${path}/complete`, { outcome: pick(random, outcomes) })
  if (step.id === 'run' && random() < 0.9) return person.call('POST', `${path}/subflows`, {})
  const answer = step.options.length > 0 ? { option_id: step.options[0].id } : { outcome: 'done' }
  const answered = await person.call('POST', `${path}/decisions`, { step_id: step.id, ...answer })
  return answered.body?.code === 'approval_required' ? person.call('POST', `${path}/approvals`, {}) : answered
}

/** Decide about an approval: this person, or the next one of whom somebody waits. */
async function decide({ random, workers }: Week, person: Person): Promise<ApiResponse | undefined> {
  for (const approver of [person, ...workers]) {
    const waiting = expectStatus(await approver.call('GET', '/approvals'), 200).body
    if (waiting.length === 0) continue
    const { id, session_id } = pick(random, waiting) as { id: string; session_id: string }
    const path = `/sessions/${session_id}/approvals/${id}`
    return random() < 0.8
      ? approver.call('POST', `${path}/approve`, {})
      : approver.call('POST', `${path}/reject`, { comment: 'Not now' })
  }
  return undefined
}

/** Book the time of a run that has no time entry yet, for oneself or for a colleague. */
async function book(week: Week, person: Person): Promise<ApiResponse | undefined> {
  const { random, bookings, memberIds, people } = week
  const part = random() < 0.1 ? 'not null' : 'null'
  // Account admins book the time of others too.
  const owner = person === week.admin ? `${fields} $1::uuid is not null` : own
  const isBooked = `id::text = any ('{${[...bookings.keys()].join(',')}}')`
  const condition = `state = 'completed' and ticket_number is not null and parent_session_id is ${part}`
  const row = await choose(week, person, `${owner} and ${condition} and not (${isBooked})`)
  if (!row) return undefined
  const colleague = random() < 0.4 ? pick(random, people) : person
  const isMeasured = random() < 0.3
  const minutes = 5 * (1 + Math.floor(random() * 20))
  const answer = await person.call('POST', `/sessions/${row.id}/time-entry`, {
    ...(isMeasured ? {} : { minutes }),
    ...(colleague === person ? {} : { user_id: colleague.id }),
  })
  if (answer.status !== 202) return answer
  if (row.parent_session_id) throw new Error('The time of a part of a run was booked')
  const measured = Math.ceil((row.completed_at.getTime() - row.started_at.getTime()) / 60_000)
  bookings.set(row.id, {
    memberId: memberIds.get(colleague.id) ?? '',
    minutes: isMeasured ? Math.max(1, measured) : minutes,
    ticket: row.ticket_number ?? '',
  })
  return answer
}

/** Correct the ticket of a run whose time is booked, and ask for its time again. */
async function moveTime(week: Week, person: Person): Promise<ApiResponse | undefined> {
  const { random, bookings, tickets } = week
  const ids = [...bookings.keys()].map((id) => `'${id}'`)
  if (ids.length === 0) return undefined
  const row = await choose(week, person, `${own} and id in (${ids.join(', ')})`)
  const booking = bookings.get(row?.id ?? '')
  if (!row || !booking) return undefined
  const ticket_number = pick(random, tickets)
  const changed = await person.call('PATCH', `/sessions/${row.id}`, { ticket_number })
  if (changed.status !== 200) return changed
  const answer = await person.call('POST', `/sessions/${row.id}/time-entry`, {})
  if (answer.status === 202) booking.ticket = answer.body.ticket_id
  return answer
}

async function escalate(week: Week, person: Person): Promise<ApiResponse> {
  const { service, random, people } = week
  const id = await insertAiSession(service, person)
  if (random() < 0.3) return person.call('POST', `/ai-sessions/${id}/resolve`, { outcome: 'resolved' })
  const target = random() < 0.5 ? { target_user_id: pick(random, people).id } : {}
  return person.call('POST', `/ai-sessions/${id}/escalate`, {
    urgency: 'high',
    reason: 'No rights',
    ...target,
  })
}

/** Claim, pick up or resolve a case that is not one's own. */
async function workOnCase(week: Week, person: Person): Promise<ApiResponse | undefined> {
  const { service, random } = week
  const rows = await service.sql<{
    id: string
    session_id: string
    claimed_by: string | null
    picked: boolean
  }>(
    `select h.id, h.session_id, h.claimed_by, h.picked_up_at is not null as picked from ai_handoffs h
      where h.account_id = $1 and h.closed_at is null order by h.id`,
    [person.accountId],
  )
  if (rows.length === 0) return undefined
  const { id, session_id, claimed_by, picked } = pick(random, rows)
  const path = `/ai-sessions/${session_id}`
  if (picked) return person.call('POST', `${path}/resolve`, { outcome: 'resolved' })
  if (claimed_by === person.id) return person.call('POST', `${path}/pickup`)
  return person.call('POST', `${path}/handoffs/${id}/claim`)
}

const acts: Record<string, [weight: number, act: Act]> = {
  start: [
    5,
    ({ random, flows, tickets }, person) =>
      person.call('POST', '/sessions', {
        tree_id: pick(random, flows),
        ticket_number: pick(random, tickets),
        variables: { printer_ip: '10.0.8.21' },
      }),
  ],
  continue: [28, continueSession],
  undo: [
    1,
    async (week, person) => {
      const row = await choose(week, person, `${own} and state = 'in_progress'`)
      return row && person.call('DELETE', `/sessions/${row.id}/decisions/last`)
    },
  ],
  decide: [4, decide],
  batch: [
    1,
    ({ random, maintenanceFlows, tickets }, person) =>
      person.call('POST', '/sessions/batch', {
        tree_id: maintenanceFlows.get(person.teamId),
        ticket_number: pick(random, tickets),
        targets: ['A', 'B'].map((label) => ({ label, variables: { server: label } })),
      }),
  ],
  take: [
    2,
    async (week, person) => {
      const row = await choose(week, person, `${fields} $1::uuid is not null and state = 'prepared'`)
      return row && person.call('POST', `/sessions/${row.id}/take`)
    },
  ],
  startPrepared: [
    2,
    async (week, person) => {
      const row = await choose(week, person, `${own} and state = 'prepared'`)
      return row && person.call('POST', `/sessions/${row.id}/start`, {})
    },
  ],
  handOver: [
    3,
    async (week, person) => {
      const row = await choose(week, person, `${own} and state in ('prepared', 'in_progress')`)
      const user_id = pick(week.random, week.people).id
      return row && person.call('POST', `/sessions/${row.id}/reassign`, { user_id })
    },
  ],
  remove: [
    1,
    async (week, person) => {
      const row = await choose(week, person, `${own} and state <> 'completed'`)
      return row && person.call('DELETE', `/sessions/${row.id}`)
    },
  ],
  rate: [
    1,
    async (week, person) => {
      const row = await choose(week, person, `${own} and state = 'completed'`)
      const score = 1 + Math.floor(week.random() * 5)
      return row && person.call('PUT', `/sessions/${row.id}/rating`, { score })
    },
  ],
  book: [6, book],
  moveTime: [3, moveTime],
  escalate: [3, escalate],
  workOnCase: [6, workOnCase],
}
const weighted = Object.entries(acts).flatMap(([name, [weight]]) =>
  Array.from({ length: weight }, () => name),
)

/** Let random people who work today do random acts, and count what was done and what was refused. */
export async function work(week: Week, count: number): Promise<void> {
  const { service, random, workers, acts: counts } = week
  for (let n = 0; n < count; n++) {
    const person = pick(random, [...workers])
    const name = pick(random, weighted)
    const answer = await acts[name]?.[1](week, person)
    if (answer && answer.status >= 500) throw new Error(`${name} returned ${answer.text}`)
    const result = answer ? (answer.status < 300 ? 'done' : (answer.body.code ?? answer.status)) : 'nothing'
    counts.set(`${name} ${result}`, (counts.get(`${name} ${result}`) ?? 0) + 1)
  }
  await service.stack.localServer.qstash.waitUntilSettled()
}
