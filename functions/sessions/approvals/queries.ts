import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { accountId, jsonb, userId } from '#db/expressions.ts'
import { type Order, type PageQuery, pageEnd } from '#db/page.ts'
import { isOwnAiSession } from '#db/rows/ai-session-queries.ts'
import { mayChange, type SessionPosition } from '#db/rows/sessions.ts'
import type { WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { openStates } from '#rules/ai/session-values.ts'
import type { ApproverRole } from '#rules/flows/approval-requirement.ts'
import type { ScriptMachine } from '#rules/scripts/approval-subject.ts'
import type { RiskReason } from '#rules/scripts/schema.ts'
import type { LabelledText } from '#rules/text/labelled-text.ts'
import { Approval, ApprovalListItem } from './schemas.ts'

/** An approval with the columns that its events need. */
export const ApprovalRow = z.object({
  ...Approval.shape,
  team_id: z.string().nullable(),
  runner_id: z.string(),
  digest: z.string(),
  /** Whether the caller decided it, also through an API key. */
  is_own_decision: z.boolean(),
})
const ListRow = z.object(ApprovalListItem.shape)
export type ApprovalRow = z.output<typeof ApprovalRow>

const nameOf = (userId: RawBuilder<unknown>) =>
  sql`(select n.full_name from users n where n.account_id = a.account_id and n.id = ${userId})`
/** The id of the case of `approvals a`, and what it is. */
const caseId = sql`coalesce(a.session_id, a.ai_session_id)`
const caseKind = sql`case when a.session_id is null then 'ai_session' else 'session' end`
const isOfCase = (id: string) => sql`(a.session_id = ${id}::uuid or a.ai_session_id = ${id}::uuid)`
/** Condition on `approvals a` and the caller `u`: AI sessions are open to fewer members than sessions. */
const isVisible = sql`(a.session_id is not null or app.is_asked(a, u) or u.id in (a.requested_by, a.decided_by)
  or exists (select from ai_sessions s where s.account_id = a.account_id and s.id = a.ai_session_id and app.sees_ai_session(s)))`
const isExpired = sql`(a.state in ('pending', 'approved') and a.expires_at <= app.now())`
/** The columns of `approvals a` joined with the caller as `u`. */
const listColumns = sql`
  a.id, ${caseId} as session_id, ${caseKind} as case_kind, a.kind, a.step_id, a.title, a.script_id as script_template_id, a.risk, a.agent_id, a.target, a.client_name,
  case when ${isExpired} then 'expired' else a.state end as state, a.comment, a.requested_by, ${nameOf(sql`a.requested_by`)} as requested_by_name,
  a.requested_at, a.expires_at, a.decided_by, ${nameOf(sql`a.decided_by`)} as decided_by_name, a.decided_at, a.decision_comment,
  coalesce(a.state = 'pending' and a.expires_at > app.now() and app.may_decide(a, u), false) as may_decide`
const columns = sql`${listColumns}, a.subject, a.risk_reasons, a.team_id, a.runner_id, a.digest,
  coalesce(app.person_of(a.decided_by) = app.person_of(app.user_id()), false) as is_own_decision`
const joinCaller = sql`left join users u on u.account_id = a.account_id and u.id = app.user_id()`

export const waitingOrder: Order<'expires_at' | 'id'> = [
  { field: 'expires_at', kind: 'time' },
  { field: 'id', kind: 'uuid' },
]
export const approvalOrder: Order<'requested_at' | 'id'> = [
  { field: 'requested_at', kind: 'time', isDescending: true },
  { field: 'id', kind: 'uuid', isDescending: true },
]

export const selectWaiting = readStatement(
  ListRow,
  (page: PageQuery) => sql`
    select ${listColumns} from approvals a ${joinCaller}
     where a.account_id = app.account_id() and a.state = 'pending' and a.expires_at > app.now() and app.may_decide(a, u)
     ${pageEnd(waitingOrder, page, 'a')}`,
)

export const selectOfSession = readStatement(
  ListRow,
  (sessionId: string, page: PageQuery) => sql`
    select ${listColumns} from approvals a ${joinCaller}
     where a.account_id = app.account_id() and ${isOfCase(sessionId)} and ${isVisible}
     ${pageEnd(approvalOrder, page, 'a')}`,
)

/** Select a case that the caller may read: a session, or an AI session. */
export const selectCase = readStatement(
  z.object({ id: z.string() }),
  (id: string) => sql`
    select s.id from sessions s where s.account_id = app.account_id() and s.id = ${id}
    union all select s.id from ai_sessions s where s.account_id = app.account_id() and s.id = ${id} and app.sees_ai_session(s)`,
)

export const selectApproval = readStatement(
  ApprovalRow,
  (sessionId: string, id: string) => sql`
    select ${columns} from approvals a ${joinCaller}
     where a.account_id = app.account_id() and ${isOfCase(sessionId)} and a.id = ${id} and ${isVisible}`,
)

/** The case of an approval: a session at a position, or an AI session, which has none. */
export type ApprovalCase = SessionPosition & { is_ai_session?: boolean }

/** What is to be approved, and by whom. `digest` is the SHA-256 of what the approval covers. */
export interface ApprovalSubject {
  kind: 'step' | 'script'
  title: string
  subject: string
  digest: string
  script: { id: string; version: number; risk: 'medium' | 'high' } | null
  /** On which the script will run. Null for a step, and for the text of a script. */
  machine: ScriptMachine | null
  roles: readonly ApproverRole[]
  userIds: readonly string[]
  validMinutes: number
  riskReasons: readonly RiskReason[]
  /** The values of a script that its messages show, without secret ones. */
  parameters: readonly LabelledText[]
}

/** What distinguishes the requests at one position of a session. */
export type SubjectKey = Pick<ApprovalSubject, 'kind'> & {
  script: { id: string } | null
  machine: { agent_id: string } | null
}

const isSameSubject = ({ kind, script, machine }: SubjectKey) => sql`
  a.kind = ${kind} and a.script_id is not distinct from ${script?.id ?? null}::uuid and a.agent_id is not distinct from ${machine?.agent_id ?? null}`

/** Select the newest approval of a step or script in a case. */
export const selectLatest = readStatement(
  ApprovalRow,
  (session: ApprovalCase, subject: SubjectKey) => sql`
    select ${columns} from approvals a ${joinCaller}
     where a.account_id = app.account_id() and ${isOfCase(session.id)} and a.seq = ${session.answered}
       and a.step_id is not distinct from ${session.current_step_id} and ${isSameSubject(subject)}
     order by a.requested_at desc, a.id desc limit 1`,
)

/** Void the open approvals of the same step or script that cover another text or have expired. */
export const voidOutdated = writeStatement(
  null,
  (sessionId: string, subject: ApprovalSubject) => sql`
    update approvals a set state = 'voided'
     where a.account_id = app.account_id() and ${isOfCase(sessionId)} and a.state in ('pending', 'approved') and ${isSameSubject(subject)}
       and (a.digest <> ${subject.digest} or a.expires_at <= app.now())`,
)

/** The case as it was read, which the caller may change; its lock keeps it so until the commit. */
const lockedCase = ({ id, current_step_id, answered, is_ai_session }: ApprovalCase) =>
  is_ai_session
    ? sql`
      select null::uuid as session_id, s.id as ai_session_id, s.team_id, coalesce(s.picked_up_by_id, s.user_id) as runner_id
        from ai_sessions s where ${isOwnAiSession(id, openStates)} for no key update`
    : sql`
      select s.id as session_id, null::uuid as ai_session_id, s.team_id, s.user_id as runner_id
        from sessions s
       where s.account_id = app.account_id() and s.id = ${id} and s.state = 'in_progress' and ${mayChange}
         and s.current_step_id is not distinct from ${current_step_id} and s.answered = ${answered}
         for no key update`

/**
 * Insert a request if the case is still as it was read. Return the users who may decide; no row when the
 * session has moved, or when the caller may not change the case any more.
 */
export const insertApproval = writeStatement(
  z.object({ id: z.string(), approver_ids: z.array(z.string()) }),
  (session: ApprovalCase, subject: ApprovalSubject, comment: string | null) => sql`
    with locked_case as (${lockedCase(session)}),
    inserted as (
      insert into approvals as a (session_id, ai_session_id, kind, step_id, seq, digest, title, subject, script_id, script_version, risk, risk_reasons,
                                  agent_id, target, client_name, approver_roles,
                                  approver_ids, team_id, runner_id, valid_minutes, comment, expires_at)
      select c.session_id, c.ai_session_id, ${subject.kind}, ${session.current_step_id}, ${session.answered}::integer, ${subject.digest}, ${subject.title}, ${subject.subject},
             ${subject.script?.id ?? null}::uuid, ${subject.script?.version ?? null}::integer, ${subject.script?.risk ?? null},
             ${jsonb(subject.riskReasons)}::jsonb, ${subject.machine?.agent_id ?? null}, ${subject.machine?.target ?? null},
             ${subject.machine?.client_name ?? null},
             ${`{${subject.roles.join(',')}}`}::text[], ${`{${subject.userIds.join(',')}}`}::uuid[], c.team_id, c.runner_id,
             ${subject.validMinutes}, ${comment}, app.now() + make_interval(mins => ${subject.validMinutes})
        from locked_case c returning a.*)
    select a.id, array(select u.id from users u where u.account_id = app.account_id() and app.is_approver(a, u) order by u.id) as approver_ids
      from inserted a`,
)

/**
 * Decide a pending approval that the caller may decide now. Of concurrent decisions only one returns a row.
 */
export const decideApproval = writeStatement(
  z.object({ id: z.string() }),
  (sessionId: string, id: string, decision: 'approved' | 'rejected', comment: string | null) => sql`
    update approvals a set state = ${decision}, decided_by = app.user_id(), decided_at = app.now(), decision_comment = ${comment},
           expires_at = case when ${decision === 'approved'} then app.now() + make_interval(mins => a.valid_minutes) else a.expires_at end
      from users u
     where a.account_id = app.account_id() and ${isOfCase(sessionId)} and a.id = ${id} and a.state = 'pending'
       and a.expires_at > app.now() and u.account_id = a.account_id and u.id = app.user_id() and app.may_decide(a, u)
    returning a.id`,
)

/**
 * Select the accounts with requests that have expired or that nobody is left to decide, the account that has
 * waited longest first.
 */
export const selectAccountsWithEnded = readStatement(
  z.object({ account_id: z.string() }),
  () => sql`
    select a.account_id from approvals a
     where a.state = 'pending' and (a.expires_at <= app.now() or not exists (
       select from users u where u.account_id = a.account_id and u.id not in (a.runner_id, a.requested_by)
          and (app.is_asked(a, u) or (u.role = 'admin' and app.can_work(u)))))
     group by a.account_id order by min(a.expires_at), a.account_id limit 500`,
)

/** How many requests one transaction expires. */
export const expiredAtOnce = 100

/**
 * Expire the requests of the account that nobody has decided in time, or that nobody is left to decide.
 */
export const expireDue = writeStatement(
  z.object({
    id: z.string(),
    session_id: z.string(),
    case_kind: Approval.shape.case_kind,
    title: z.string(),
    team_id: z.string().nullable(),
    requested_by: z.string(),
    runner_id: z.string(),
    is_in_time: z.boolean(),
  }),
  () => sql`
    update approvals a set state = 'expired'
     where a.account_id = app.account_id() and a.id = any (array(
       select o.id from approvals o where o.account_id = app.account_id() and o.state = 'pending'
          and (o.expires_at <= app.now()
               or not exists (select from users u where u.account_id = o.account_id and app.may_decide(o, u)))
        order by o.expires_at limit ${expiredAtOnce} for update skip locked))
    returning a.id, ${caseId} as session_id, ${caseKind} as case_kind, a.title, a.team_id, a.requested_by, a.runner_id, a.expires_at > app.now() as is_in_time`,
)

/**
 * Withdraw a pending request of the caller, or of the session that the caller runs. Return whether there was
 * one.
 */
export async function withdrawApproval(db: WriteDb, sessionId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('approvals')
    .set({ state: 'voided' })
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('session_id', '=', sessionId), eb('ai_session_id', '=', sessionId)]))
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where((eb) => eb.or([eb('requested_by', '=', userId), eb('runner_id', '=', userId)]))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
