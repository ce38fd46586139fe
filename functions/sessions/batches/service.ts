import { retryOnConflict } from '#db/retry.ts'
import { uuidv7 } from '#db/uuid.ts'
import { Outcome, State } from '#functions/sessions/sessions/schemas.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidRequest, notFound, Problem, staleVersion } from '#problem.ts'
import { applyDefaults, createAnswerValidator } from '#rules/flows/intake-answers.ts'
import { splitAnswers } from '#rules/flows/secret-answers.ts'
import * as queries from './queries.ts'
import type { Batch, BatchCreate } from './schemas.ts'

/** Prepare one session per target, all or none. Throw 422 unless every target has all required answers. */
export async function create(
  { db, vault }: Pick<WriteContext, 'db' | 'vault'>,
  input: BatchCreate,
): Promise<Batch> {
  const [batch] = await createMany({ db, vault }, input)
  return batch as Batch
}

/**
 * `vault` is null for the targets of a list. A list stores them unencrypted, so they must not contain
 * secrets.
 */
type BatchContext = Pick<WriteContext, 'db'> & { vault: WriteContext['vault'] | null }

/**
 * Prepare any number of sessions, in batches of at most 100. If `db` is a transaction, prepare all or none.
 */
export async function createMany(
  { db, vault }: BatchContext,
  { tree_id, targets, ...details }: BatchCreate,
): Promise<Batch[]> {
  return retryOnConflict('flow', async () => {
    const flow = await requireOwnMaintenanceFlow(db, tree_id)
    requireValidTargets(flow, targets, vault !== null)
    const buildSession = ({ label, variables = {} }: BatchCreate['targets'][number]) =>
      sessions.buildNewSession(vault, flow.intake_form, { ...details, target_label: label }, variables)
    const batches = await Promise.all(
      splitIntoBatches(targets).map(async (batch) => ({
        batch_id: uuidv7(),
        rows: await Promise.all(batch.map(buildSession)),
      })),
    )
    if (!(await insertBatches(db, flow, batches))) return undefined
    return batches.map(({ batch_id, rows }) => ({
      batch_id,
      sessions: rows.map(({ id, target_label }) => ({ id, target_label: target_label ?? '' })),
    }))
  })
}

const batchSize = 100

function splitIntoBatches<T>(targets: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(targets.length / batchSize) }, (_, n) =>
    targets.slice(n * batchSize, (n + 1) * batchSize),
  )
}

type NewSessions = Parameters<typeof sessions.prepareMany>[2]

/**
 * Insert all batches. Return false if the flow was changed. If it was changed between two batches, throw 409
 * to roll back.
 */
async function insertBatches(
  db: WriteContext['db'],
  flow: sessions.RunnableFlow,
  batches: readonly { batch_id: string; rows: NewSessions }[],
) {
  for (const [index, { batch_id, rows }] of batches.entries())
    if (!(await sessions.prepareMany({ db }, flow, rows, batch_id))) {
      if (index > 0) throw staleVersion('flow')
      return false
    }
  return true
}

export async function getProgress({ db }: ReadContext, batch_id: string) {
  const counts = await queries.selectSessionCounts(db, batch_id)
  const [first] = counts
  if (!first) throw notFound('Batch')
  const { total, by_state, by_outcome } = summariseCounts(counts)
  const finishedCount = (by_state.completed ?? 0) + (by_state.abandoned ?? 0)
  return {
    batch_id,
    tree_id: first.tree_id,
    total,
    by_state,
    by_outcome,
    percent: Math.floor((finishedCount * 100) / total),
  }
}

/** Sum counts by state and by outcome. Return 0 for a state or outcome without sessions. */
export function summariseCounts(
  counts: readonly Pick<queries.SessionCount, 'state' | 'outcome' | 'count'>[],
) {
  const sum = (rows: typeof counts) => rows.reduce((total, { count }) => total + count, 0)
  const sumBy = (field: 'state' | 'outcome', values: readonly string[]): Record<string, number> =>
    Object.fromEntries(values.map((value) => [value, sum(counts.filter((row) => row[field] === value))]))
  return {
    total: sum(counts),
    by_state: sumBy('state', State.options),
    by_outcome: sumBy('outcome', Outcome.options),
  }
}

/**
 * Return a published maintenance flow of the caller's own team. Throw 404 for a flow that they cannot see,
 * and 400 for any other.
 */
export async function requireOwnMaintenanceFlow(db: WriteContext['db'], treeId: string) {
  const flow = await sessions.findRunnable(db, treeId)
  if (flow.tree_type !== 'maintenance')
    throw new Problem('wrong_flow_type', 'A batch needs a maintenance flow')
  if (!flow.is_own) throw new Problem('not_own_team', 'A batch needs a flow of your own team; fork this one')
  return flow
}

/**
 * Throw 422 for missing or invalid answers. All are required now, so that each session can be started without
 * further input, except secrets: they may be entered when the session starts.
 */
function requireValidTargets(
  { intake_form }: sessions.RunnableFlow,
  targets: BatchCreate['targets'],
  mayHaveSecrets: boolean,
): void {
  const form = intake_form.map((field) => (field.secret ? { ...field, required: false } : field))
  const validateAnswers = createAnswerValidator(form, { complete: true })
  const problems = targets.flatMap(({ label, variables = {} }, index) => {
    const { secrets } = splitAnswers(intake_form, variables)
    const misplacedSecrets = mayHaveSecrets
      ? []
      : Object.keys(secrets).map((key) => ({ key, msg: secretInListMessage, type: 'secret' }))
    return [...misplacedSecrets, ...validateAnswers(applyDefaults(form, variables))].map(
      ({ key, msg, type }) => ({
        loc: ['body', 'targets', index, 'variables', key],
        msg: `${label}: ${msg}`,
        type,
      }),
    )
  })
  if (problems.length > 0) throw invalidRequest(problems)
}

const secretInListMessage = 'a target list stores no secrets; enter the answer when the session starts'
