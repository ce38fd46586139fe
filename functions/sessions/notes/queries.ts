import { sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import { mayChange } from '../../../lib/db/rows/sessions.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { FeedbackPut, Rating, RatingPut, StepFeedback, SupportingCreate, SupportingItem, SupportingUpdate } from './schemas.ts'

const itemColumns = sql`
  d.id, d.session_id, d.kind, d.title, d.content, d.upload_id, d.step_id, d.created_by,
  (select u.full_name from users u where u.account_id = d.account_id and u.id = d.created_by) as created_by_name, d.created_at, d.updated_at`
const isInSession = (sessionId: string) => sql`d.account_id = app.account_id() and d.session_id = ${sessionId}`
/** The session `s`, if the caller may change it. */
const editableSession = (id: string) => sql`sessions s where s.account_id = app.account_id() and s.id = ${id} and ${mayChange}`

export async function selectItems(db: ReadDb, sessionId: string, { skip, limit }: PageQuery): Promise<SupportingItem[]> {
  const { rows } = await sql<SupportingItem>`
    select ${itemColumns} from session_supporting_data d where ${isInSession(sessionId)}
     order by d.created_at, d.id offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function selectItem(db: ReadDb, sessionId: string, id: string): Promise<SupportingItem | undefined> {
  const { rows } = await sql<SupportingItem>`
    select ${itemColumns} from session_supporting_data d where ${isInSession(sessionId)} and d.id = ${id}`.execute(db as WriteDb)
  return rows[0]
}

export async function insertItem(db: WriteDb, sessionId: string, item: SupportingCreate): Promise<SupportingItem | undefined> {
  const { kind, title, content = null, upload_id = null, step_id = null } = item
  const { rows } = await sql<SupportingItem>`
    with d as (
      insert into session_supporting_data (session_id, kind, title, content, upload_id, step_id)
      select s.id, ${kind}, ${title}, ${content}, ${upload_id}::uuid, ${step_id} from ${editableSession(sessionId)} returning *)
    select ${itemColumns} from d`.execute(db)
  return rows[0]
}

/** Update the columns in `changes`. */
export async function updateItem(
  db: WriteDb,
  sessionId: string,
  id: string,
  changes: SupportingUpdate,
): Promise<SupportingItem | undefined> {
  const assignments = Object.entries(changes).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  const { rows } = await sql<SupportingItem>`
    with d as (
      update session_supporting_data d set ${sql.join([...assignments, sql`updated_at = app.now()`])}
       where ${isInSession(sessionId)} and d.id = ${id} and exists (select from ${editableSession(sessionId)}) returning *)
    select ${itemColumns} from d`.execute(db)
  return rows[0]
}

export async function deleteItem(db: WriteDb, sessionId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    delete from session_supporting_data d where ${isInSession(sessionId)} and d.id = ${id} and exists (select from ${editableSession(sessionId)})
    returning d.id`.execute(db)
  return rows.length > 0
}

const ratingColumns = sql`
  r.score, r.comment, r.rated_by,
  (select u.full_name from users u where u.account_id = r.account_id and u.id = r.rated_by) as rated_by_name, r.rated_at`

/** Insert or replace the rating. Return undefined if the session does not exist. */
export async function upsertRating(db: WriteDb, sessionId: string, rating: RatingPut): Promise<Rating | undefined> {
  const { score, comment = null } = rating
  const { rows } = await sql<Rating>`
    with r as (
      insert into session_ratings (session_id, session_user_id, score, comment)
      select s.id, s.user_id, ${score}::smallint, ${comment} from sessions s where s.account_id = app.account_id() and s.id = ${sessionId}
      on conflict (account_id, session_id) do update
         set score = excluded.score, comment = excluded.comment, rated_by = excluded.rated_by, rated_at = excluded.rated_at
      returning *)
    select ${ratingColumns} from r`.execute(db)
  return rows[0]
}

export async function selectRating(db: ReadDb, sessionId: string): Promise<Rating | undefined> {
  const { rows } = await sql<Rating>`
    select ${ratingColumns} from session_ratings r where r.account_id = app.account_id() and r.session_id = ${sessionId}`.execute(
    db as WriteDb,
  )
  return rows[0]
}

export async function upsertFeedback(db: WriteDb, sessionId: string, stepId: string, feedback: FeedbackPut): Promise<StepFeedback> {
  const { helpful, comment = null } = feedback
  const { rows } = await sql<StepFeedback>`
    insert into session_step_feedback (session_id, step_id, helpful, comment) values (${sessionId}, ${stepId}, ${helpful}, ${comment})
    on conflict (account_id, session_id, step_id, user_id) do update
       set helpful = excluded.helpful, comment = excluded.comment, given_at = excluded.given_at
    returning step_id, user_id, helpful, comment, given_at`.execute(db)
  return rows[0] as StepFeedback
}
