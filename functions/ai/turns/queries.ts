import { type RawBuilder, sql } from 'kysely'
import type { Findings } from '../../../lib/ai/prompts/diagnosis.ts'
import type { PageQuery } from '../../../lib/db/page.ts'
import { type AiMessage, type Evidence, type Fix, type GuidedStep, type TaskLane, workingStates } from '../../../lib/db/rows/ai-session.ts'
import { fixItem, isOwnAiSession, messageItem } from '../../../lib/db/rows/ai-session-queries.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import { uuidv7 } from '../../../lib/db/uuid.ts'

export interface UploadKey {
  id: string
  object_key: string
}

export async function selectUploads(db: Pick<WriteDb, 'getExecutor'>, ids: readonly string[]): Promise<UploadKey[]> {
  const { rows } = await sql<UploadKey>`
    select id, object_key from uploads where account_id = app.account_id() and id in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)::uuid)`.execute(
    db as WriteDb,
  )
  return rows
}

/** Insert the user's message on the active branch. Return the branch id, or undefined if the caller no longer owns an active session. */
export async function insertUserMessage(db: WriteDb, sessionId: string, content: string, uploadIds: readonly string[]) {
  const id = uuidv7()
  const { rows } = await sql<{ branch_id: string }>`
    with s as (
      update ai_sessions s set last_activity_at = app.now(), updated_at = app.now() where ${isOwnAiSession(sessionId, workingStates)} returning s.id, s.active_branch_id
    ), inserted_message as (
      insert into ai_messages (id, session_id, branch_id, role, content, author_id)
      select ${id}::uuid, s.id, s.active_branch_id, 'user', ${content}, app.user_id() from s
    ), inserted_images as (
      insert into ai_message_uploads (session_id, message_id, place, upload_id)
      select s.id, ${id}::uuid, u.place - 1, u.id::uuid
        from s, jsonb_array_elements_text(${JSON.stringify(uploadIds)}::jsonb) with ordinality u (id, place)
    ) select active_branch_id as branch_id from s`.execute(db)
  return rows[0]?.branch_id
}

/** The changes that a turn of the model makes besides its message. */
export interface TurnChanges {
  findings: Findings
  questions: readonly string[]
  actions: readonly string[]
  fix: NewFix | null
  outcome: { outcome: string; reason: string } | null
}
export interface NewFix {
  id: string
  title: string
  description: string
  kind: Fix['kind']
  script_template_id: string | null
  ai_drafted_script: string | null
  ai_drafted_language: string | null
}
/** The changes as stored; null where nothing changed. */
export interface AppliedChanges {
  triage_update: Partial<
    Record<'client_name' | 'asset_name' | 'issue_category' | 'triage_hypothesis', string> & { evidence_items: Evidence[] }
  > | null
  task_lane_update: TaskLane | null
  suggested_fix: Fix | null
  outcome_proposal: { outcome: string; reason: string; created_at: string; fix_id: string } | null
}

/** Insert a message or step together with its changes, in one transaction. The changes apply only while the session is active. */
async function storeTurn<T>(db: WriteDb, sessionId: string, insert: RawBuilder<T>, changes: TurnChanges) {
  const { findings, questions, actions, fix, outcome } = changes
  const { client_name, asset_name, issue_category, triage_hypothesis, evidence, facts } = findings
  const items = evidence.map((text) => ({ id: uuidv7(), text, source: 'ai', created_at: new Date().toISOString() }))
  const fillTriage = sql<{ update: AppliedChanges['triage_update'] }>`
    select app.fill_triage(${sessionId}, ${client_name}, ${asset_name}, ${issue_category}, ${triage_hypothesis}, ${JSON.stringify(items)}::jsonb) as update`
  const [inserted, triage, lanes, fixes, proposals] = await db.batch([
    statement(db, insert),
    statement(db, fillTriage),
    statement(db, addLaneItems(sessionId, questions, actions)),
    statement(db, addFix(sessionId, fix)),
    statement(db, proposeOutcome(sessionId, outcome)),
    statement(db, addFacts(sessionId, facts)),
  ])
  const applied: AppliedChanges = {
    triage_update: triage[0]?.update ?? null,
    task_lane_update: lanes[0]?.pending_task_lane ?? null,
    suggested_fix: fixes[0]?.fix ?? null,
    outcome_proposal: proposals[0]?.proposal ?? null,
  }
  return { row: inserted[0], applied }
}

export function storeReply(db: WriteDb, sessionId: string, branchId: string, content: string, changes: TurnChanges) {
  const insert = sql<AiMessage>`
    insert into ai_messages (session_id, branch_id, role, content) values (${sessionId}, ${branchId}, 'assistant', ${content})
    returning id, role, content, app.iso(created_at) as created_at`
  return storeTurn(db, sessionId, insert, changes)
}

export interface NewStep {
  kind: GuidedStep['kind']
  text: string
  options: readonly string[]
  rationale: string
}
/** Insert the step that follows the session's `stepCount` existing steps. A unique index rejects the second of two concurrent inserts. */
export function storeStep(db: WriteDb, sessionId: string, stepCount: number, step: NewStep, changes: TurnChanges) {
  const insert = sql<GuidedStep>`
    insert into ai_steps (session_id, seq, kind, text, options, rationale)
    values (${sessionId}, ${stepCount + 1}, ${step.kind}, ${step.text}, ${JSON.stringify(step.options)}::jsonb, ${step.rationale})
    returning id as step_id, kind, text, options, rationale, response, app.iso(created_at) as created_at`
  return storeTurn(db, sessionId, insert, changes)
}

/** Store the response to an open step. Return false when the step has a response or the session is not active. */
export async function answerStep(db: WriteDb, sessionId: string, stepId: string, response: string): Promise<boolean> {
  const { rows } = await sql`
    with s as (
      update ai_sessions s set last_activity_at = app.now(), updated_at = app.now()
       where ${isOwnAiSession(sessionId, workingStates)}
         and exists (select from ai_steps x where x.account_id = s.account_id and x.session_id = s.id and x.id = ${stepId} and x.response is null)
      returning s.id)
    update ai_steps x set response = ${response} from s
     where x.account_id = app.account_id() and x.session_id = s.id and x.id = ${stepId} and x.response is null returning x.id`.execute(db)
  return rows.length > 0
}

const toLaneItem = (text: string) => ({ id: uuidv7(), text })

function addLaneItems(sessionId: string, questions: readonly string[], actions: readonly string[]) {
  const mergedItems = (key: string, texts: readonly string[]) => sql`jsonb_build_object(${key}::text, (
    select coalesce(jsonb_agg(e.item order by e.place), '[]') from (
      select k.item, k.place from jsonb_array_elements(s.pending_task_lane -> ${key}::text) with ordinality k (item, place)
      union all
      select n.item, 1000 + n.place from jsonb_array_elements(${JSON.stringify(texts.map(toLaneItem))}::jsonb) with ordinality n (item, place)
       where not exists (select from jsonb_array_elements(s.pending_task_lane -> ${key}::text) k (item) where k.item ->> 'text' = n.item ->> 'text')
       order by place limit 50) e))`
  return sql<{ pending_task_lane: TaskLane }>`
    update ai_sessions s set pending_task_lane = s.pending_task_lane || ${mergedItems('questions', questions)} || ${mergedItems('actions', actions)}
     where ${isOwnAiSession(sessionId, workingStates)} and ${questions.length + actions.length > 0}
       and octet_length(s.pending_task_lane::text) < 250000
    returning s.pending_task_lane`
}

/** Insert a fix unless an open fix of the session has the same title. */
function addFix(sessionId: string, fix: NewFix | null) {
  return sql<{ fix: Fix }>`
    with s as (
      update ai_sessions s set state_version = s.state_version + 1
       where ${isOwnAiSession(sessionId, workingStates)} and ${fix !== null}
         and not exists (select from ai_fixes f where f.account_id = s.account_id and f.session_id = s.id and lower(f.title) = lower(${fix?.title ?? ''})
                            and f.status in ('proposed', 'applied_partial', 'applied_pending'))
      returning s.id
    ), x as (
      insert into ai_fixes (id, session_id, title, description, kind, script_account_id, script_template_id, ai_drafted_script, ai_drafted_language)
      select ${fix?.id ?? null}::uuid, s.id, ${fix?.title ?? null}, ${fix?.description ?? null}, ${fix?.kind ?? null}, t.account_id, t.id,
             ${fix?.ai_drafted_script ?? null}, ${fix?.ai_drafted_language ?? null}
        from s left join script_templates t on t.id = ${fix?.script_template_id ?? null}
      returning *
    ) select jsonb_build_object(${fixItem}) as fix from x`
}

/** Set the proposed outcome of the session's newest open fix. Leave the status of the fix unchanged. */
function proposeOutcome(sessionId: string, outcome: TurnChanges['outcome']) {
  const proposal = outcome && { ...outcome, created_at: new Date().toISOString() }
  return sql<{ proposal: AppliedChanges['outcome_proposal'] }>`
    update ai_fixes f set ai_outcome_proposal = ${JSON.stringify(proposal)}::jsonb, updated_at = app.now()
     where ${proposal !== null} and f.account_id = app.account_id() and f.session_id = ${sessionId}
       and f.status in ('proposed', 'applied_partial', 'applied_pending') and f.id = (
       select x.id from ai_fixes x join ai_sessions s on s.account_id = x.account_id and s.id = x.session_id
        where ${isOwnAiSession(sessionId, workingStates)} and x.session_id = s.id and x.status in ('proposed', 'applied_partial', 'applied_pending')
        order by x.created_at desc, x.id desc limit 1)
    returning f.ai_outcome_proposal || jsonb_build_object('fix_id', f.id) as proposal`
}

/** Insert facts whose keys the session does not have yet. */
function addFacts(sessionId: string, facts: readonly { key: string; value: string }[]) {
  return sql`
    with inserted_facts as (
      insert into ai_facts (session_id, key, value, source)
      select s.id, f.key, f.value, 'ai' from ai_sessions s, jsonb_to_recordset(${JSON.stringify(facts)}::jsonb) f (key text, value text)
       where ${isOwnAiSession(sessionId, workingStates)}
         and (select count(*) from ai_facts k where k.account_id = s.account_id and k.session_id = s.id) < 200
      on conflict (account_id, session_id, key) do nothing returning id)
    update ai_sessions s set state_version = s.state_version + (select count(*) from inserted_facts)::integer
     where ${isOwnAiSession(sessionId, workingStates)} and exists (select from inserted_facts)`
}

export async function selectMessages(db: ReadDb, sessionId: string, branchId: string, { skip, limit }: PageQuery): Promise<AiMessage[]> {
  const { rows } = await sql<{ message: AiMessage }>`
    select jsonb_build_object(${messageItem}) as message from app.branch_messages(${sessionId}, ${branchId}) x
     order by x.position offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows.map(({ message }) => message)
}

export async function hasBranch(db: ReadDb, sessionId: string, branchId: string): Promise<boolean> {
  const { rows } = await sql`
    select from ai_branches where account_id = app.account_id() and session_id = ${sessionId} and id = ${branchId}`.execute(db as WriteDb)
  return rows.length > 0
}
