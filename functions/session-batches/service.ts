import { uuidv7 } from '../../lib/db/uuid.ts'
import { answerProblems, withDefaults } from '../../lib/flows/answers.ts'
import type { Reader, Writer } from '../../lib/http/operation.ts'
import { invalid, Problem } from '../../lib/http/problem.ts'
import { Outcome, State } from '../sessions/schemas.ts'
import * as sessions from '../sessions/service.ts'
import * as queries from './queries.ts'
import type { BatchCreate } from './schemas.ts'

/** One prepared session per target, each with all its flow will ask for; all or none. */
export async function create({ db }: Pick<Writer, 'db'>, { tree_id, targets, ...about }: BatchCreate) {
  const batch_id = uuidv7()
  for (let tries = 0; tries < 5; tries++) {
    const flow = await findOwn(db, tree_id)
    checkTargets(flow, targets)
    const rows = targets.map(({ label, variables = {} }) => sessions.sessionOf({ ...about, target_label: label }, variables))
    if (await sessions.prepareMany({ db }, flow, rows, batch_id))
      return { batch_id, sessions: rows.map(({ id }, index) => ({ id, target_label: targets[index]?.label ?? '' })) }
  }
  throw new Problem('conflict', 'The flow is being saved; try again')
}

export async function progress({ db }: Reader, batch_id: string) {
  const counts = await queries.countSessions(db, batch_id)
  const [first] = counts
  if (!first) throw new Problem('not_found', 'Batch not found')
  const sum = (of: (count: queries.Count) => boolean) => counts.filter(of).reduce((all, { count }) => all + count, 0)
  const total = sum(() => true)
  const over = sum(({ state }) => state === 'completed' || state === 'abandoned')
  return {
    ...{ batch_id, tree_id: first.tree_id, total },
    by_state: Object.fromEntries(State.options.map((name) => [name, sum(({ state }) => state === name)])),
    by_outcome: Object.fromEntries(Outcome.options.map((name) => [name, sum(({ outcome }) => outcome === name)])),
    percent: Math.floor((over * 100) / total),
  }
}

/** A maintenance flow of the caller's own team: everybody else's is forked first. */
async function findOwn(db: Writer['db'], treeId: string) {
  const flow = await sessions.findRunnable(db, treeId)
  if (flow.tree_type !== 'maintenance') throw new Problem('bad_request', 'A batch runs a maintenance flow', { code: 'not_maintenance' })
  if (!flow.is_own) throw new Problem('bad_request', 'A batch runs a flow of your own team: fork this one', { code: 'not_own_team' })
  return flow
}

/** A target's sessions are started one by one, maybe by night: what they need is asked for now. */
function checkTargets({ intake_form }: sessions.RunnableFlow, targets: BatchCreate['targets']): void {
  const problems = targets.flatMap(({ label, variables = {} }, index) =>
    answerProblems(intake_form, withDefaults(intake_form, variables), { complete: true }).map(({ key, msg, type }) => ({
      ...{ loc: ['body', 'targets', index, 'variables', key], msg: `${label}: ${msg}`, type },
    })),
  )
  if (problems.length > 0) throw invalid(problems)
}
