import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import { inTransaction, type WriteDb } from '#db/scope.ts'
import { getSqlState } from '#db/sqlstate.ts'
import * as aiSessions from '#functions/ai/sessions/service.ts'
import * as trees from '#functions/flows/trees/service.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import { requireGranted } from '#http/granted-scopes.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { limitReached, notFound, Problem, throwNotFound } from '#problem.ts'
import type { Event } from '#rules/events/events.ts'
import { type FlowDraft, flattenStructure } from '#rules/flows/flat-nodes.ts'
import type { TreeType } from '#rules/flows/structure.ts'
import { askUntilValid } from '#vendors/ai/ask-until-valid.ts'
import { toWholeCase } from '#vendors/ai/facts.ts'
import { toFlowDraft, toModelFlow } from '#vendors/ai/flow-drafts.ts'
import { flowConversion, maxGeneratedNodes } from '#vendors/ai/prompts/authoring.ts'
import { toFlowAsRun, toRunFacts } from '#vendors/ai/session-facts.ts'
import { enqueueEvent } from '#work/events.ts'
import * as queries from './queries.ts'
import type { Approval, Conversion, FlowProposal, ProposalQuery } from './schemas.ts'

/** The content of a finished session. */
interface Source {
  source: FlowProposal['source']
  tree_type: TreeType
  facts: Record<string, unknown>
  /** The flow that was run; null for an AI session. */
  base: FlowDraft | null
}

/**
 * Let the model write a publishable flow from a session, then store it as a proposal and notify the admins.
 */
export async function create(
  ctx: WriteContext,
  id: string,
  { target_tree_id }: Conversion,
): Promise<FlowProposal> {
  const earlier = ctx.isRepeat ? await queries.selectProposal(ctx.db, ctx.workId) : undefined
  if (earlier) return toProposal(earlier)
  const { source, tree_type, facts, base } = await findSource(ctx.db, id)
  if (target_tree_id) await requireGranted(ctx, ['flows:read'])
  const target = target_tree_id ? await findTarget(ctx, target_tree_id, tree_type) : null
  if (await queries.selectPending(ctx.db, id)) throw alreadyPending()
  const proposed_flow = await writeFlow(ctx, tree_type, target?.flow ?? base, {
    ...facts,
    tree_type,
    target: target && toModelFlow(target.flow),
  })
  return inTransaction(ctx.db, async (db) => {
    const proposal = await queries
      .insertProposal(db, { id: ctx.workId, source, source_id: id, proposed_flow, target })
      .catch(throwAlreadyPending)
    await enqueueProposalEvent(ctx, db, proposal, {
      key: 'proposal.submitted',
      submitterName: proposal.submitter_name,
    })
    return toProposal(proposal)
  })
}

export async function list({ db }: ReadContext, { status, ...page }: ProposalQuery & PageQuery) {
  return toPage(await queries.selectProposals(db, status, page), page, newestFirst)
}

export async function get({ db }: Pick<ReadContext, 'db'>, id: string): Promise<FlowProposal> {
  return toProposal(await find(db, id))
}

/**
 * Approve a proposal, save its flow and notify the submitter in one transaction. The proposal stays pending
 * if the flow is not saved.
 */
export async function approve(ctx: WriteContext, id: string): Promise<Approval> {
  return inTransaction(ctx.db, async (db) => {
    const proposal = await decideProposal(db, id, 'approved', null)
    const tree = await saveFlow({ ...ctx, db }, proposal)
    await enqueueProposalEvent(ctx, db, proposal, {
      key: 'proposal.approved',
      submitterId: proposal.submitted_by,
    })
    return { proposal: toProposal(proposal), tree_id: tree.id }
  })
}

export async function reject(ctx: WriteContext, id: string, reason: string): Promise<FlowProposal> {
  return inTransaction(ctx.db, async (db) => {
    const proposal = await decideProposal(db, id, 'rejected', reason)
    await enqueueProposalEvent(ctx, db, proposal, {
      key: 'proposal.rejected',
      submitterId: proposal.submitted_by,
      reason,
    })
    return toProposal(proposal)
  })
}

/** Find the caller's completed session or resolved AI session. Throw 404, 403 or 409. */
async function findSource(db: WriteContext['db'], id: string): Promise<Source> {
  const session = await sessions.requireEditable(db, id).catch(ignoreNotFound)
  if (session) {
    if (session.state !== 'completed')
      throw new Problem('wrong_state', 'Only a completed session can be converted')
    const base = toFlowAsRun(session)
    return { source: 'session', tree_type: session.tree_type, facts: toRunFacts(session, base), base }
  }
  const aiSession = await aiSessions.findOwn(db, id, ['resolved']).catch(ignoreNotFound)
  if (!aiSession) throw notFound('Session')
  return {
    source: 'ai_session',
    tree_type: 'troubleshooting',
    facts: toWholeCase(aiSession, null),
    base: null,
  }
}

/** Find the flow to update: one of the account, with the type of the session. */
async function findTarget({ db, caller }: WriteContext, id: string, type: TreeType) {
  const { account_id, version, name, description, tree_type, tree_structure, intake_form } = await trees.find(
    db,
    id,
  )
  if (account_id !== caller.accountId) throw new Problem('platform_flow')
  if (tree_type !== type)
    throw new Problem(
      'wrong_flow_type',
      `This session becomes a ${type} flow, but the target is ${tree_type}`,
    )
  if (!tree_structure) throw new Problem('flow_empty')
  return { id, version, flow: { name, description, tree_type, tree_structure, intake_form } }
}

function writeFlow(
  ctx: WriteContext,
  tree_type: TreeType,
  base: FlowDraft | null,
  facts: Record<string, unknown>,
): Promise<FlowDraft> {
  if (base && flattenStructure(base.tree_structure).length > maxGeneratedNodes)
    throw limitReached(
      'nodes',
      maxGeneratedNodes,
      `The model rewrites flows of at most ${maxGeneratedNodes} nodes`,
    )
  const options = { tree_type, base, redaction: ctx.config.AI_REDACTION, targetStatus: 'published' } as const
  return askUntilValid(ctx, flowConversion, { facts }, ({ flow }) => toFlowDraft(flow, options))
}

async function decideProposal(
  db: WriteDb,
  id: string,
  decision: 'approved' | 'rejected',
  reason: string | null,
) {
  const proposal = await queries.decideProposal(db, id, decision, reason)
  if (proposal) return proposal
  const { may_decide, status, decided_by, decided_at } = await find(db, id)
  if (!may_decide)
    throw new Problem('forbidden', 'Only an admin of its team or an account admin may decide a proposal')
  const facts = { status, decided_by, decided_at }
  throw new Problem('already_decided', `This proposal has already been ${status}`, { facts })
}

/** Create the flow for the submitter, or update the target. */
function saveFlow(ctx: Pick<WriteContext, 'db' | 'caller'>, proposal: queries.ProposalRow) {
  const { proposed_flow, target_tree_id, target_version, submitted_by: user_id, team_id } = proposal
  if (!target_tree_id) return trees.create(ctx, proposed_flow, { owner: { user_id, team_id } })
  return trees
    .update(ctx, target_tree_id, { ...proposed_flow, expected_version: target_version ?? 0 })
    .catch(throwTargetGone)
}

type WithoutProposalFields<E> = E extends Event
  ? Omit<E, 'actorId' | 'teamId' | 'proposalId' | 'flowName'>
  : never
type ProposalEvent = WithoutProposalFields<Extract<Event, { key: `proposal.${string}` }>>

async function enqueueProposalEvent(
  { caller }: WriteContext,
  db: WriteDb,
  { id, team_id, proposed_flow }: queries.ProposalRow,
  event: ProposalEvent,
): Promise<void> {
  await enqueueEvent(db, {
    ...event,
    actorId: caller.userId,
    teamId: team_id,
    proposalId: id,
    flowName: proposed_flow.name,
  })
}

async function find(db: ReadContext['db'], id: string): Promise<queries.ProposalRow> {
  return (await queries.selectProposal(db, id)) ?? throwNotFound('Flow proposal')
}

function toProposal({
  team_id: _t,
  target_version: _v,
  submitter_name: _n,
  may_decide: _m,
  ...proposal
}: queries.ProposalRow): FlowProposal {
  return proposal
}

function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof Problem && error.kind === 'not_found')) throw error
}

function throwTargetGone(error: unknown): never {
  const isNotFound = error instanceof Problem && error.kind === 'not_found'
  throw isNotFound ? new Problem('target_gone') : error
}

function throwAlreadyPending(error: unknown): never {
  throw getSqlState(error) === '23505' ? alreadyPending() : error
}

function alreadyPending(): Problem {
  return new Problem('already_pending', 'A proposal from this session is waiting for review')
}
