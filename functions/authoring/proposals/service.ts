import { askUntilFit } from '../../../lib/ai/ask-until-valid.ts'
import { flowAsRun, runFacts } from '../../../lib/ai/conversion.ts'
import { wholeCase } from '../../../lib/ai/facts.ts'
import { draftOf, writtenOf } from '../../../lib/ai/flow-drafts.ts'
import { flowConversion, mostNodes } from '../../../lib/ai/prompts/authoring.ts'
import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { inTransaction, type WriteDb } from '../../../lib/db/scope.ts'
import { sqlState } from '../../../lib/db/sqlstate.ts'
import type { Event } from '../../../lib/events/events.ts'
import { emit, publishDeliveries } from '../../../lib/events/outbox.ts'
import { type FlowDraft, listNodes } from '../../../lib/flows/draft.ts'
import type { TreeType } from '../../../lib/flows/structure.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import * as aiSessions from '../../ai/sessions/service.ts'
import * as trees from '../../flows/trees/service.ts'
import * as sessions from '../../sessions/sessions/service.ts'
import * as queries from './queries.ts'
import type { Approval, Conversion, FlowProposal, ProposalQuery } from './schemas.ts'

/** What a finished session of the caller's has to say. */
interface Source {
  source: FlowProposal['source']
  tree_type: TreeType
  facts: Record<string, unknown>
  /** The flow that was run. */
  base: FlowDraft | null
}

/** A proposal and the word of it to the admins, once the model has written a flow that could be published. */
export async function convert(ctx: Writer, id: string, { target_tree_id }: Conversion): Promise<FlowProposal> {
  const { source, tree_type, facts, base } = await sourceOf(ctx.db, id)
  const target = target_tree_id ? await targetOf(ctx, target_tree_id, tree_type) : null
  if (await queries.hasPending(ctx.db, id)) throw pending()
  const proposed_flow = await written(ctx, tree_type, target?.flow ?? base, {
    ...facts,
    tree_type,
    target: target && writtenOf(target.flow),
  })
  const made = await inTransaction(ctx.db, async (db) => {
    const proposal = await queries.insertProposal(db, { source, source_id: id, proposed_flow, target }).catch(alreadyPending)
    const submitterName = proposal.submitter_name
    return { proposal, deliveries: await tell(ctx, db, proposal, { key: 'proposal.submitted', submitterName }) }
  })
  return settled(ctx, made)
}

export async function list({ db }: Reader, { status, ...page }: ProposalQuery & PageQuery) {
  return toPage(await queries.selectProposals(db, status, page), page.limit)
}

export async function get({ db }: Pick<Reader, 'db'>, id: string): Promise<FlowProposal> {
  return shown(await find(db, id))
}

/** The decision, the flow and the word to the submitter are one transaction: what keeps the flow from being saved leaves the proposal pending. */
export async function approve(ctx: Writer, id: string): Promise<Approval> {
  const made = await inTransaction(ctx.db, async (db) => {
    const proposal = await decided(db, id, 'approved', null)
    const tree = await put({ ...ctx, db }, proposal)
    const submitterId = proposal.submitted_by
    return { proposal, tree, deliveries: await tell(ctx, db, proposal, { key: 'proposal.approved', submitterId }) }
  })
  return { proposal: settled(ctx, made), tree_id: made.tree.id }
}

export async function reject(ctx: Writer, id: string, reason: string): Promise<FlowProposal> {
  const made = await inTransaction(ctx.db, async (db) => {
    const proposal = await decided(db, id, 'rejected', reason)
    const submitterId = proposal.submitted_by
    return { proposal, deliveries: await tell(ctx, db, proposal, { key: 'proposal.rejected', submitterId, reason }) }
  })
  return settled(ctx, made)
}

/** A completed session, or a resolved AI session, of the caller's own: else 404, 403 or 409. */
async function sourceOf(db: Writer['db'], id: string): Promise<Source> {
  const session = await sessions.findOwn(db, id).catch(orNone)
  if (session) {
    if (session.state !== 'completed') throw new Problem('conflict', 'Only a completed session can be converted', { code: 'not_completed' })
    const base = flowAsRun(session)
    return { source: 'session', tree_type: session.tree_type, facts: runFacts(session, base), base }
  }
  const aiSession = await aiSessions.findOwn(db, id, ['resolved']).catch(orNone)
  if (!aiSession) throw new Problem('not_found', 'Session not found')
  return { source: 'ai_session', tree_type: 'troubleshooting', facts: wholeCase(aiSession, null), base: null }
}

/** A flow of the account that the caller sees, as it is now. */
async function targetOf({ db, caller }: Writer, id: string, type: TreeType) {
  const { account_id, version, name, description, tree_type, tree_structure, intake_form } = await trees.find(db, id)
  if (account_id !== caller.accountId) throw unfit('platform_flow', 'A flow that ships with the service is not changed; fork it first')
  if (tree_type !== type) throw unfit('wrong_flow_type', `This session makes a ${type} flow; the target is ${tree_type}`)
  if (!tree_structure) throw unfit('flow_empty', 'The target has no steps yet')
  return { id, version, flow: { name, description, tree_type, tree_structure, intake_form } }
}

function written(ctx: Writer, tree_type: TreeType, base: FlowDraft | null, facts: Record<string, unknown>): Promise<FlowDraft> {
  if (base && listNodes(base.tree_structure).length > mostNodes)
    throw new Problem('conflict', `A flow of more than ${mostNodes} nodes cannot be rewritten by the model`, { code: 'flow_too_large' })
  const drafting = { tree_type, base, redaction: ctx.config.AI_REDACTION, as: 'published' } as const
  return askUntilFit(ctx, flowConversion, { facts }, ({ flow }) => draftOf(flow, drafting))
}

async function decided(db: WriteDb, ...of: [id: string, status: 'approved' | 'rejected', reason: string | null]) {
  const proposal = await queries.decideProposal(db, ...of)
  if (proposal) return proposal
  const { may_decide, status, decided_by, decided_at } = await find(db, of[0])
  if (!may_decide) throw new Problem('forbidden', 'Only an admin of its team or an account admin may decide a proposal')
  const facts = { status, decided_by, decided_at }
  throw new Problem('conflict', `This proposal was ${status} already`, { code: 'proposal_decided', facts })
}

/** The flow by the ordinary way, as whoever proposed it would have made it. */
function put(ctx: Pick<Writer, 'db' | 'caller'>, proposal: queries.ProposalRow) {
  const { proposed_flow, target_tree_id, target_version, submitted_by: user_id, team_id } = proposal
  if (!target_tree_id) return trees.create(ctx, proposed_flow, { owner: { user_id, team_id } })
  return trees.update(ctx, target_tree_id, { ...proposed_flow, expected_version: target_version ?? 0 }).catch(orGone)
}

type Told<E> = E extends Event ? Omit<E, 'actorId' | 'teamId' | 'proposalId' | 'flowName'> : never
type OfProposal = Told<Extract<Event, { key: `proposal.${string}` }>>

function tell({ caller }: Writer, db: WriteDb, { id, team_id, proposed_flow }: queries.ProposalRow, event: OfProposal): Promise<string[]> {
  return emit(db, { ...event, actorId: caller.userId, teamId: team_id, proposalId: id, flowName: proposed_flow.name })
}

function settled(ctx: Writer, { proposal, deliveries }: { proposal: queries.ProposalRow; deliveries: string[] }): FlowProposal {
  ctx.after(() => publishDeliveries(ctx.queue, deliveries))
  return shown(proposal)
}

async function find(db: Reader['db'], id: string): Promise<queries.ProposalRow> {
  const proposal = await queries.selectProposal(db, id)
  if (!proposal) throw new Problem('not_found', 'Flow proposal not found')
  return proposal
}

function shown({ team_id: _t, target_version: _v, submitter_name: _n, may_decide: _m, ...proposal }: queries.ProposalRow): FlowProposal {
  return proposal
}

function orNone(error: unknown): undefined {
  if (!(error instanceof Problem && error.kind === 'not_found')) throw error
}

function orGone(error: unknown): never {
  const gone = error instanceof Problem && error.kind === 'not_found'
  throw gone ? new Problem('conflict', 'The flow that it would update is gone', { code: 'target_gone' }) : error
}

function alreadyPending(error: unknown): never {
  throw sqlState(error) === '23505' ? pending() : error
}

function pending(): Problem {
  return new Problem('conflict', 'What was made of this session awaits review already', { code: 'proposal_pending' })
}

function unfit(code: string, detail: string): Problem {
  return new Problem('bad_request', detail, { code })
}
