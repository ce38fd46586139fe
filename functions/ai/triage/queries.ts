import { type RawBuilder, sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import { type Fact, openStates, type TaskLane } from '../../../lib/db/rows/ai-session.ts'
import { type AiSessionState, lockAiSession } from '../../../lib/db/rows/ai-session-lock.ts'
import { factItem, isOwnAiSession, updateAiSession } from '../../../lib/db/rows/ai-session-queries.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { uuidv7 } from '../../../lib/db/uuid.ts'
import type { Branch, BranchId, FactPut, TriagePatch } from './schemas.ts'

const activityAssignments = sql`last_activity_at = app.now(), updated_at = app.now()`

/** Convert texts to evidence items. A text that the session already has keeps its item with id, source and time. */
function toEvidenceItems(texts: readonly string[]): RawBuilder<unknown> {
  const items = [...new Set(texts)].map((text) => ({ id: uuidv7(), text, source: 'user' }))
  return sql`(
    select coalesce(jsonb_agg(coalesce(k.item, n.item || jsonb_build_object('created_at', app.iso(app.now()))) order by n.place), '[]')
      from jsonb_array_elements(${JSON.stringify(items)}::jsonb) with ordinality n (item, place)
      left join (select distinct on (e.item ->> 'text') e.item from jsonb_array_elements(s.evidence_items) e (item)) k
        on k.item ->> 'text' = n.item ->> 'text')`
}

export function updateTriage(db: WriteDb, id: string, { evidence_items, ...fields }: TriagePatch) {
  const assignments = Object.entries(fields).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  if (evidence_items) assignments.push(sql`evidence_items = ${toEvidenceItems(evidence_items)}`)
  const write = sql`update ai_sessions s set ${sql.join([...assignments, activityAssignments])} where ${isOwnAiSession(id, openStates)} returning s.id`
  return updateAiSession(db, id, write)
}

export async function updateTaskLane(db: WriteDb, id: string, lane: TaskLane) {
  const write = sql`
    update ai_sessions s set pending_task_lane = ${JSON.stringify(lane)}::jsonb, ${activityAssignments} where ${isOwnAiSession(id, openStates)} returning s.id`
  const { session, rows } = await lockAiSession(db, id, [write])
  return { session, isChanged: rows[0].length > 0 }
}

const branchColumns = sql`
  b.id, b.session_id, b.parent_branch_id, b.name, b.id = s.active_branch_id as is_active, b.created_at, b.created_by`
const visibleBranches = (id: string) => sql`
  ai_sessions s join ai_branches b on b.account_id = s.account_id and b.session_id = s.id
 where s.account_id = app.account_id() and s.id = ${id} and app.sees_ai_session(s)`

export async function selectBranches(db: ReadDb, id: string, { skip, limit }: PageQuery): Promise<Branch[]> {
  const { rows } = await sql<Branch>`
    select ${branchColumns} from ${visibleBranches(id)} order by b.created_at, b.id offset ${skip} limit ${limit + 1}`.execute(
    db as WriteDb,
  )
  return rows
}

interface BranchResult {
  session: AiSessionState | undefined
  isChanged: boolean
  branch: Branch | undefined
}
async function writeAndSelectBranch(db: WriteDb, write: RawBuilder<unknown>, { session_id, branch_id }: BranchId): Promise<BranchResult> {
  const read = sql<Branch>`select ${branchColumns} from ${visibleBranches(session_id)} and b.id = ${branch_id}`
  const { session, rows } = await lockAiSession(db, session_id, [write, read])
  return { session, isChanged: rows[0].length > 0, branch: rows[1][0] }
}

export const maxBranches = 100

/** Insert and activate a branch that starts after a message of the active branch or at its end. Insert nothing for any other message. */
export function insertBranch(db: WriteDb, sessionId: string, name: string, fromMessageId: string | undefined): Promise<BranchResult> {
  const id = uuidv7()
  const fork = fromMessageId
    ? sql`select m.position from app.branch_messages(s.id, s.active_branch_id) m where m.id = ${fromMessageId}`
    : sql`select coalesce(max(m.position), 0) as position from app.branch_messages(s.id, s.active_branch_id) m`
  const write = sql`
    with b as (
      insert into ai_branches (id, session_id, parent_branch_id, fork_position, name)
      select ${id}::uuid, s.id, s.active_branch_id, f.position, ${name} from ai_sessions s, lateral (${fork}) f
       where ${isOwnAiSession(sessionId, openStates)}
         and (select count(*) from ai_branches o where o.account_id = s.account_id and o.session_id = s.id) < ${maxBranches}
      returning id)
    update ai_sessions s set active_branch_id = b.id, is_branching = true, ${activityAssignments} from b where ${isOwnAiSession(sessionId, openStates)} returning s.id`
  return writeAndSelectBranch(db, write, { session_id: sessionId, branch_id: id })
}

export function activateBranch(db: WriteDb, ids: BranchId): Promise<BranchResult> {
  const write = sql`
    update ai_sessions s set active_branch_id = b.id, ${activityAssignments} from ai_branches b
     where ${isOwnAiSession(ids.session_id, openStates)} and b.account_id = s.account_id and b.session_id = s.id and b.id = ${ids.branch_id} returning s.id`
  return writeAndSelectBranch(db, write, ids)
}

/** Return whether the active branch contains a message. */
export async function isOnActiveBranch(db: ReadDb, sessionId: string, messageId: string): Promise<boolean> {
  const { rows } = await sql`
    select from ai_sessions s, lateral app.branch_messages(s.id, s.active_branch_id) m
     where s.account_id = app.account_id() and s.id = ${sessionId} and m.id = ${messageId}`.execute(db as WriteDb)
  return rows.length > 0
}

export async function selectFacts(db: ReadDb, id: string): Promise<{ state_version: number; facts: Fact[] } | undefined> {
  const { rows } = await sql<{ state_version: number; facts: Fact[] }>`
    select s.state_version, coalesce((select jsonb_agg(jsonb_build_object(${factItem}) order by x.created_at, x.id) from ai_facts x
             where x.account_id = s.account_id and x.session_id = s.id), '[]') as facts
      from ai_sessions s where s.account_id = app.account_id() and s.id = ${id} and app.sees_ai_session(s)`.execute(db as WriteDb)
  return rows[0]
}

export const maxFacts = 200

/** Insert or update a fact, unless the session is closed or already has the maximum number of facts. Return the stored fact, if any. */
export async function upsertFact(db: WriteDb, id: string, { key, value }: FactPut) {
  const write = sql`
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
    update ai_sessions s set state_version = s.state_version + 1, ${activityAssignments} from x where ${isOwnAiSession(id, openStates)} returning s.id`
  const read = sql<{ fact: Fact }>`
    select jsonb_build_object(${factItem}) as fact from ai_facts x where x.account_id = app.account_id() and x.session_id = ${id} and x.key = ${key}`
  const { session, rows } = await lockAiSession(db, id, [write, read])
  return { session, fact: rows[1][0]?.fact }
}
