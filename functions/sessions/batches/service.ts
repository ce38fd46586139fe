import { uuidv7 } from '../../../lib/db/uuid.ts'
import { answerProblems, withDefaults } from '../../../lib/flows/answers.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { changedMeanwhile, invalid, Problem } from '../../../lib/problem.ts'
import { Outcome, State } from '../sessions/schemas.ts'
import * as sessions from '../sessions/service.ts'
import * as queries from './queries.ts'
import type { Batch, BatchCreate } from './schemas.ts'

/** One prepared session per target, each with all its flow will ask for; all or none. */
export async function create({ db }: Pick<Writer, 'db'>, given: BatchCreate): Promise<Batch> {
  const [batch] = await createMany({ db }, given)
  return batch as Batch
}

/** The same for any number of targets, in batches of at most 100; all or none where `db` is a transaction. */
export async function createMany({ db }: Pick<Writer, 'db'>, { tree_id, targets, ...about }: BatchCreate): Promise<Batch[]> {
  for (let tries = 0; tries < 5; tries++) {
    const flow = await findOwn(db, tree_id)
    checkTargets(flow, targets)
    const batches = inBatches(targets).map((part) => ({
      batch_id: uuidv7(),
      rows: part.map(({ label, variables = {} }) => sessions.sessionOf({ ...about, target_label: label }, variables)),
    }))
    if (await insertAll(db, flow, batches))
      return batches.map(({ batch_id, rows }) => ({
        batch_id,
        sessions: rows.map(({ id, target_label }) => ({ id, target_label: target_label ?? '' })),
      }))
  }
  throw changedMeanwhile('flow')
}

const batchSize = 100

function inBatches<T>(targets: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(targets.length / batchSize) }, (_, n) => targets.slice(n * batchSize, (n + 1) * batchSize))
}

type Rows = Parameters<typeof sessions.prepareMany>[2]

/** Whether the flow was still the same; throws where it changed between two batches, so that the transaction keeps neither. */
async function insertAll(db: Writer['db'], flow: sessions.RunnableFlow, batches: readonly { batch_id: string; rows: Rows }[]) {
  for (const [index, { batch_id, rows }] of batches.entries())
    if (!(await sessions.prepareMany({ db }, flow, rows, batch_id))) {
      if (index > 0) throw changedMeanwhile('flow')
      return false
    }
  return true
}

export async function progress({ db }: Reader, batch_id: string) {
  const counts = await queries.countSessions(db, batch_id)
  const [first] = counts
  if (!first) throw new Problem('not_found', 'Batch not found')
  const { total, by_state, by_outcome } = tally(counts)
  const over = (by_state.completed ?? 0) + (by_state.abandoned ?? 0)
  return { batch_id, tree_id: first.tree_id, total, by_state, by_outcome, percent: Math.floor((over * 100) / total) }
}

/** Sessions by where they stand and by what came of them, with a 0 where there are none. */
export function tally(counts: readonly Pick<queries.Count, 'state' | 'outcome' | 'count'>[]) {
  const sum = (of: (count: Pick<queries.Count, 'state' | 'outcome'>) => boolean) =>
    counts.filter(of).reduce((all, { count }) => all + count, 0)
  const by = (names: readonly string[], field: 'state' | 'outcome'): Record<string, number> =>
    Object.fromEntries(names.map((name) => [name, sum((count) => count[field] === name)]))
  return { total: sum(() => true), by_state: by(State.options, 'state'), by_outcome: by(Outcome.options, 'outcome') }
}

/** A maintenance flow of the caller's own team: everybody else's is forked first. */
export async function findOwn(db: Writer['db'], treeId: string) {
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
