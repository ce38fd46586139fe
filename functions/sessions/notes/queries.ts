import { sql } from 'kysely'
import { accountId, now } from '#db/expressions.ts'
import { oldestFirst, type PageQuery, selectPage } from '#db/page.ts'
import { mayChange } from '#db/rows/sessions.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import type {
  FeedbackPut,
  Rating,
  RatingPut,
  StepFeedback,
  SupportingCreate,
  SupportingItem,
  SupportingUpdate,
} from './schemas.ts'

const creatorName = sql<string | null>`
  (select u.full_name from users u where u.account_id = session_supporting_data.account_id and u.id = session_supporting_data.created_by)`
const itemColumns = [
  'id',
  'session_id',
  'kind',
  'title',
  'content',
  'upload_id',
  'step_id',
  'created_by',
  creatorName.as('created_by_name'),
  'created_at',
  'updated_at',
] as const
const isInEditableSession = sql<boolean>`
  exists (select from sessions s where s.account_id = ${accountId} and s.id = session_supporting_data.session_id and ${mayChange})`

function selectSessionItems(db: ReadDb, sessionId: string) {
  return db
    .selectFrom('session_supporting_data')
    .select(itemColumns)
    .where('account_id', '=', accountId)
    .where('session_id', '=', sessionId)
}

export function selectItems(db: ReadDb, sessionId: string, page: PageQuery): Promise<SupportingItem[]> {
  return selectSessionItems(db, sessionId).$call(selectPage(oldestFirst, page)).execute()
}

export function selectItem(db: ReadDb, sessionId: string, id: string): Promise<SupportingItem | undefined> {
  return selectSessionItems(db, sessionId).where('id', '=', id).executeTakeFirst()
}

/** Insert an item. Return undefined if there is no such session or the caller may not change it. */
export function insertItem(
  db: WriteDb,
  sessionId: string,
  item: SupportingCreate,
): Promise<SupportingItem | undefined> {
  const { kind, title, content = null, upload_id = null, step_id = null } = item
  return db
    .insertInto('session_supporting_data')
    .columns(['session_id', 'kind', 'title', 'content', 'upload_id', 'step_id'])
    .expression((eb) =>
      eb
        .selectFrom('sessions as s')
        .select(['s.id', eb.val(kind).as('kind'), eb.val(title).as('title'), eb.val(content).as('content')])
        .select([sql<string | null>`${upload_id}::uuid`.as('upload_id'), eb.val(step_id).as('step_id')])
        .where('s.account_id', '=', accountId)
        .where('s.id', '=', sessionId)
        .where(mayChange),
    )
    .returning(itemColumns)
    .executeTakeFirst()
}

/** Update the columns in `changes`. */
export function updateItem(
  db: WriteDb,
  sessionId: string,
  id: string,
  changes: SupportingUpdate,
): Promise<SupportingItem | undefined> {
  return db
    .updateTable('session_supporting_data')
    .set({ ...changes, updated_at: now })
    .where('account_id', '=', accountId)
    .where('session_id', '=', sessionId)
    .where('id', '=', id)
    .where(isInEditableSession)
    .returning(itemColumns)
    .executeTakeFirst()
}

export async function deleteItem(db: WriteDb, sessionId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('session_supporting_data')
    .where('account_id', '=', accountId)
    .where('session_id', '=', sessionId)
    .where('id', '=', id)
    .where(isInEditableSession)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

const raterName = sql<string | null>`
  (select u.full_name from users u where u.account_id = session_ratings.account_id and u.id = session_ratings.rated_by)`
const ratingColumns = ['score', 'comment', 'rated_by', raterName.as('rated_by_name'), 'rated_at'] as const

/** Insert or replace the rating. Return undefined if the session does not exist. */
export function upsertRating(
  db: WriteDb,
  sessionId: string,
  { score, comment }: RatingPut,
): Promise<Rating | undefined> {
  return db
    .insertInto('session_ratings')
    .columns(['session_id', 'session_user_id', 'score', 'comment'])
    .expression((eb) =>
      eb
        .selectFrom('sessions')
        .select([
          'id',
          'user_id',
          sql<number>`${score}::smallint`.as('score'),
          eb.val(comment ?? null).as('comment'),
        ])
        .where('account_id', '=', accountId)
        .where('id', '=', sessionId),
    )
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'session_id']).doUpdateSet(({ ref }) => ({
        score: ref('excluded.score'),
        comment: ref('excluded.comment'),
        rated_by: ref('excluded.rated_by'),
        rated_at: ref('excluded.rated_at'),
      })),
    )
    .returning(ratingColumns)
    .executeTakeFirst()
}

export function selectRating(db: ReadDb, sessionId: string): Promise<Rating | undefined> {
  return db
    .selectFrom('session_ratings')
    .select(ratingColumns)
    .where('account_id', '=', accountId)
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
}

export function upsertFeedback(
  db: WriteDb,
  sessionId: string,
  stepId: string,
  feedback: FeedbackPut,
): Promise<StepFeedback> {
  return db
    .insertInto('session_step_feedback')
    .values({ ...feedback, session_id: sessionId, step_id: stepId })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'session_id', 'step_id', 'user_id']).doUpdateSet(({ ref }) => ({
        helpful: ref('excluded.helpful'),
        comment: ref('excluded.comment'),
        given_at: ref('excluded.given_at'),
      })),
    )
    .returning(['step_id', 'user_id', 'helpful', 'comment', 'given_at'])
    .executeTakeFirstOrThrow()
}
