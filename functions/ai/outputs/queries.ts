import { sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import { holdingAiSession } from '../../../lib/db/rows/ai-session-lock.ts'
import { ownAiSession } from '../../../lib/db/rows/ai-session-queries.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { Output, OutputCreate, OutputId } from './schemas.ts'

const columns = sql`
  o.id, o.session_id, o.kind, o.content, o.edited, p.pushed_at, case p.state when 'retrying' then 'queued' else p.state end as psa_push,
  o.created_by, o.created_at, o.updated_at`
const pushed = sql`left join psa_pushes p on p.account_id = o.account_id and p.id = o.psa_push_id`

export async function selectOutputs(db: ReadDb, sessionId: string, { skip, limit }: PageQuery): Promise<Output[]> {
  const { rows } = await sql<Output>`
    select ${columns} from ai_sessions s join ai_outputs o on o.account_id = s.account_id and o.session_id = s.id ${pushed}
     where s.account_id = app.account_id() and s.id = ${sessionId} and app.sees_ai_session(s)
     order by o.created_at, o.id offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

/** The output's row, unless the session is not the caller's own any more. */
export async function insertOutput(
  db: WriteDb,
  sessionId: string,
  kind: OutputCreate['kind'],
  content: string,
): Promise<Output | undefined> {
  const { rows } = await sql<Output>`
    with s as (
      update ai_sessions s set last_activity_at = app.now() where ${ownAiSession(sessionId)} returning s.id
    ), o as (
      insert into ai_outputs (session_id, kind, content) select s.id, ${kind}, ${content} from s returning *
    ) select ${columns} from o ${pushed}`.execute(db)
  return rows[0]
}

/** With the note that carries it. */
export type OutputRow = Output & { psa_push_id: string | null }
const row = ({ session_id, output_id }: OutputId) => sql<OutputRow>`
  select ${columns}, o.psa_push_id from ai_outputs o ${pushed} where o.account_id = app.account_id() and o.session_id = ${session_id} and o.id = ${output_id}`

/** The output while the session is held: within a transaction nobody else pushes or edits it until its end. */
export async function holdOutput(db: WriteDb, ids: OutputId) {
  const { session, rows } = await holdingAiSession(db, ids.session_id, [row(ids)])
  return { session, output: rows[0][0] }
}

/** Edits what is not pushed, or whose push failed: such a push is left behind. */
export async function editOutput(db: WriteDb, ids: OutputId, content: string) {
  const write = sql`
    with edited as (
      update ai_outputs o set content = ${content}, edited = true, psa_push_id = null, updated_at = app.now() from ai_sessions s
       where ${ownAiSession(ids.session_id)} and o.account_id = s.account_id and o.session_id = s.id and o.id = ${ids.output_id}
         and not exists (select from psa_pushes p where p.account_id = o.account_id and p.id = o.psa_push_id and p.state <> 'failed')
      returning o.id
    ), touched as (
      update ai_sessions s set last_activity_at = app.now() from edited where ${ownAiSession(ids.session_id)}
    ) select id from edited`
  const { session, rows } = await holdingAiSession(db, ids.session_id, [write, row(ids)])
  return { session, done: rows[0].length > 0, output: rows[1][0] }
}

export async function setPush(db: WriteDb, outputId: string, pushId: string): Promise<void> {
  await sql`update ai_outputs set psa_push_id = ${pushId}, updated_at = app.now() where account_id = app.account_id() and id = ${outputId}`.execute(
    db,
  )
}

/** The note that tells the ticket of the session, if there is one, while the session is held. */
export async function holdDocumentationPush(db: WriteDb, sessionId: string) {
  const read = sql<{ id: string; state: 'queued' | 'retrying' | 'pushed' | 'failed' }>`
    select p.id, p.state from ai_sessions s join psa_pushes p on p.account_id = s.account_id and p.id = s.psa_push_id
     where s.account_id = app.account_id() and s.id = ${sessionId}`
  const { rows } = await holdingAiSession(db, sessionId, [read])
  return rows[0][0]
}
