import { sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { FlowDraft } from '../../../lib/flows/flat-nodes.ts'
import type { FlowProposal, FlowProposalItem } from './schemas.ts'

export interface ProposalRow extends FlowProposal {
  proposed_flow: FlowDraft & FlowProposal['proposed_flow']
  team_id: string | null
  target_version: number | null
  submitter_name: string
  /** Whether the caller may approve or reject the proposal. */
  may_decide: boolean
}

const proposalColumns = sql`p.id, p.source, p.source_id, p.action, p.target_tree_id, p.status, p.submitted_by, p.decided_by, p.decided_at, p.reason, p.created_at`
// A submitter may not decide a proposal unless they are an admin, so the first argument, the creator, is null.
const mayDecide = sql`app.may_change(null, p.team_id)`
const fullProposalColumns = sql`
  ${proposalColumns}, p.proposed_flow, p.team_id, p.target_version, ${mayDecide} as may_decide,
  (select u.full_name from users u where u.account_id = p.account_id and u.id = p.submitted_by) as submitter_name`

export async function selectProposals(db: ReadDb, status: FlowProposal['status'], { skip, limit }: PageQuery): Promise<FlowProposalItem[]> {
  const { rows } = await sql<FlowProposalItem>`
    select ${proposalColumns}, jsonb_build_object('name', p.proposed_flow -> 'name', 'description', p.proposed_flow -> 'description',
                                        'tree_type', p.proposed_flow -> 'tree_type') as proposed_flow
      from flow_proposals p where p.account_id = app.account_id() and p.status = ${status}
     order by p.created_at desc, p.id desc offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function selectProposal(db: ReadDb, id: string): Promise<ProposalRow | undefined> {
  const { rows } = await sql<ProposalRow>`
    select ${fullProposalColumns} from flow_proposals p where p.account_id = app.account_id() and p.id = ${id}`.execute(db as WriteDb)
  return rows[0]
}

/** Return whether the caller can see a pending proposal of this session. The unique index also covers proposals hidden from the caller. */
export async function hasPending(db: ReadDb, sourceId: string): Promise<boolean> {
  const { rows } = await sql`
    select p.id from flow_proposals p
     where p.account_id = app.account_id() and p.source_id = ${sourceId} and p.status = 'pending'`.execute(db as WriteDb)
  return rows.length > 0
}

export type NewProposal = Pick<ProposalRow, 'source' | 'source_id' | 'proposed_flow'> & { target: { id: string; version: number } | null }

/** Insert a proposal. Throw a unique violation (23505) while another proposal of the session is pending. */
export async function insertProposal(db: WriteDb, { source, source_id, proposed_flow, target }: NewProposal): Promise<ProposalRow> {
  const { rows } = await sql<ProposalRow>`
    insert into flow_proposals as p (source, source_id, action, target_tree_id, target_version, proposed_flow)
    values (${source}, ${source_id}, ${target ? 'update' : 'create'}, ${target?.id ?? null}, ${target?.version ?? null},
            ${JSON.stringify(proposed_flow)}::jsonb)
    returning ${fullProposalColumns}`.execute(db)
  return rows[0] as ProposalRow
}

/** Decide a pending proposal. Return undefined when it is not pending or the caller may not decide it. Of concurrent calls one wins. */
export async function decideProposal(
  db: WriteDb,
  id: string,
  status: 'approved' | 'rejected',
  reason: string | null,
): Promise<ProposalRow | undefined> {
  const { rows } = await sql<ProposalRow>`
    update flow_proposals p set status = ${status}, reason = ${reason}, decided_by = app.user_id(), decided_at = app.now()
     where p.account_id = app.account_id() and p.id = ${id} and p.status = 'pending' and ${mayDecide} returning ${fullProposalColumns}`.execute(
    db,
  )
  return rows[0]
}
