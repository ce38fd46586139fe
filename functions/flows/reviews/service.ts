import type { PlatformDb, ReadDb, WriteDb } from '#db/scope.ts'
import * as health from '#functions/flows/health/service.ts'
import * as trees from '#functions/flows/trees/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, Problem, throwNotFound } from '#problem.ts'
import type { ReviewEvidence } from '#rules/flows/review.ts'
import { enqueueEvent } from '#work/events.ts'
import { type AccountSweepContext, type SweepBudget, sweepAccounts } from '#work/sweep-accounts.ts'
import * as queries from './queries.ts'
import type { FlowReview, ReviewUpdate } from './schemas.ts'

export async function get({ db }: Pick<ReadContext, 'db'>, id: string): Promise<FlowReview> {
  const row = await queries.selectReview(db, id)
  if (!row?.review) throw throwNotFound('Flow')
  const since_review = (await readEvidence(db, [id])).get(id)
  return since_review ? { tree_id: id, ...row.review, since_review } : throwNotFound('Flow')
}

/** Read what happened to flows since their last reviews. */
async function readEvidence(db: ReadDb, ids: readonly string[]): Promise<Map<string, ReviewEvidence>> {
  const [rows, findings] = await Promise.all([
    queries.selectEvidence.all(db, ids),
    health.countFindings(db, ids),
  ])
  return new Map(
    rows.map(({ tree_id, ...evidence }) => [
      tree_id,
      { ...evidence, open_findings: findings.get(tree_id) ?? 0 },
    ]),
  )
}

/** Change who reviews a flow and how often. Throw 422 for an owner who cannot work or does not see it. */
export async function update(ctx: WriteContext, id: string, changes: ReviewUpdate): Promise<FlowReview> {
  const { db } = ctx
  if (Object.keys(changes).length === 0) {
    await trees.requireEditable(db, id)
    return get(ctx, id)
  }
  const { owner_id } = changes
  if (owner_id && !(await queries.selectMayOwn.one(db, id, owner_id)).may_own) {
    await trees.requireEditable(db, id)
    throw invalidField(['body', 'owner_id'], 'must be an active engineer or admin who sees the flow')
  }
  if (!(await queries.updateReview(db, id, changes))) await trees.requireEditable(db, id)
  return get(ctx, id)
}

/** Confirm that a flow is right. Throw 403 for somebody who may not, and 409 for a draft. */
export async function confirm(ctx: WriteContext, id: string): Promise<FlowReview> {
  if (!(await queries.confirmReview.first(ctx.db, id))) {
    const { status } = await trees.find(ctx.db, id)
    if (status !== 'published')
      throw new Problem('wrong_state', 'Only a published flow is reviewed', { facts: { state: status } })
    throw new Problem(
      'forbidden',
      'Only its owner, its author, an admin of its team or an account admin may confirm this flow',
    )
  }
  return get(ctx, id)
}

/**
 * Confirm as the user of the scope, if nobody has reviewed the flow since the review that the link follows.
 * Return whether it was confirmed.
 */
export async function confirmByLink(
  db: PlatformDb,
  { treeId, reviewedAt }: { treeId: string; reviewedAt: string | null },
): Promise<boolean> {
  return (await queries.confirmReview.first(db, treeId, reviewedAt)) !== undefined
}

/** How many flows a message lists. */
const maxListed = 10

/**
 * Tell who reviews flows that these are due: on the day, and once more a week later. One transaction stores
 * the message to one owner, or to the admins of one team, and when its flows are announced again.
 */
export async function announceDue(ctx: AccountSweepContext, budget: SweepBudget): Promise<void> {
  const accounts = await queries.selectAccountsWithDue.all(ctx.platform)
  await sweepAccounts(ctx, accounts, budget, announceNext)
}

async function announceNext(db: WriteDb): Promise<boolean> {
  const due = await queries.takeDue.all(db)
  const [first] = due
  if (!first) return false
  const listed = due.slice(0, maxListed)
  const evidence = await readEvidence(
    db,
    listed.map(({ tree_id }) => tree_id),
  )
  await enqueueEvent(db, {
    key: 'flow.review_due',
    actorId: null,
    causedById: first.reviewer_id,
    teamId: first.reviewer_id ? null : first.team_id,
    ownerId: first.reviewer_id,
    count: due.length,
    flows: listed.map(({ tree_id, name, due_on, reviewed_at }) => ({
      treeId: tree_id,
      name,
      dueOn: due_on,
      reviewedAt: reviewed_at,
      evidence: evidence.get(tree_id),
    })),
  })
  return true
}
