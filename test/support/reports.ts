import type { Service } from './app.ts'
import { createFlow } from './flows.ts'
import { createAccount, type TestAccount } from './people.ts'

interface FlowSession {
  flow: string
  startedAt: string
  completedAt?: string
  outcome?: string
  isOfTeam?: boolean
}
interface AiSession {
  createdAt: string
  resolvedAt?: string
  escalatedAt?: string
  claimedAt?: string
  isOfTeam?: boolean
}

export interface ReportScene {
  account: TestAccount
  /** Insert completed sessions of a flow of this name. Times are RFC 3339. */
  insertSessions(sessions: readonly FlowSession[]): Promise<void>
  /**
   * Insert AI sessions; those with `escalatedAt` have an escalation, and those with `claimedAt` its claim.
   */
  insertAiSessions(sessions: readonly AiSession[]): Promise<void>
}

/** Create an account whose team has a time zone, to which sessions of any time can be added. */
export async function createReportScene(service: Service, timezone = 'Europe/Berlin'): Promise<ReportScene> {
  const account = await createAccount(service)
  await service.sql('update teams set timezone = $2 where id = $1', [account.teamId, timezone])
  const samples = new Map<string, string>()
  const getSample = async (flow: string) => {
    const sample = samples.get(flow) ?? (await createSample(account, flow))
    samples.set(flow, sample)
    return sample
  }
  return {
    account,
    async insertSessions(sessions) {
      for (const {
        flow,
        startedAt,
        completedAt = startedAt,
        outcome = 'resolved',
        isOfTeam = true,
      } of sessions)
        await service.sql(
          `insert into sessions (account_id, team_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, remaining, outcome, started_at,
                                 completed_at)
           select account_id, case when $5 then team_id end, user_id, tree_account_id, tree_id, tree_version, tree_name, 'completed', 0, $2, $3, $4 from sessions where id = $1`,
          [await getSample(flow), outcome, startedAt, completedAt, isOfTeam],
        )
    },
    async insertAiSessions(sessions) {
      const colleague = await account.addColleague()
      for (const {
        createdAt,
        resolvedAt = null,
        escalatedAt = null,
        claimedAt = null,
        isOfTeam = true,
      } of sessions)
        await service.sql(
          `with session as (
             insert into ai_sessions (account_id, user_id, team_id, session_type, title, status, outcome, created_at, resolved_at)
             values ($1, $2, $3, 'chat', 'VPN', case when $5::timestamptz is null then 'active' else 'resolved' end,
                     case when $5::timestamptz is not null then 'resolved' end, $4, $5) returning account_id, id)
           insert into ai_handoffs (account_id, session_id, intent, created_by, created_at, claimed_by, claimed_at, closed_at, assessment_status)
           select account_id, id, 'escalate', $2, $6, case when $7::timestamptz is not null then $8::uuid end, $7::timestamptz, $6, 'failed' from session
            where $6::timestamptz is not null`,
          [
            account.id,
            account.admin.id,
            isOfTeam ? account.teamId : null,
            createdAt,
            resolvedAt,
            escalatedAt,
            claimedAt,
            colleague.id,
          ],
        )
    },
  }
}

/** Create a flow with a session, which was never started, and return the session's id. */
async function createSample({ admin }: TestAccount, name: string): Promise<string> {
  const { id: tree_id } = await createFlow(admin, { name })
  return (await admin.client.sessions.prepare({ tree_id })).id
}
