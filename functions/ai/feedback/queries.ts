import { sql } from 'kysely'
import { accountId } from '#db/expressions.ts'
import { type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import { Feedback, type FeedbackPut } from './schemas.ts'

const columns = [
  'id',
  'session_id',
  'subject',
  'subject_id',
  'user_id',
  'helpful',
  'correction',
  'prompt',
  'prompt_version',
  'model',
  'given_at',
] as const

/** The newest feedback first. */
export const feedbackOrder = [
  { field: 'given_at', kind: 'time', isDescending: true },
  { field: 'id', kind: 'uuid', isDescending: true },
] as const

/**
 * Insert or replace what the caller thinks of an answer of `ai_sessions s`, with the answer and the call that
 * wrote it. An assessment is written within a minute of its handoff. Returns no row if the caller sees no
 * such answer.
 */
export const upsertFeedback = writeStatement(
  Feedback,
  (sessionId: string, { subject, subject_id, helpful, correction }: FeedbackPut) => sql`
    insert into ai_feedback as f (session_id, subject, subject_id, helpful, correction, answer, prompt, prompt_version, model)
    select s.id, ${subject}, a.id, ${helpful}, ${correction}, left(a.answer, 20000), c.prompt, c.prompt_version, c.model
      from ai_sessions s cross join lateral (
        select m.id, m.content as answer, array['chat_turn'] as prompts, m.created_at as written_at from ai_messages m
         where ${subject} = 'reply' and m.account_id = s.account_id and m.session_id = s.id and m.id = ${subject_id}
           and m.role = 'assistant' and m.failure is null
        union all select t.id, t.text, array['guided_step'], t.created_at from ai_steps t
         where ${subject} = 'step' and t.account_id = s.account_id and t.session_id = s.id and t.id = ${subject_id} and t.failure is null
        union all select x.id, concat_ws(e'\n\n', x.title, nullif(x.description, '')), array['chat_turn', 'guided_step'], x.created_at from ai_fixes x
         where ${subject} = 'fix' and x.account_id = s.account_id and x.session_id = s.id and x.id = ${subject_id}
        union all select h.id, h.ai_assessment, array['escalation_assessment'], h.created_at + interval '1 minute' from ai_handoffs h
         where ${subject} = 'assessment' and h.account_id = s.account_id and h.session_id = s.id and h.id = ${subject_id} and h.assessment_status = 'ready') a
      left join lateral app.find_answering_call(a.prompts, a.written_at) c on true
     where s.account_id = app.account_id() and s.id = ${sessionId} and app.sees_ai_session(s)
    on conflict (account_id, session_id, subject, subject_id, user_id)
      do update set helpful = excluded.helpful, correction = excluded.correction, given_at = app.now()
    returning ${sql.join(columns.map((column) => sql.ref(`f.${column}`)))}`,
)

export function selectFeedback(db: ReadDb, sessionId: string, page: PageQuery): Promise<Feedback[]> {
  return db
    .selectFrom('ai_feedback as f')
    .innerJoin('ai_sessions as s', (join) =>
      join.onRef('s.account_id', '=', 'f.account_id').onRef('s.id', '=', 'f.session_id'),
    )
    .select(columns.map((column) => `f.${column}` as const))
    .where('f.account_id', '=', accountId)
    .where('f.session_id', '=', sessionId)
    .where(sql<boolean>`app.sees_ai_session(s)`)
    .$call(selectPage(feedbackOrder, page, 'f'))
    .execute() as Promise<Feedback[]>
}
