import { expect } from 'vitest'
import { dashboard, type OwnService } from '#test/support/app.ts'
import { createStep } from '#test/support/flow-nodes.ts'
import { createFlow } from '#test/support/flows.ts'
import type { Person } from '#test/support/people.ts'
import { createChildFlow, startRun } from '#test/support/subflows.ts'
import type { Act, Model, Step } from './model.ts'
import type { Random } from './random.ts'

const steps = ['run', 'gate', 'wait'] as const

/**
 * A session of person 0, whose first step runs a sub-flow, whose second needs an approval of an admin, and
 * whose third has a timer.
 */
export interface Run {
  /** How many steps are answered. */
  answered: number
  isCompleted: boolean
  /** Who started the sub-flow that runs, and its number. */
  child: { user: number; index: number } | null
  children: number
  /** Every request for an approval, oldest first. */
  approvals: readonly {
    requester: number
    state: 'pending' | 'approved' | 'rejected' | 'voided' | 'used'
    decider: number | null
  }[]
  /** Whether the timer of the third step still runs, and how often it has reminded. */
  isTimed: boolean
  reminders: number
}

const refuse = (answer: string, state: Run): Step<Run> => [answer, state]

/** Move to a step. It ends the approvals that nobody used, and starts the timer of the step. */
function moveTo(state: Run, answered: number): Run {
  const approvals = state.approvals.map((approval) =>
    approval.state === 'pending' || approval.state === 'approved'
      ? { ...approval, state: 'voided' as const }
      : approval,
  )
  return { ...state, answered, approvals, isTimed: steps[answered] === 'wait' }
}

function answer(state: Run, person: number, step: (typeof steps)[number]): Step<Run> {
  if (state.isCompleted) return refuse('409 wrong_state', state)
  if (state.child) return refuse('409 subflow_running', state)
  if (steps[state.answered] !== step) return refuse('409 step_not_current', state)
  if (step !== 'gate') return ['201', moveTo(state, state.answered + 1)]
  const newest = state.approvals.at(-1)
  if (newest?.state !== 'approved' || newest.decider === person) return refuse('409 approval_required', state)
  const approvals = state.approvals.with(-1, { ...newest, state: 'used' })
  return ['201', moveTo({ ...state, approvals }, state.answered + 1)]
}

function undo(state: Run): Step<Run> {
  if (state.isCompleted) return refuse('409 wrong_state', state)
  if (state.child) return refuse('409 subflow_running', state)
  return state.answered === 0 ? refuse('409 no_decision', state) : ['200', moveTo(state, state.answered - 1)]
}

function requestApproval(state: Run, person: number): Step<Run> {
  if (state.isCompleted || steps[state.answered] !== 'gate') return refuse('409 wrong_state', state)
  const newest = state.approvals.at(-1)
  if (newest?.state === 'approved') return refuse('409 already_decided', state)
  if (newest?.state === 'pending') return refuse('409 already_pending', state)
  return [
    '201',
    { ...state, approvals: [...state.approvals, { requester: person, state: 'pending', decider: null }] },
  ]
}

function decide(state: Run, person: number, index: number, decision: 'approved' | 'rejected'): Step<Run> {
  const approval = state.approvals[index] as Run['approvals'][number]
  const mayDecide = person !== 0 && person !== approval.requester
  if (approval.state === 'pending' && mayDecide)
    return [
      '200',
      { ...state, approvals: state.approvals.with(index, { ...approval, state: decision, decider: person }) },
    ]
  if (approval.decider !== null) return refuse('409 already_decided', state)
  return refuse(approval.state === 'pending' ? '403' : '409 wrong_state', state)
}

function startChild(state: Run, person: number): Step<Run> {
  if (state.isCompleted) return refuse('409 wrong_state', state)
  if (state.child) return refuse('409 subflow_running', state)
  if (steps[state.answered] !== 'run') return refuse('409 subflow_unavailable', state)
  return ['201', { ...state, child: { user: person, index: state.children }, children: state.children + 1 }]
}

/** Complete a sub-flow that `user` started. A resolved one answers the step. */
function completeChild(state: Run, person: number, index: number, user: number, outcome: string): Step<Run> {
  if (person === 0 && user !== 0) return refuse('403', state)
  if (state.child?.index !== index) return refuse('409 wrong_state', state)
  const released = { ...state, child: null }
  return ['200', outcome === 'resolved' ? moveTo(released, state.answered + 1) : released]
}

function complete(state: Run): Step<Run> {
  if (state.isCompleted) return refuse('409 wrong_state', state)
  return state.child
    ? refuse('409 subflow_running', state)
    : ['200', { ...moveTo(state, state.answered), isCompleted: true, isTimed: false }]
}

/** Model a session of a technician that two account admins work on too. */
export async function createSessionModel(
  service: OwnService,
  people: readonly Person[],
  random: Random,
): Promise<Model<Run> & { id: string }> {
  const [runner] = people as [Person]
  const child = await createChildFlow(runner)
  const flow = await createFlow(runner, {
    tree_type: 'procedural',
    intake_form: [],
    tree_structure: {
      steps: [
        createStep('run', { subflow: { tree_id: child.id, inputs: { server: 'srv-1' } } as never }),
        createStep('gate', {
          approval: { roles: ['account_admin'], expires_after_minutes: 10_080 },
        } as never),
        createStep('wait', { timer: { minutes: 30 } } as never),
        { id: 'end', type: 'procedure_end', title: 'Done', description: '' },
      ],
    },
  })
  const { id } = await startRun(runner, flow.id)
  let approvalIds: string[] = []
  let children: { id: string; user_id: string }[] = []
  return {
    id,
    start: {
      answered: 0,
      isCompleted: false,
      child: null,
      children: 0,
      approvals: [],
      isTimed: false,
      reminders: 0,
    },
    listActs(state, n) {
      const { call } = people[n] as Person
      const act = (
        name: string,
        apply: Act<Run>['apply'],
        path: string,
        body: unknown = {},
        method = 'POST',
      ): Act<Run> => ({
        name: `${n} ${name}`,
        apply,
        conflict: '409 step_not_current',
        send: () => call(method, path, method === 'DELETE' ? undefined : body),
      })
      const path = `/sessions/${id}`
      const answers = steps.map((step) =>
        act(`answer ${step}`, (now) => answer(now, n, step), `${path}/decisions`, {
          step_id: step,
          outcome: 'done',
        }),
      )
      const decisions = approvalIds.slice(-1).flatMap((approvalId) => {
        const index = approvalIds.indexOf(approvalId)
        const approvalPath = `${path}/approvals/${approvalId}`
        return [
          act('approve', (now) => decide(now, n, index, 'approved'), `${approvalPath}/approve`),
          act('approve', (now) => decide(now, n, index, 'approved'), `${approvalPath}/approve`),
          act('reject', (now) => decide(now, n, index, 'rejected'), `${approvalPath}/reject`, {
            comment: 'Not now',
          }),
        ]
      })
      const completions = children.slice(-1).flatMap(({ id: childId, user_id }) =>
        ['resolved', 'cancelled'].map((outcome) => {
          const [index, user] = [children.length - 1, people.findIndex((person) => person.id === user_id)]
          return act(
            `end child ${outcome}`,
            (now) => completeChild(now, n, index, user, outcome),
            `/sessions/${childId}/complete`,
            {
              outcome,
            },
          )
        }),
      )
      const current = answers[state.answered]
      return [
        ...answers,
        ...(current ? [current, current] : []),
        ...decisions,
        ...completions,
        act('undo', undo, `${path}/decisions/last`, {}, 'DELETE'),
        act('request', (now) => requestApproval(now, n), `${path}/approvals`),
        act('request', (now) => requestApproval(now, n), `${path}/approvals`),
        act('start child', (now) => startChild(now, n), `${path}/subflows`),
        ...(state.reminders > 0
          ? [act('complete', complete, `${path}/complete`, { outcome: 'resolved' })]
          : []),
      ]
    },
    async read() {
      const [session] = await service.sql<{
        answered: number
        state: string
        subflow_session_id: string | null
      }>('select answered, state, subflow_session_id from sessions where id = $1', [id])
      const approvals = await service.sql<{ id: string; state: string }>(
        'select id, state from approvals where session_id = $1 order by requested_at, id',
        [id],
      )
      approvalIds = approvals.map((approval) => approval.id)
      children = await service.sql(
        'select id, user_id from sessions where parent_session_id = $1 order by created_at, id',
        [id],
      )
      const childId = session?.subflow_session_id ?? null
      const child = childId === null ? null : children.findIndex((row) => row.id === childId)
      return [
        session?.answered,
        session?.state === 'completed',
        child,
        children.length,
        approvals.map(({ state }) => state),
      ]
    },
    show: ({ answered, isCompleted, child, children: count, approvals }) => [
      ...[answered, isCompleted, child?.index ?? null, count],
      approvals.map(({ state }) => state),
    ],
    async pass(states) {
      if (random() > 0.2) return [...states]
      await dashboard(service).advanceClock(31 * 60)
      return states.map((state) =>
        state.isTimed ? { ...state, isTimed: false, reminders: state.reminders + 1 } : state,
      )
    },
  }
}

/** Expect one event per reminder, per request and per decision, and at most one completion. */
export async function expectToldOnce(
  service: OwnService,
  id: string,
  state: Run,
  label: string,
): Promise<void> {
  const rows = await service.sql<{ key: string; count: number }>(
    `select e.key, count(*)::int as count from events e
      where e.account_id = (select account_id from sessions where id = $1) and e.key in ('approval.requested', 'approval.decided', 'session.timer_due')
      group by e.key`,
    [id],
  )
  const count = (key: string) => rows.find((row) => row.key === key)?.count ?? 0
  const { approvals, reminders } = state
  const decided = approvals.filter(({ decider }) => decider !== null).length
  expect([count('approval.requested'), count('approval.decided'), count('session.timer_due')], label).toEqual(
    [...[approvals.length, decided, reminders]],
  )
}
