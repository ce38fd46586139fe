import { expect } from 'vitest'
import { insertAiSession } from '#test/support/ai.ts'
import type { OwnService } from '#test/support/app.ts'
import type { EscalationStream } from '#test/support/escalations.ts'
import type { Person } from '#test/support/people.ts'
import type { Act, Model, Step } from './model.ts'

/** The account's admin, who only watches. */
const receiversOfAnEscalation = 1

interface Escalation {
  author: number
  claimant: number | null
  isOpen: boolean
}

/** An AI session of person 0. Its escalations are listed oldest first. */
export interface Case {
  status: 'active' | 'parked' | 'escalated' | 'claimed' | 'resolved' | 'abandoned'
  owner: number | null
  escalations: readonly Escalation[]
  parkings: number
  claims: number
}

const isClosed = ({ status }: Case) => status === 'resolved' || status === 'abandoned'
const owns = (state: Case, person: number) => person === 0 || person === state.owner
const canRead = (state: Case, person: number) =>
  owns(state, person) ||
  state.status === 'escalated' ||
  state.escalations.some(({ claimant }) => claimant === person)
const closeHandoffs = (state: Case) =>
  state.escalations.map((escalation) => ({ ...escalation, isOpen: false }))
const refuse = (answer: string, state: Case): Step<Case> => [answer, state]

/** Answer a change of a session by its owner in some of its states. */
function changeOwn(
  state: Case,
  person: number,
  isAllowed: boolean,
  success: string,
  changes: Partial<Case>,
): Step<Case> {
  if (!canRead(state, person)) return refuse('404', state)
  if (!owns(state, person)) return refuse('403', state)
  return isAllowed ? [success, { ...state, ...changes }] : refuse('409 wrong_state', state)
}

const isEscalatable = ({ status }: Case) => status === 'active' || status === 'parked'

function escalate(state: Case, person: number): Step<Case> {
  const escalations = [...closeHandoffs(state), { author: person, claimant: null, isOpen: true }]
  return changeOwn(state, person, isEscalatable(state), '200', {
    status: 'escalated',
    owner: null,
    escalations,
  })
}

function claim(state: Case, person: number, index: number): Step<Case> {
  const escalation = state.escalations[index] as Escalation
  const { author, claimant, isOpen } = escalation
  if (state.status === 'escalated' && isOpen && claimant === null && author !== person) {
    const escalations = state.escalations.with(index, { ...escalation, claimant: person })
    return ['200', { ...state, status: 'claimed', escalations, claims: state.claims + 1 }]
  }
  return claimant === person ? ['200', state] : refuse(explainConflict(state, person, escalation), state)
}

function pickUp(state: Case, person: number): Step<Case> {
  const newest = state.escalations.at(-1)
  const isOwnClaim = state.status === 'claimed' && newest?.claimant === person
  if (newest?.isOpen && (isOwnClaim || (state.status === 'escalated' && newest.author !== person))) {
    const escalations = state.escalations.with(-1, { ...newest, claimant: person, isOpen: false })
    return [
      '200',
      { ...state, status: 'active', owner: person, escalations, claims: state.claims + (isOwnClaim ? 0 : 1) },
    ]
  }
  if (state.status === 'active' && state.owner === person) return ['200', state]
  return refuse(explainConflict(state, person, newest ?? { author: 0, claimant: null, isOpen: false }), state)
}

function explainConflict(state: Case, person: number, { author, claimant }: Escalation): string {
  if (author === person) return '403'
  if (claimant !== null && claimant !== person) return '409 already_claimed'
  return canRead(state, person) ? '409 wrong_state' : '404'
}

function abandon(state: Case, person: number): Step<Case> {
  return changeOwn(
    state,
    person,
    true,
    '200',
    isClosed(state) ? {} : { status: 'abandoned', escalations: closeHandoffs(state) },
  )
}

/**
 * Model an AI session that three engineers of a team escalate, claim, pick up, park, resume, resolve and
 * abandon.
 */
export async function createEscalationModel(
  service: OwnService,
  people: readonly Person[],
): Promise<Model<Case> & { id: string }> {
  const id = await insertAiSession(service, people[0] as Person)
  const path = `/ai-sessions/${id}`
  let handoffIds: string[] = []
  const readHandoffs = async () => {
    const where = `session_id = $1 and intent = 'escalate' order by created_at, id`
    return service.sql<{ id: string; claimed_by: string | null }>(
      `select id, claimed_by from ai_handoffs where ${where}`,
      [id],
    )
  }
  const toIndex = (userId: string | null) =>
    userId === null ? null : people.findIndex((person) => person.id === userId)
  return {
    id,
    start: { status: 'active', owner: null, escalations: [], parkings: 0, claims: 0 },
    listActs(state, n) {
      const { call } = people[n] as Person
      const act = (
        name: string,
        apply: Act<Case>['apply'],
        suffix: string,
        body: unknown = {},
      ): Act<Case> => ({
        name: `${n} ${name}`,
        apply,
        send: () => call('POST', path + suffix, body),
      })
      const park = (now: Case) =>
        changeOwn(now, n, isEscalatable(now), '201', { ...parked, parkings: now.parkings + 1 })
      const parked = { status: 'parked' } as const
      const resume = (now: Case) => changeOwn(now, n, now.status === 'parked', '200', { status: 'active' })
      const resolve = (now: Case) =>
        changeOwn(now, n, !isClosed(now), '200', { status: 'resolved', escalations: closeHandoffs(now) })
      const claims = handoffIds.map((handoffId, index) =>
        act('claim', (now) => claim(now, n, index), `/handoffs/${handoffId}/claim`),
      )
      const usual = [
        act('escalate', (now) => escalate(now, n), '/escalate'),
        { ...act('pick up', (now) => pickUp(now, n), '/pickup'), conflict: '409 wrong_state' },
        act('park', park, '/handoff', { intent: 'park', summary: 'Lunch' }),
        act('resume', resume, '/resume'),
        ...claims.slice(-2),
        ...claims.slice(-1),
      ]
      // A case ends seldom, so that most rounds have something to do.
      const endings = [
        act('resolve', resolve, '/resolve', { outcome: 'resolved' }),
        act('abandon', (now) => abandon(now, n), '/abandon'),
      ]
      return [...usual, ...usual, ...usual, ...(state.escalations.length > 1 ? endings : [])]
    },
    async read() {
      const handoffs = await readHandoffs()
      handoffIds = handoffs.map((handoff) => handoff.id)
      const [session] = await service.sql<{ status: string; picked_up_by_id: string | null }>(
        'select status, picked_up_by_id from ai_sessions where id = $1',
        [id],
      )
      return [
        session?.status,
        toIndex(session?.picked_up_by_id ?? null),
        handoffs.map(({ claimed_by }) => toIndex(claimed_by)),
      ]
    },
    show: ({ status, owner, escalations }) => [status, owner, escalations.map(({ claimant }) => claimant)],
  }
}

/**
 * Expect one event, one notification per receiver and one event of the stream for each escalation and claim,
 * and an open handoff only if the model has one.
 */
export async function expectComplete(
  service: OwnService,
  id: string,
  state: Case,
  stream: EscalationStream,
  label: string,
): Promise<void> {
  const [counts] = await service.sql(
    `select (select count(*)::int from ai_handoffs where session_id = $1 and intent = 'escalate') as escalations,
            (select count(*)::int from ai_handoffs where session_id = $1 and intent = 'park') as parkings,
            (select count(*)::int from ai_handoffs where session_id = $1 and closed_at is null and intent = 'escalate') as open,
            (select count(*)::int from events where key = 'session.escalated' and link like '/pilot/' || $1 || '%') as escalated_events,
            (select count(*)::int from events where key = 'handoff.claimed' and link like '/pilot/' || $1 || '%') as claimed_events`,
    [id],
  )
  const escalations = state.escalations.length
  const open = state.escalations.filter(({ isOpen }) => isOpen).length
  const { parkings, claims } = state
  expect(counts, label).toEqual({
    escalations,
    parkings,
    open,
    escalated_events: escalations,
    claimed_events: claims,
  })
  const told = await service.sql<{ receivers: number }>(
    `select count(n.user_id)::int as receivers from events e left join notifications n on n.event_id = e.id
      where e.key = 'session.escalated' and e.link like '/pilot/' || $1 || '%' group by e.id`,
    [id],
  )
  expect(
    told.map(({ receivers }) => receivers),
    label,
  ).toEqual(state.escalations.map(() => receiversOfAnEscalation))
  const count = (name: string) => stream.events(name).filter(({ data }) => data.session_id === id).length
  await expect
    .poll(() => [count('handoff_created'), count('handoff_claimed')], { timeout: 10_000, message: label })
    .toEqual([escalations, claims])
}
