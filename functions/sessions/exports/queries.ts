import { type InferResult, sql } from 'kysely'
import { callFunction } from '#db/call-function.ts'
import { accountId, userId } from '#db/expressions.ts'
import { readSession, selectSubflowSessions } from '#db/rows/sessions.ts'
import type { ReadDb } from '#db/scope.ts'
import type { CallFunction } from '#http/operation.ts'
import type { SupportingDataRow } from '#rules/exports/report.ts'
import type { SessionRow } from '#rules/flows/session-row.ts'

const companyName = sql<string>`coalesce(t.branding_company_name, a.name)`
/** The storage key of the logo, and its size in pixels. */
const logo = sql<{ key: string; width: number; height: number } | null>`
  case when l.id is not null then jsonb_build_object('key', l.object_key, 'width', l.width, 'height', l.height) end`

/**
 * Select the settings of an export. The branding is that of the session's team or, if it has none, of its
 * user's team.
 */
function selectExportSettings(db: ReadDb, sessionId: string) {
  return db
    .selectFrom('accounts as a')
    .innerJoin('users as me', (join) => join.onRef('me.account_id', '=', 'a.id').on('me.id', '=', userId))
    .leftJoin('sessions as s', (join) => join.onRef('s.account_id', '=', 'a.id').on('s.id', '=', sessionId))
    .leftJoin('users as u', (join) => join.onRef('u.account_id', '=', 'a.id').onRef('u.id', '=', 's.user_id'))
    .leftJoin('teams as t', (join) =>
      join.onRef('t.account_id', '=', 'a.id').on('t.id', '=', sql<string>`coalesce(s.team_id, u.team_id)`),
    )
    .leftJoin('uploads as l', (join) =>
      join.onRef('l.account_id', '=', 'a.id').onRef('l.id', '=', 't.branding_logo_upload_id'),
    )
    .select([
      'a.preferences',
      'me.timezone',
      companyName.as('company_name'),
      't.branding_primary_colour as primary_colour',
    ])
    .select(['t.branding_footer_text as footer_text', logo.as('logo')])
    .where('a.id', '=', accountId)
}
/** The preferences of the account, the caller's time zone and the branding of the export. */
export type ExportSettings = InferResult<ReturnType<typeof selectExportSettings>>[number]

/** The stored image of `uploads i`. */
const image = sql<SupportingDataRow['image']>`
  case when i.id is not null then jsonb_build_object('key', i.object_key, 'width', i.width, 'height', i.height, 'size', i.size) end`
/** Who added a row, by the column that names the user. */
const personOf = (column: string) =>
  [
    sql<string>`${sql.ref(column)}`.as('user_id'),
    sql<string | null>`
      (select n.full_name from users n where n.account_id = ${accountId} and n.id = ${sql.ref(column)})`.as(
      'user_name',
    ),
  ] as const
/** Condition: the column is the id of the session, or of one of its sub-flows. */
const isSessionOrSubflow = (column: string, sessionId: string) =>
  sql<boolean>`(${sql.ref(column)} = ${sessionId} or ${sql.ref(column)} in (select id from ${callFunction('app.list_subflow_sessions', { p_session: sessionId })}))`

function selectSupportingData(db: ReadDb, sessionId: string) {
  return db
    .selectFrom('session_supporting_data as d')
    .leftJoin('uploads as i', (join) =>
      join.onRef('i.account_id', '=', 'd.account_id').onRef('i.id', '=', 'd.upload_id'),
    )
    .select(['d.kind', 'd.title', 'd.content', 'd.step_id', 'd.session_id', image.as('image')])
    .select(personOf('d.created_by'))
    .where('d.account_id', '=', accountId)
    .where(isSessionOrSubflow('d.session_id', sessionId))
    .orderBy('d.created_at')
    .orderBy('d.id')
}

/** Select the evidence of the answers, in the shape of supporting data. */
function selectEvidence(db: ReadDb, sessionId: string) {
  const kind = sql<
    SupportingDataRow['kind']
  >`case when e.type = 'screenshot' then 'screenshot' else 'text' end`
  const content = sql<
    string | null
  >`case e.value when 'true' then 'Yes' when 'false' then 'No' else e.value #>> '{}' end`
  return db
    .selectFrom('session_evidence as e')
    .innerJoin('session_decisions as d', (join) =>
      join
        .onRef('d.account_id', '=', 'e.account_id')
        .onRef('d.session_id', '=', 'e.session_id')
        .onRef('d.seq', '=', 'e.seq'),
    )
    .leftJoin('uploads as i', (join) =>
      join.onRef('i.account_id', '=', 'e.account_id').onRef('i.id', '=', 'e.upload_id'),
    )
    .select([
      kind.as('kind'),
      'e.label as title',
      content.as('content'),
      'd.step_id',
      'e.session_id',
      image.as('image'),
    ])
    .where('e.account_id', '=', accountId)
    .where(isSessionOrSubflow('e.session_id', sessionId))
    .orderBy('e.seq')
    .orderBy('e.place')
}

/** Select the approvals that counted, in the shape of supporting data. */
function selectApprovals(db: ReadDb, sessionId: string) {
  const title = sql<string>`case a.kind when 'step' then 'Approval' else 'Approval of the script ' || a.title end`
  const content = sql<string>`concat('Approved by ', u.full_name, ': ' || a.decision_comment)`
  return db
    .selectFrom('approvals as a')
    .innerJoin('users as u', (join) =>
      join.onRef('u.account_id', '=', 'a.account_id').onRef('u.id', '=', 'a.decided_by'),
    )
    .select([
      sql<'text'>`'text'`.as('kind'),
      title.as('title'),
      content.as('content'),
      'a.step_id',
      sql<string>`a.session_id`.as('session_id'),
    ])
    .select(sql<null>`null`.as('image'))
    .where('a.account_id', '=', accountId)
    .where(isSessionOrSubflow('a.session_id', sessionId))
    .where((eb) =>
      eb.or([
        eb('a.state', '=', 'used'),
        eb.and([eb('a.kind', '=', 'script'), eb('a.state', '<>', 'rejected')]),
      ]),
    )
    .orderBy('a.decided_at')
    .orderBy('a.id')
}

/** Select the script runs, in the shape of supporting data. */
function selectScriptRuns(db: ReadDb, sessionId: string) {
  const title = sql<string>`concat('Script ', r.title, ' on ', r.target, ': ', coalesce('exit code ' || r.exit_code, 'exit code unknown'))`
  return db
    .selectFrom('script_runs as r')
    .select([
      sql<'text'>`'text'`.as('kind'),
      title.as('title'),
      'r.output as content',
      'r.step_id',
      sql<string>`r.session_id`.as('session_id'),
    ])
    .select([sql<true>`true`.as('is_output'), sql<null>`null`.as('image'), ...personOf('r.run_by')])
    .where('r.account_id', '=', accountId)
    .where(isSessionOrSubflow('r.session_id', sessionId))
    .orderBy('r.created_at')
    .orderBy('r.id')
}

/** Select the scripts of the account that the flows of the session and its sub-flows refer to. */
function selectScripts(db: ReadDb, sessionId: string) {
  const referredIds = sql<string>`(
    select jsonb_path_query(v.tree_structure, 'strict $.**.script_template_id') #>> '{}'
      from sessions s join tree_versions v on v.account_id = s.tree_account_id and v.tree_id = s.tree_id and v.version = s.tree_version
     where s.account_id = app.account_id() and ${isSessionOrSubflow('s.id', sessionId)})`
  return db
    .selectFrom('script_templates')
    .select(['id', 'name'])
    .where('account_id', '=', accountId)
    .where(sql<boolean>`id::text in ${referredIds}`)
}

/** Select a session with all data of its export, in one round trip. */
export async function selectExport(
  db: ReadDb,
  id: string,
): Promise<{
  session: SessionRow | undefined
  subflows: SessionRow[]
  supporting: SupportingDataRow[]
  settings: ExportSettings
  scriptNames: Map<string, string>
}> {
  const reading = readSession(id)
  const [rows, subflows, evidence, approvals, scriptRuns, supportingData, settings, scripts] = await db.batch(
    [
      reading.query,
      selectSubflowSessions.query(id),
      selectEvidence(db, id),
      selectApprovals(db, id),
      selectScriptRuns(db, id),
      selectSupportingData(db, id),
      selectExportSettings(db, id),
      selectScripts(db, id),
    ],
  )
  // An answer's evidence and approval come before what was added besides.
  const supporting = [...evidence, ...approvals, ...scriptRuns, ...supportingData]
  const scriptNames = new Map(scripts.map((script) => [script.id, script.name]))
  return {
    session: reading.toSession(rows),
    subflows,
    supporting,
    settings: settings[0] as ExportSettings,
    scriptNames,
  }
}

/** Set `exported_at` of a completed session unless it is already set. */
export function markExported(callFunction: CallFunction, id: string) {
  return callFunction<{ marked: boolean }>('app.mark_exported', { p_session: id })
}
