import type { FastifyInstance } from 'fastify'
import { buildReport } from '#rules/exports/build-report.ts'
import { renderMarkdown } from '#rules/exports/markdown.ts'
import { applyDefaults, createAnswerValidator } from '#rules/flows/intake-answers.ts'
import { countRemainingAnswers, getFirstStepId } from '#rules/flows/step-navigation.ts'
import { query, queryAll, readCaller } from './caller.ts'
import { sessionStatement, toSessionAnswer } from './session-rows.ts'

const shortText = { type: 'string', minLength: 1, maxLength: 200 }
const startBody = {
  type: 'object',
  required: ['tree_id'],
  properties: {
    tree_id: { type: 'string' },
    ticket_number: shortText,
    client_name: shortText,
    variables: { type: 'object' },
  },
}
interface StartBody {
  tree_id: string
  ticket_number?: string
  client_name?: string
  variables?: Record<string, string>
}

const selectFlow = `
  select t.id, t.account_id, t.status, v.version, v.name, v.description, v.category, v.tree_type, v.tree_structure, v.intake_form, u.full_name as user_name
    from trees t join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
    join users u on u.account_id = $1 and u.id = $3
   where t.id = $2 and t.deleted_at is null and (t.account_id = app.platform_account() or t.account_id = $1 and
     (t.visibility in ('account', 'public') or t.author_id = $3 or t.visibility = 'team' and t.team_id = u.team_id))`
const insertSession = `
  with inserted_session as (
    insert into sessions (account_id, team_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, ticket_number, client_name, variables,
                          current_step_id, remaining, started_at)
    select $1, (select team_id from users where id = $2), $2, t.account_id, t.id, t.version, t.name, 'in_progress', $5, $6, $7, $8, $9, now()
      from trees t where t.id = $3 and t.version = $4 and t.status = 'published' and t.deleted_at is null
    returning *
  ), counted_use as (
    update trees t set usage_count = usage_count + 1 from inserted_session s where t.account_id = s.tree_account_id and t.id = s.tree_id
  )
  select s.* from inserted_session s`

const selectSettings = `select a.preferences, u.timezone from accounts a join users u on u.account_id = a.id where a.id = $1 and u.id = $2`
const selectSupportingData = `
  select kind, title, content, step_id from session_supporting_data where account_id = $1 and session_id = $2 order by created_at, id`

/** Add the start of a session, and its export. */
export function addSessionRoutes(app: FastifyInstance): void {
  app.post<{ Body: StartBody }>(
    '/api/v1/sessions',
    { schema: { body: startBody } },
    async (request, reply) => {
      const { userId, accountId } = readCaller(request)
      const { tree_id, ticket_number = null, client_name = null, variables = {} } = request.body
      const found = await query(request, {
        name: 'flow',
        text: selectFlow,
        values: [accountId, tree_id, userId],
      })
      const [flow] = found.rows
      if (flow?.status !== 'published') return reply.code(404).send({ detail: 'Not found' })
      const answers = applyDefaults(flow.intake_form, variables)
      if (createAnswerValidator(flow.intake_form, { complete: true })(answers).length > 0)
        return reply.code(422).send({ detail: 'Invalid answers' })
      const firstStep = getFirstStepId(flow.tree_structure)
      const remaining = countRemainingAnswers(flow.tree_structure, firstStep)
      const values = [
        accountId,
        userId,
        tree_id,
        flow.version,
        ticket_number,
        client_name,
        JSON.stringify(answers),
        firstStep,
        remaining,
      ]
      const { rows } = await query(request, { name: 'start', text: insertSession, values })
      if (!rows[0]) return reply.code(409).send({ detail: 'The flow was changed' })
      const {
        tree_version: _,
        tree_name: _name,
        lasted: _lasted,
        psa_push_id: _push,
        secret_variables: _secrets,
        ...session
      } = rows[0]
      const { id: _id, account_id: _account, status: _status, ...version } = flow
      const empty = {
        decisions: [],
        evidence: [],
        secret_keys: [],
        timer_due_at: null,
        flow_overdue_since: null,
        fallback_decisions: [],
        custom_steps: [],
      }
      reply.code(201)
      return toSessionAnswer({ ...session, ...version, ...empty })
    },
  )

  app.get<{ Params: { id: string } }>('/api/v1/sessions/:id/export', async (request, reply) => {
    const { userId, accountId } = readCaller(request)
    const { id } = request.params
    const [sessions, supporting, settings] = await queryAll(request, [
      sessionStatement(accountId, id),
      { name: 'supporting-data', text: selectSupportingData, values: [accountId, id] },
      { name: 'settings', text: selectSettings, values: [accountId, userId] },
    ])
    const session = sessions?.rows[0]
    if (!session) return reply.code(404).send({ detail: 'Not found' })
    const report = buildReport({ ...session, may_change: true }, supporting?.rows ?? [], {
      timezone: settings?.rows[0].timezone,
    })
    return reply.type('text/markdown; charset=utf-8').send(renderMarkdown(report))
  })
}
