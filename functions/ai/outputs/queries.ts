import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, now } from '#db/expressions.ts'
import { oldestFirst, type PageQuery, pageEnd } from '#db/page.ts'
import { lockAiSession } from '#db/rows/ai-session-lock.ts'
import { isOwnAiSession } from '#db/rows/ai-session-queries.ts'
import { maskedClientMail } from '#db/rows/client-mail.ts'
import type { WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { Output, type OutputCreate, type OutputId } from './schemas.ts'

const outputColumns = sql`
  o.id, o.session_id, o.kind, o.content, o.edited, p.pushed_at, case p.state when 'retrying' then 'queued' else p.state end as psa_push,
  ${maskedClientMail} as client_mail, o.created_by, o.created_at, o.updated_at`
const joinPush = sql`left join psa_pushes p on p.account_id = o.account_id and p.id = o.psa_push_id`

export const selectOutputs = readStatement(
  Output,
  (sessionId: string, page: PageQuery) => sql`
    select ${outputColumns} from ai_sessions s join ai_outputs o on o.account_id = s.account_id and o.session_id = s.id ${joinPush}
     where s.account_id = app.account_id() and s.id = ${sessionId} and app.sees_ai_session(s)
     ${pageEnd(oldestFirst, page, 'o')}`,
)

/** Insert an output. Return undefined when the caller no longer owns the session. */
export const insertOutput = writeStatement(
  Output,
  (
    sessionId: string,
    { id, kind, content }: { id: string; kind: OutputCreate['kind']; content: string },
  ) => sql`
    with s as (
      update ai_sessions s set last_activity_at = app.now() where ${isOwnAiSession(sessionId)} returning s.id
    ), o as (
      insert into ai_outputs (id, session_id, kind, content) select ${id}::uuid, s.id, ${kind}, ${content} from s returning *
    ) select ${outputColumns} from o ${joinPush}`,
)

const OutputRow = Output.extend({ psa_push_id: z.string().nullable() })
/** An output with the id of its push. */
export type OutputRow = z.output<typeof OutputRow>

export const selectOutput = readStatement(
  OutputRow,
  ({ session_id, output_id }: OutputId) => sql`
    select ${outputColumns}, o.psa_push_id from ai_outputs o ${joinPush}
     where o.account_id = app.account_id() and o.session_id = ${session_id} and o.id = ${output_id}`,
)

/**
 * Lock the session and select the output. No other request can push or edit the output until the transaction
 * ends.
 */
export async function lockOutput(db: WriteDb, ids: OutputId) {
  const { session, rows } = await lockAiSession(db, ids.session_id, [selectOutput.query(ids)])
  return { session, output: rows[0][0] }
}

export const updateContent = writeStatement(
  z.object({ id: z.string() }),
  (ids: OutputId, content: string) => sql`
    with updated_output as (
      update ai_outputs o set content = ${content}, edited = true, psa_push_id = null, updated_at = app.now() from ai_sessions s
       where ${isOwnAiSession(ids.session_id)} and o.account_id = s.account_id and o.session_id = s.id and o.id = ${ids.output_id}
         and not exists (select from psa_pushes p where p.account_id = o.account_id and p.id = o.psa_push_id and p.state <> 'failed')
      returning o.id
    ), updated_session as (
      update ai_sessions s set last_activity_at = app.now() from updated_output where ${isOwnAiSession(ids.session_id)}
    ) select id from updated_output`,
)

/** Update an output that has no push or a failed push, and unlink the failed push. */
export async function updateOutput(db: WriteDb, ids: OutputId, content: string) {
  const { session, rows } = await lockAiSession(db, ids.session_id, [
    updateContent.query(ids, content),
    selectOutput.query(ids),
  ])
  return { session, isChanged: rows[0].length > 0, output: rows[1][0] }
}

export async function setOutputPush(db: WriteDb, outputId: string, pushId: string): Promise<void> {
  await db
    .updateTable('ai_outputs')
    .set({ psa_push_id: pushId, updated_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', outputId)
    .execute()
}

/** Lock the session and select the push of its documentation. */
export async function lockDocumentationPush(db: WriteDb, sessionId: string) {
  const push = db
    .selectFrom('ai_sessions as s')
    .innerJoin('psa_pushes as p', (join) =>
      join.onRef('p.account_id', '=', 's.account_id').onRef('p.id', '=', 's.psa_push_id'),
    )
    .select(['p.id', 'p.state'])
    .where('s.account_id', '=', accountId)
    .where('s.id', '=', sessionId)
  const { rows } = await lockAiSession(db, sessionId, [push])
  return rows[0][0]
}
