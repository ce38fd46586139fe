import { oldestFirst, type PageQuery, toPage } from '#db/page.ts'
import { findActiveBranch } from '#db/rows/ai-session-queries.ts'
import * as aiSessions from '#functions/ai/sessions/service.ts'
import type { AiScriptRunCreate, ScriptRun } from '#functions/sessions/script-runs/schemas.ts'
import * as scriptRuns from '#functions/sessions/script-runs/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { openStates } from '#rules/ai/session-values.ts'
import * as queries from './queries.ts'

export async function list({ db }: ReadContext, sessionId: string, page: PageQuery) {
  const runs = await queries.selectRunsOfAiSession.all(db, sessionId, page)
  if (runs.length === 0) await findActiveBranch(db, sessionId)
  return toPage(runs, page, oldestFirst)
}

export async function create(
  ctx: WriteContext,
  sessionId: string,
  input: AiScriptRunCreate,
): Promise<ScriptRun> {
  const newRun = await scriptRuns.toNewRun(ctx, input)
  const { session, run } = await queries.insertRun(ctx.db, sessionId, {
    ...newRun,
    step_id: null,
    approval_id: null,
  })
  if (run) return run
  if (!session?.is_owner || !openStates.some((status) => status === session.status))
    throw aiSessions.createChangeProblem(session, openStates)
  return scriptRuns.throwTooManyRuns()
}
