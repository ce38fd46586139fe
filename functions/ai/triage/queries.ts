import { type Compilable, type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { accountId, jsonb, now } from '#db/expressions.ts'
import { oldestFirst, type PageQuery, selectPage } from '#db/page.ts'
import { type Evidence, type Fact, maxFacts } from '#db/rows/ai-session.ts'
import { type AiSessionState, lockAiSession } from '#db/rows/ai-session-lock.ts'
import { factItem, isOwnAiSession, updateAiSession } from '#db/rows/ai-session-queries.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { uuidv7 } from '#db/uuid.ts'
import { openStates } from '#rules/ai/session-values.ts'
import type { Branch, BranchId, FactPut, TaskLanePut, TriagePatch } from './schemas.ts'

const ChangedRow = z.object({ id: z.string() })
const activity = { last_activity_at: now, updated_at: now }
const activityAssignments = sql`last_activity_at = app.now(), updated_at = app.now()`

/**
 * Convert texts to evidence items. A text that the session already has keeps its item with id, source and
 * time.
 */
function toEvidenceItems(texts: readonly string[]): RawBuilder<Evidence[]> {
  const items = [...new Set(texts)].map((text) => ({ id: uuidv7(), text, source: 'user' }))
  return sql`(
    select coalesce(jsonb_agg(coalesce(k.item, n.item || jsonb_build_object('created_at', app.iso(app.now()))) order by n.place), '[]')
      from jsonb_array_elements(${jsonb(items)}) with ordinality n (item, place)
      left join (select distinct on (e.item ->> 'text') e.item from jsonb_array_elements(s.evidence_items) e (item)) k
        on k.item ->> 'text' = n.item ->> 'text')`
}

export function updateTriage(
  db: WriteDb,
  id: string,
  { evidence_items, cause_confirmed, ...columns }: TriagePatch,
) {
  const hypothesis =
    columns.triage_hypothesis === undefined
      ? sql`s.triage_hypothesis`
      : sql`${columns.triage_hypothesis}::text`
  // A hypothesis that somebody changes is not the one that was confirmed.
  const isSame = sql`s.cause_confirmed and s.triage_hypothesis is not distinct from ${hypothesis}`
  const update = db
    .updateTable('ai_sessions as s')
    .set({
      ...columns,
      ...activity,
      evidence_items: evidence_items && toEvidenceItems(evidence_items),
      cause_confirmed: sql<boolean>`${hypothesis} is not null and ${cause_confirmed === undefined ? isSame : sql`${cause_confirmed}::boolean`}`,
    })
    .where(isOwnAiSession(id, openStates))
  return updateAiSession(db, id, update.returning('s.id'))
}

/**
 * Replace the task lane, unless its version is not the expected one. Return the version that is stored
 * afterwards.
 */
export async function updateTaskLane(db: WriteDb, id: string, { expected_version, ...lane }: TaskLanePut) {
  const update = db
    .updateTable('ai_sessions as s')
    .set({ pending_task_lane: jsonb(lane), task_lane_version: sql`s.task_lane_version + 1`, ...activity })
    .where(isOwnAiSession(id, openStates))
    .returning('s.task_lane_version as version')
  const checkedUpdate =
    expected_version === undefined ? update : update.where('s.task_lane_version', '=', expected_version)
  const { session, rows } = await lockAiSession(db, id, [checkedUpdate, selectTaskLaneVersion(db, id)])
  return { session, lane, isChanged: rows[0].length > 0, stored: rows[1][0] }
}

function selectTaskLaneVersion(db: ReadDb, id: string) {
  return db
    .selectFrom('ai_sessions')
    .select('task_lane_version as version')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
}

function selectVisibleBranches(db: ReadDb, id: string) {
  return db
    .selectFrom('ai_sessions as s')
    .innerJoin('ai_branches as b', (join) =>
      join.onRef('b.account_id', '=', 's.account_id').onRef('b.session_id', '=', 's.id'),
    )
    .select([
      'b.id',
      'b.session_id',
      'b.parent_branch_id',
      'b.name',
      sql<boolean>`b.id = s.active_branch_id`.as('is_active'),
    ])
    .select(['b.created_at', 'b.created_by'])
    .where('s.account_id', '=', accountId)
    .where('s.id', '=', id)
    .where(sql<boolean>`app.sees_ai_session(s)`)
}

export function selectBranches(db: ReadDb, id: string, page: PageQuery): Promise<Branch[]> {
  return selectVisibleBranches(db, id)
    .$call(selectPage(oldestFirst, page, 'b'))
    .execute()
}

interface BranchResult {
  session: AiSessionState | undefined
  isChanged: boolean
  branch: Branch | undefined
}
async function writeAndSelectBranch(db: WriteDb, write: Compilable, ids: BranchId): Promise<BranchResult> {
  const { session, rows } = await lockAiSession(db, ids.session_id, [
    write,
    selectVisibleBranches(db, ids.session_id).where('b.id', '=', ids.branch_id),
  ])
  return { session, isChanged: rows[0].length > 0, branch: rows[1][0] }
}

export const maxBranches = 100

interface NewBranch extends BranchId {
  name: string
  fromMessageId: string | undefined
}

export const insertAndActivateBranch = writeStatement(
  ChangedRow,
  ({ session_id, branch_id, name, fromMessageId }: NewBranch) => {
    const fork = fromMessageId
      ? sql`select m.position from app.branch_messages(s.id, s.active_branch_id) m where m.id = ${fromMessageId}`
      : sql`select coalesce(max(m.position), 0) as position from app.branch_messages(s.id, s.active_branch_id) m`
    return sql`
    with b as (
      insert into ai_branches (id, session_id, parent_branch_id, fork_position, name)
      select ${branch_id}::uuid, s.id, s.active_branch_id, f.position, ${name} from ai_sessions s, lateral (${fork}) f
       where ${isOwnAiSession(session_id, openStates)}
         and (select count(*) from ai_branches o where o.account_id = s.account_id and o.session_id = s.id) < ${maxBranches}
      returning id)
    update ai_sessions s set active_branch_id = b.id, is_branching = true, ${activityAssignments}
      from b where ${isOwnAiSession(session_id, openStates)} returning s.id`
  },
)

/**
 * Insert and activate a branch that starts after a message of the active branch or at its end. Insert nothing
 * for any other message.
 */
export function insertBranch(
  db: WriteDb,
  sessionId: string,
  name: string,
  fromMessageId: string | undefined,
): Promise<BranchResult> {
  const ids = { session_id: sessionId, branch_id: uuidv7() }
  return writeAndSelectBranch(db, insertAndActivateBranch.query({ ...ids, name, fromMessageId }), ids)
}

export function activateBranch(db: WriteDb, ids: BranchId): Promise<BranchResult> {
  const update = db
    .updateTable('ai_sessions as s')
    .from('ai_branches as b')
    .set((eb) => ({ active_branch_id: eb.ref('b.id'), ...activity }))
    .where(isOwnAiSession(ids.session_id, openStates))
    .whereRef('b.account_id', '=', 's.account_id')
    .whereRef('b.session_id', '=', 's.id')
    .where('b.id', '=', ids.branch_id)
  return writeAndSelectBranch(db, update.returning('s.id'), ids)
}

/** Select a message if the active branch contains it. */
export const selectActiveBranchMessage = readStatement(
  ChangedRow,
  (sessionId: string, messageId: string) => sql`
    select m.id from ai_sessions s, lateral app.branch_messages(s.id, s.active_branch_id) m
     where s.account_id = app.account_id() and s.id = ${sessionId} and m.id = ${messageId}`,
)

/** Select the facts of a session that the caller can see. */
export function selectFacts(
  db: ReadDb,
  id: string,
): Promise<{ state_version: number; facts: Fact[] } | undefined> {
  const facts = sql<Fact[]>`
    coalesce((select jsonb_agg(jsonb_build_object(${factItem}) order by x.created_at, x.id) from ai_facts x
               where x.account_id = s.account_id and x.session_id = s.id), '[]')`
  return db
    .selectFrom('ai_sessions as s')
    .select(['s.state_version', facts.as('facts')])
    .where('s.account_id', '=', accountId)
    .where('s.id', '=', id)
    .where(sql<boolean>`app.sees_ai_session(s)`)
    .executeTakeFirst()
}

export const insertOrUpdateFact = writeStatement(
  ChangedRow,
  (id: string, { key, value }: FactPut) => sql`
    with x as (
      insert into ai_facts (session_id, key, value, source)
      select s.id, ${key}, ${value}, 'user' from ai_sessions s
       where ${isOwnAiSession(id, openStates)} and (
         (select count(*) from ai_facts o where o.account_id = s.account_id and o.session_id = s.id) < ${maxFacts}
         or exists (select from ai_facts o where o.account_id = s.account_id and o.session_id = s.id and o.key = ${key}))
      on conflict (account_id, session_id, key) do update
        set value = excluded.value, source = 'user', created_by = app.user_id(), updated_at = app.now()
        where ai_facts.value is distinct from excluded.value or ai_facts.source <> 'user'
      returning id)
    update ai_sessions s set state_version = s.state_version + 1, ${activityAssignments} from x where ${isOwnAiSession(id, openStates)}
    returning s.id`,
)

/**
 * Insert or update a fact, unless the session is closed or already has the maximum number of facts. Return
 * the stored fact, if any.
 */
export async function upsertFact(db: WriteDb, id: string, fact: FactPut) {
  const select = db
    .selectFrom('ai_facts as x')
    .select(sql<Fact>`jsonb_build_object(${factItem})`.as('fact'))
    .where('x.account_id', '=', accountId)
    .where('x.session_id', '=', id)
    .where('x.key', '=', fact.key)
  const { session, rows } = await lockAiSession(db, id, [insertOrUpdateFact.query(id, fact), select])
  return { session, fact: rows[1][0]?.fact }
}
