import { sql } from 'kysely'
import { callFunction } from '#db/call-function.ts'
import { accountId, mayChange, now, teamId, userId } from '#db/expressions.ts'
import { toWordPatterns } from '#db/like.ts'
import { nameOrder, type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import type { LibraryQuery, LibraryStep, LibraryStepCreate, LibraryStepUpdate } from './schemas.ts'

export interface LibraryStepRow extends LibraryStep {
  /**
   * Whether the caller may change the step. A step that belongs to a flow can be changed only there, even by
   * this caller.
   */
  may_change: boolean
}

const mayChangeStep = mayChange('created_by', 'team_id')
const stepColumns = [
  'id',
  'title',
  'description',
  'step_type',
  'visibility',
  sql<boolean>`source_tree_id is not null`.as('is_flow_synced'),
  'is_active',
  'source_tree_id',
  'source_node_id',
  'source_tree_name',
  'team_id',
  'created_by',
  'created_at',
  'updated_at',
  mayChangeStep.as('may_change'),
] as const
const isVisible = sql<boolean>`account_id = ${accountId} and app.sees(visibility, created_by, team_id)`
const isEditable = sql<boolean>`${isVisible} and source_tree_id is null and ${mayChangeStep}`

export function selectSteps(
  db: ReadDb,
  { search, synced, active, ...page }: LibraryQuery & PageQuery,
): Promise<LibraryStepRow[]> {
  let steps = db
    .selectFrom('library_steps')
    .select(stepColumns)
    .where(isVisible)
    .where(active ? sql<boolean>`is_active` : sql<boolean>`not is_active`)
  if (synced !== undefined) steps = steps.where('source_tree_id', synced ? 'is not' : 'is', null)
  if (search)
    steps = steps.where(
      'id',
      'in',
      sql<string>`(select ${callFunction('app.find_library_steps', { p_words: toWordPatterns(search), p_active: active })})`,
    )
  return steps.$call(selectPage(nameOrder('title'), page)).execute()
}

export function selectStep(db: ReadDb, id: string): Promise<LibraryStepRow | undefined> {
  return db
    .selectFrom('library_steps')
    .select(stepColumns)
    .where(isVisible)
    .where('id', '=', id)
    .executeTakeFirst()
}

export function insertStep(db: WriteDb, step: LibraryStepCreate): Promise<LibraryStepRow> {
  return db
    .insertInto('library_steps')
    .values({ ...step, team_id: teamId, created_by: userId })
    .returning(stepColumns)
    .executeTakeFirstOrThrow()
}

export function updateStep(
  db: WriteDb,
  id: string,
  changes: LibraryStepUpdate,
): Promise<LibraryStepRow | undefined> {
  return db
    .updateTable('library_steps')
    .set({ ...changes, updated_at: now })
    .where('id', '=', id)
    .where(isEditable)
    .returning(stepColumns)
    .executeTakeFirst()
}

export async function deleteStep(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('library_steps')
    .where('id', '=', id)
    .where(isEditable)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
