import type { ReadDb, WriteDb } from '#db/scope.ts'
import * as schedules from '#functions/oncall/schedules/service.ts'
import * as notices from '#functions/oncall/shift-notices/service.ts'
import type { JobContext } from '#http/job.ts'
import type { ReadContext } from '#http/operation.ts'
import { invalidField, throwNotFound } from '#problem.ts'
import type { HandoverFacts } from '#rules/oncall/handover.ts'
import { enqueueEvent } from '#work/events.ts'
import { type AccountSweepContext, type SweepBudget, sweepAccounts } from '#work/sweep-accounts.ts'
import * as queries from './queries.ts'
import type { HandoverQuery, ShiftHandover } from './schemas.ts'

// Loaded on first use: few requests need it.
const loadHandover = () => import('#rules/oncall/handover.ts')

const maxDays = 7
const dayMs = 86_400_000

export async function get(
  { db, config }: ReadContext,
  { since, team_id }: HandoverQuery,
): Promise<ShiftHandover> {
  const facts = await collectFacts(db, since ?? null, team_id ?? null)
  const { writeHandover } = await loadHandover()
  const summary = writeHandover(facts).map(({ text, path }) => ({
    text,
    url: path && config.FRONTEND_URL + path,
  }))
  const { cases, promises, on_call, ...rest } = facts
  return { ...rest, summary, cases: [...cases], promises: [...promises], on_call: [...on_call] }
}

/**
 * Collect what the caller of the scope may see. Throw 404 for an unknown team, and 422 for a shift that began
 * too early or begins later.
 */
async function collectFacts(db: ReadDb, from: string | null, teamId: string | null): Promise<HandoverFacts> {
  const { is_known_team, ...shift } = await queries.selectShift.one(db, from, teamId)
  if (!is_known_team) throwNotFound('Team')
  const age = Date.parse(shift.until) - Date.parse(shift.since)
  if (age < 0) throw invalidField(['query', 'since'], 'must not be in the future')
  if (age > maxDays * dayMs) throw invalidField(['query', 'since'], `must be at most ${maxDays} days ago`)
  const [cases, resolved, notes, fixes, timers] = await db.batch([
    queries.selectOpenCases.query(shift.since, teamId),
    queries.countResolved.query(shift.since, teamId),
    queries.selectClientNotes.query(shift.since, teamId),
    queries.selectPendingFixes.query(teamId),
    queries.selectTimers.query(teamId),
  ])
  return {
    ...shift,
    cases: cases.slice(0, queries.maxCases),
    has_more_cases: cases.length > queries.maxCases,
    resolved_count: resolved[0]?.resolved_count ?? 0,
    promises: [...notes, ...fixes, ...timers],
    on_call: await schedules.listNextOnCall(db, teamId),
  }
}

export type SweepContext = AccountSweepContext & Pick<JobContext, 'config'>

/**
 * Send the handovers that are due. One transaction marks those of an account as sent and stores their
 * messages, so each is sent once.
 */
export async function sendDue(ctx: SweepContext, budget: SweepBudget): Promise<void> {
  const accounts = await queries.selectAccountsWithDue.all(ctx.platform)
  await sweepAccounts(ctx, accounts, budget, async (db) => {
    for (const team of await queries.takeDue.all(db)) if (team.is_sent) await send(ctx, db, team)
    return false
  })
}

async function send(
  { config }: SweepContext,
  db: WriteDb,
  { team_id, name, set_by }: queries.DueTeam,
): Promise<void> {
  const facts = await collectFacts(db, null, team_id)
  const { writeHandover } = await loadHandover()
  const userIds = [...new Set(facts.on_call.flatMap(({ user }) => (user ? [user.id] : [])))]
  const timezones = await notices.listTimezones(db, { timezone: facts.timezone, team_id }, userIds)
  await enqueueEvent(db, {
    key: 'handover.due',
    actorId: null,
    causedById: set_by,
    teamId: team_id,
    handoverTeamId: team_id,
    teamName: name,
    lines: writeHandover(facts, timezones),
    frontendUrl: config.FRONTEND_URL,
    userIds,
  })
}
