import type { FastifyInstance } from 'fastify'
import {
  countRemainingAnswers,
  findAnswerableStep,
  findAnswerMismatch,
  getNextStepId,
} from '#rules/flows/step-navigation.ts'
import { query, readCaller } from './caller.ts'
import { selectSession, toSessionAnswer } from './session-rows.ts'

const text = { type: 'string', maxLength: 20_000 }
const body = {
  type: 'object',
  required: ['step_id'],
  properties: {
    step_id: text,
    option_id: text,
    outcome: { enum: ['done', 'skipped', 'failed'] },
    note: text,
    duration_seconds: { type: 'integer' },
  },
}
interface DecisionBody {
  step_id: string
  option_id?: string
  outcome?: 'done' | 'skipped' | 'failed'
  note?: string
  duration_seconds?: number
}

const insertDecision = `
  with s as (
    update sessions s set current_step_id = $3, answered = s.answered + 1, remaining = $4
     where s.account_id = $1 and s.id = $2 and s.state = 'in_progress' and s.current_step_id = $5 and s.answered = $6 returning *
  ), step_start as (
    select coalesce((select max(d.decided_at) from session_decisions d where d.account_id = s.account_id and d.session_id = s.id), s.started_at) as started_at from s
  )
  insert into session_decisions (decided_by, account_id, session_id, seq, step_id, option_id, outcome, note, started_at, duration_seconds)
  select s.user_id, s.account_id, s.id, $6, $5, $7, $8, $9, b.started_at, coalesce($10::integer, greatest(0, extract(epoch from now() - b.started_at))::integer)
    from s, step_start b
  returning step_id, option_id, outcome, note, started_at, duration_seconds, decided_at, decided_by,
            (select n.full_name from users n where n.account_id = session_decisions.account_id and n.id = decided_by) as decided_by_name`

/** Add the answer to the current step of a session. */
export function addDecisionRoute(app: FastifyInstance): void {
  app.post<{ Params: { id: string }; Body: DecisionBody }>(
    '/api/v1/sessions/:id/decisions',
    { schema: { body } },
    async (request, reply) => {
      const { userId, accountId } = readCaller(request)
      const session = await selectSession(request, accountId, request.params.id)
      if (session?.user_id !== userId) return reply.code(404).send({ detail: 'Not found' })
      const { step_id, option_id = null, outcome = null, note = null, duration_seconds = null } = request.body
      const { tree_structure, current_step_id, answered } = session
      const step =
        current_step_id === step_id && session.state === 'in_progress'
          ? findAnswerableStep(tree_structure, step_id)
          : undefined
      if (!step || findAnswerMismatch(step, request.body))
        return reply.code(409).send({ detail: 'The answer does not fit the current step' })
      const next = getNextStepId(tree_structure, step_id, option_id)
      const remaining = countRemainingAnswers(tree_structure, next)
      const values = [
        accountId,
        session.id,
        next,
        remaining,
        step_id,
        answered,
        option_id,
        outcome,
        note,
        duration_seconds,
      ]
      const { rows } = await query(request, { name: 'decide', text: insertDecision, values })
      if (!rows[0]) return reply.code(409).send({ detail: 'The session was changed' })
      reply.code(201)
      const decisions = [...session.decisions, rows[0]]
      return toSessionAnswer({
        ...session,
        current_step_id: next,
        answered: answered + 1,
        remaining,
        decisions,
      })
    },
  )
}
