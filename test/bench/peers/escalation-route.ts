import type { FastifyInstance } from 'fastify'
import { toEscalationDetails } from '#rules/events/escalation-alert.ts'
import { toAnnouncement } from '#rules/events/events.ts'
import { writeDocumentation } from '#vendors/ai/documentation.ts'
import { isoTime, query, readCaller } from './caller.ts'
import { type Handoff, storeEscalation } from './escalation-writes.ts'
import { publishJobs } from './guards.ts'

const text = { type: 'string', maxLength: 20_000, default: '' }
const body = {
  type: 'object',
  properties: {
    target_user_id: { type: 'string' },
    reason: text,
    summary: text,
    what_was_tried: text,
    next_steps: text,
    urgency: { enum: ['low', 'normal', 'high', 'critical'], default: 'normal' },
  },
}

const list = (table: string, pairs: string, order: string) =>
  `coalesce((select json_agg(json_build_object(${pairs}) order by ${order}) from ${table} x
     where x.account_id = s.account_id and x.session_id = s.id), '[]')`
const selectSession = `
  select s.id, s.user_id, s.picked_up_by_id, s.team_id, s.title, s.status, s.problem_summary, s.psa_ticket_id, s.client_name, s.asset_name,
         s.issue_category, s.triage_hypothesis, s.evidence_items, s.pending_task_lane, s.state_version, s.updated_at::text as updated_at,
         me.full_name as caller_name, target.role as target_role,
         ${list('ai_steps', `'step_id', x.id, 'text', x.text, 'response', x.response, 'citations', x.citations`, 'x.seq')} as steps,
         ${list('ai_messages', `'role', x.role, 'content', x.content, 'citations', x.citations`, 'x.position')} as messages,
         ${list('ai_facts', `'key', x.key, 'value', x.value`, 'x.created_at, x.id')} as facts,
         ${list(
           'ai_fixes',
           `'id', x.id, 'session_id', x.session_id, 'title', x.title, 'description', x.description, 'kind', x.kind,
            'script_template_id', x.script_template_id, 'status', x.status, 'applied_at', ${isoTime('x.applied_at')},
            'verified_at', ${isoTime('x.verified_at')}, 'partial_notes', x.partial_notes, 'pending_reason', x.pending_reason,
            'failure_reason', x.failure_reason, 'ai_drafted_script', x.ai_drafted_script, 'ai_drafted_parameters', x.ai_drafted_parameters,
            'ai_outcome_proposal', x.ai_outcome_proposal, 'created_at', ${isoTime('x.created_at')}`,
           'x.created_at, x.id',
         )} as suggested_fixes,
         coalesce((select json_agg(json_build_object('title', x.title, 'target', x.target, 'exit_code', x.exit_code, 'output', right(x.output, 1000))
                     order by x.created_at, x.id) from script_runs x where x.account_id = s.account_id and x.ai_session_id = s.id), '[]') as script_runs
    from ai_sessions s join users me on me.id = $3
    left join users target on target.account_id = s.account_id and target.id = $4 and target.is_active
   where s.account_id = $1 and s.id = $2`

/** Add the escalation of an AI session. */
export function addEscalationRoute(app: FastifyInstance): void {
  const path = '/api/v1/ai-sessions/:id/escalate'
  app.post<{ Params: { id: string }; Body: Handoff }>(path, { schema: { body } }, async (request, reply) => {
    const { userId, accountId } = readCaller(request)
    const handoff = request.body
    const values = [accountId, request.params.id, userId, handoff.target_user_id ?? null]
    const { rows } = await query(request, { name: 'ai-session', text: selectSession, values })
    const [session] = rows
    if (!session || ![session.user_id, session.picked_up_by_id].includes(userId))
      return reply.code(404).send({ detail: 'Not found' })
    if (!['active', 'parked'].includes(session.status))
      return reply.code(409).send({ detail: 'The session is closed' })
    if (handoff.target_user_id && !['engineer', 'admin'].includes(session.target_role))
      return reply.code(422).send({ detail: 'No such target' })
    const documentation = writeDocumentation(session, { handoff }, false)
    const details = toEscalationDetails({
      ...handoff,
      client_name: session.client_name,
      psa_ticket_id: session.psa_ticket_id,
    })
    const event = toAnnouncement({
      key: 'session.escalated',
      actorId: userId,
      teamId: session.team_id,
      sessionId: session.id,
      engineerName: session.caller_name,
      problemSummary: session.problem_summary ?? session.title,
      psaTicketId: session.psa_ticket_id,
      targetUserId: handoff.target_user_id ?? null,
      details,
    })
    const stored = await storeEscalation(request, {
      accountId,
      userId,
      session,
      handoff,
      documentation,
      details,
      event,
    })
    if (!stored) return reply.code(409).send({ detail: 'The session was changed' })
    const { handoff_id, notified, delivery_ids } = stored
    publishJobs(reply, [
      { path: '/jobs/ai/assess', body: { handoff_id } },
      ...delivery_ids.map((delivery_id) => ({ path: '/jobs/notifications/deliver', body: { delivery_id } })),
    ])
    return {
      session_id: session.id,
      status: 'escalated',
      handoff_id,
      documentation,
      psa_push: 'not_linked',
      hints: [{ code: 'no_ticket', text: 'The case has no ticket.' }],
      proposed_minutes: null,
      notified,
    }
  })
}
