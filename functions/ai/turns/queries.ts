import { type Compilable, sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { accountId, jsonb, nowText } from '#db/expressions.ts'
import { type Order, type Page, type PageQuery, pageEnd, readCursor, toPage } from '#db/page.ts'
import {
  type AiMessage,
  type Citation,
  type Evidence,
  type Fix,
  type GuidedStep,
  type Lookup,
  maxFacts,
  maxGrowingLaneBytes,
  maxLaneItems,
  type TaskLane,
  workingStates,
} from '#db/rows/ai-session.ts'
import { fixItem, flowOffer, isOwnAiSession, messageItem } from '#db/rows/ai-session-queries.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { uuidv7 } from '#db/uuid.ts'
import { createDefaultTitle, toTitleOfMessage } from '#rules/ai/session-title.ts'
import type { AnswerFailure } from '#rules/ai/session-values.ts'
import type { Findings } from '#vendors/ai/prompts/diagnosis.ts'

export const UploadKey = z.object({
  id: z.string(),
  object_key: z.string(),
})
export type UploadKey = z.output<typeof UploadKey>

export const selectUploads = readStatement(
  UploadKey,
  (ids: readonly string[]) => sql`
    select id, object_key from uploads where account_id = app.account_id() and id in (select jsonb_array_elements_text(${jsonb(ids)})::uuid)`,
)

export interface NewMessage {
  id: string
  content: string
  uploadIds: readonly string[]
}

/**
 * The title of `ai_sessions s` after a message: the message itself, if the session was created without a
 * problem.
 */
const titleAfter = (sessionType: 'chat' | 'guided', message: string) => sql`
  case when s.title = ${createDefaultTitle(sessionType)} then coalesce(nullif(${toTitleOfMessage(message)}, ''), s.title) else s.title end`

/**
 * Insert the user's message on the active branch. Return no row if the caller no longer owns an active
 * session.
 */
export const insertUserMessage = writeStatement(
  z.object({ branch_id: z.string() }),
  (sessionId: string, { id, content, uploadIds }: NewMessage) => sql`
    with s as (
      update ai_sessions s set last_activity_at = app.now(), updated_at = app.now(), title = ${titleAfter('chat', content)}
       where ${isOwnAiSession(sessionId, workingStates)} returning s.id, s.active_branch_id
    ), inserted_message as (
      insert into ai_messages (id, session_id, branch_id, role, content, author_id)
      select ${id}::uuid, s.id, s.active_branch_id, 'user', ${content}, app.user_id() from s
    ), inserted_images as (
      insert into ai_message_uploads (session_id, message_id, place, upload_id)
      select s.id, ${id}::uuid, u.place - 1, u.id::uuid
        from s, jsonb_array_elements_text(${jsonb(uploadIds)}) with ordinality u (id, place)
    ) select active_branch_id as branch_id from s`,
)

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
    Record<'client_name' | 'asset_name' | 'issue_category' | 'triage_hypothesis', string> & {
      evidence_items: Evidence[]
    }
  > | null
  task_lane_update: TaskLane | null
  suggested_fix: Fix | null
  outcome_proposal: { outcome: string; reason: string; created_at: string; fix_id: string } | null
}

export const fillTriage = writeStatement(
  z.object({ update: z.custom<AppliedChanges['triage_update']>() }),
  (sessionId: string, { client_name, asset_name, issue_category, triage_hypothesis, evidence }: Findings) => {
    const items = evidence.map((text) => ({ id: uuidv7(), text, source: 'ai' }))
    return sql`
      select ${callFunction('app.fill_triage', {
        p_session: sessionId,
        p_client: client_name,
        p_asset: asset_name,
        p_category: issue_category,
        p_hypothesis: triage_hypothesis,
        p_evidence: JSON.stringify(items),
      })} as update`
  },
)

/**
 * Insert a message or step together with its changes, in one transaction. The changes apply only while the
 * session is active.
 */
async function storeTurn<T>(db: WriteDb, sessionId: string, insert: Compilable<T>, changes: TurnChanges) {
  const { findings, questions, actions, fix, outcome } = changes
  const [inserted, triage, lanes, fixes, proposals] = await db.batch([
    insert,
    fillTriage.query(sessionId, findings),
    addLaneItems.query(sessionId, questions, actions),
    insertFix.query(sessionId, fix),
    proposeOutcome.query(sessionId, outcome),
    insertFacts.query(sessionId, findings.facts),
  ])
  const applied: AppliedChanges = {
    triage_update: triage[0]?.update ?? null,
    task_lane_update: lanes[0]?.pending_task_lane ?? null,
    suggested_fix: fixes[0]?.fix ?? null,
    outcome_proposal: proposals[0]?.proposal ?? null,
  }
  // An insert returns its row, or it fails.
  return { row: inserted[0] as T, applied }
}

const isoCreatedAt = sql<string>`app.iso(created_at)`.as('created_at')

export interface NewReply {
  id: string
  content: string
  citations: Citation[]
  sources: Citation[]
  lookups: Lookup[]
  failure: AnswerFailure | null
}
export function storeReply(
  db: WriteDb,
  sessionId: string,
  branchId: string,
  { citations, sources, lookups, ...reply }: NewReply,
  changes: TurnChanges,
) {
  const insert = db
    .insertInto('ai_messages')
    .values({
      session_id: sessionId,
      branch_id: branchId,
      role: 'assistant',
      citations: jsonb(citations),
      sources: jsonb(sources),
      lookups: jsonb(lookups),
      ...reply,
    })
    .returning([
      'id',
      'role',
      'content',
      'citations',
      'sources',
      flowOffer.as('flow_offer'),
      'lookups',
      'failure',
      isoCreatedAt,
    ])
  return storeTurn(db, sessionId, insert, changes)
}

export interface NewStep {
  kind: GuidedStep['kind']
  text: string
  options: string[]
  rationale: string | null
  citations: Citation[]
  sources: Citation[]
  lookups: Lookup[]
  failure: AnswerFailure | null
}
/**
 * Insert the step that follows the existing ones. A unique index rejects the second of two concurrent
 * inserts.
 */
export function storeStep(
  db: WriteDb,
  sessionId: string,
  { options, citations, sources, lookups, ...step }: NewStep & { id: string; seq: number },
  changes: TurnChanges,
) {
  const insert = db
    .insertInto('ai_steps')
    .values({
      session_id: sessionId,
      options: jsonb(options),
      citations: jsonb(citations),
      sources: jsonb(sources),
      lookups: jsonb(lookups),
      ...step,
    })
    .returning([
      'id as step_id',
      'kind',
      'text',
      'options',
      'rationale',
      'citations',
      'sources',
      flowOffer.as('flow_offer'),
      'lookups',
      'failure',
      'response',
      isoCreatedAt,
    ])
  return storeTurn(db, sessionId, insert, changes)
}

/** Select the step whose response this work has stored. */
export function selectAnsweredStep(db: ReadDb, workId: string): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('ai_steps')
    .select('id')
    .where('account_id', '=', accountId)
    .where('answer_work_id', '=', workId)
    .executeTakeFirst()
}

/**
 * Store the response to an open step. Return false when the step has a response or the session is not active.
 */
export const answerStep = writeStatement(
  z.object({ id: z.string() }),
  (sessionId: string, stepId: string, { response, workId }: { response: string; workId: string }) => sql`
    with s as (
      update ai_sessions s set last_activity_at = app.now(), updated_at = app.now(), title = ${titleAfter('guided', response)}
       where ${isOwnAiSession(sessionId, workingStates)}
         and exists (select from ai_steps x where x.account_id = s.account_id and x.session_id = s.id and x.id = ${stepId} and x.response is null)
      returning s.id)
    update ai_steps x set response = ${response}, answer_work_id = ${workId} from s
     where x.account_id = app.account_id() and x.session_id = s.id and x.id = ${stepId} and x.response is null returning x.id`,
)

/**
 * Return a list of the task lane of `ai_sessions s` with an item for each text that it does not have yet, as
 * long as it has room.
 */
const withLaneItems = (list: 'questions' | 'actions', texts: readonly string[]) => {
  const storedList = sql`coalesce(s.pending_task_lane -> ${sql.lit(list)}, '[]')`
  const items = jsonb(texts.map((text) => ({ id: uuidv7(), text })))
  return sql`jsonb_path_query_array(${storedList} || (
      select coalesce(jsonb_agg(n.item order by n.place), '[]') from jsonb_array_elements(${items}) with ordinality n (item, place)
       where not exists (select from jsonb_array_elements(${storedList}) k (item) where k.item ->> 'text' = n.item ->> 'text')),
    '$[0 to ${sql.raw(String(maxLaneItems - 1))}]')`
}

/** Add what the model asks and proposes to the task lane, unless the lane is nearly full. */
export const addLaneItems = writeStatement(
  z.object({ pending_task_lane: z.custom<TaskLane>() }),
  (sessionId: string, questions: readonly string[], actions: readonly string[]) => sql`
    update ai_sessions s
       set task_lane_version = s.task_lane_version + 1,
           pending_task_lane = s.pending_task_lane || jsonb_build_object(
             'questions', ${withLaneItems('questions', questions)}, 'actions', ${withLaneItems('actions', actions)})
     where ${isOwnAiSession(sessionId, workingStates)} and ${questions.length + actions.length > 0}
       and octet_length(s.pending_task_lane::text) < ${maxGrowingLaneBytes}
    returning s.pending_task_lane`,
)

/** Insert a fix unless an open fix of the session has the same title. */
export const insertFix = writeStatement(
  z.object({ fix: z.custom<Fix>() }),
  (sessionId: string, fix: NewFix | null) => sql`
    with s as (
      update ai_sessions s set state_version = s.state_version + 1
       where ${isOwnAiSession(sessionId, workingStates)} and ${fix !== null}
         and not exists (select from ai_fixes f where f.account_id = s.account_id and f.session_id = s.id and app.name_key(f.title) = app.name_key(${fix?.title ?? ''})
                            and f.status in ('proposed', 'applied_partial', 'applied_pending'))
      returning s.id
    ), x as (
      insert into ai_fixes (id, session_id, title, description, kind, script_account_id, script_template_id, ai_drafted_script, ai_drafted_language)
      select ${fix?.id ?? null}::uuid, s.id, ${fix?.title ?? null}, ${fix?.description ?? null}, ${fix?.kind ?? null}, t.account_id, t.id,
             ${fix?.ai_drafted_script ?? null}, ${fix?.ai_drafted_language ?? null}
        from s left join script_templates t on t.id = ${fix?.script_template_id ?? null}
      returning *
    ) select jsonb_build_object(${fixItem}) as fix from x`,
)

/** Set the proposed outcome of the session's newest open fix. Leave the status of the fix unchanged. */
export const proposeOutcome = writeStatement(
  z.object({ proposal: z.custom<AppliedChanges['outcome_proposal']>() }),
  (sessionId: string, outcome: TurnChanges['outcome']) => {
    return sql`
    update ai_fixes f set ai_outcome_proposal = ${jsonb(outcome)} || jsonb_build_object('created_at', ${nowText}), updated_at = app.now()
     where ${outcome !== null} and f.account_id = app.account_id() and f.session_id = ${sessionId}
       and f.status in ('proposed', 'applied_partial', 'applied_pending') and f.id = (
       select x.id from ai_fixes x join ai_sessions s on s.account_id = x.account_id and s.id = x.session_id
        where ${isOwnAiSession(sessionId, workingStates)} and x.session_id = s.id and x.status in ('proposed', 'applied_partial', 'applied_pending')
        order by x.created_at desc, x.id desc limit 1)
    returning f.ai_outcome_proposal || jsonb_build_object('fix_id', f.id) as proposal`
  },
)

/** Insert facts whose keys the session does not have yet. */
export const insertFacts = writeStatement(
  null,
  (sessionId: string, facts: readonly { key: string; value: string }[]) => sql`
    with inserted_facts as (
      insert into ai_facts (session_id, key, value, source)
      select s.id, f.key, f.value, 'ai' from ai_sessions s, jsonb_to_recordset(${jsonb(facts)}) f (key text, value text)
       where ${isOwnAiSession(sessionId, workingStates)}
         and not exists (select from ai_facts k where k.account_id = s.account_id and k.session_id = s.id and k.key = f.key)
       limit greatest(0, ${maxFacts} - (select count(*) from ai_facts k where k.account_id = app.account_id() and k.session_id = ${sessionId}))
      on conflict (account_id, session_id, key) do nothing returning id)
    update ai_sessions s set state_version = s.state_version + (select count(*) from inserted_facts)::integer
     where ${isOwnAiSession(sessionId, workingStates)} and exists (select from inserted_facts)`,
)

const messageOrder: Order<'position'> = [{ field: 'position', kind: 'integer' }]

export const selectMessageItems = readStatement(
  z.object({ message: z.custom<AiMessage>(), position: z.number() }),
  (sessionId: string, branchId: string, page: PageQuery) => {
    const [position = 0] = page.after === undefined ? [] : readCursor(messageOrder, page.after)
    const bounds = { p_after: Number(position), p_count: page.skip + page.limit + 1 }
    return sql`
      select jsonb_build_object(${messageItem}) as message, x.position::float8 as position
        from ${callFunction('app.branch_messages', { p_session: sessionId, p_branch: branchId, ...bounds })} x
       where true ${pageEnd(messageOrder, page, 'x')}`
  },
)

export async function selectMessages(
  db: ReadDb,
  sessionId: string,
  branchId: string,
  page: PageQuery,
): Promise<Page<AiMessage>> {
  const { items, next } = toPage(
    await selectMessageItems.all(db, sessionId, branchId, page),
    page,
    messageOrder,
  )
  return { items: items.map(({ message }) => message), next }
}

export function selectBranch(db: ReadDb, sessionId: string, branchId: string) {
  return db
    .selectFrom('ai_branches')
    .select('id')
    .where('account_id', '=', accountId)
    .where('session_id', '=', sessionId)
    .where('id', '=', branchId)
    .executeTakeFirst()
}
