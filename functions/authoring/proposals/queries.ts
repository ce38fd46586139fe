import { sql } from 'kysely'
import { accountId, jsonb, now, userId } from '#db/expressions.ts'
import { newestFirst, type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import type { FlowDraft } from '#rules/flows/flat-nodes.ts'
import type { FlowProposal, FlowProposalItem } from './schemas.ts'

export interface ProposalRow extends FlowProposal {
  proposed_flow: FlowDraft & FlowProposal['proposed_flow']
  team_id: string | null
  target_version: number | null
  submitter_name: string
  /** Whether the caller may approve or reject the proposal. */
  may_decide: boolean
}

const itemColumns = [
  'id',
  'source',
  'source_id',
  'action',
  'target_tree_id',
  'status',
  'submitted_by',
  'decided_by',
  'decided_at',
  'reason',
  'created_at',
] as const
const proposedHead = sql<FlowProposalItem['proposed_flow']>`
  jsonb_build_object('name', proposed_flow -> 'name', 'description', proposed_flow -> 'description', 'tree_type', proposed_flow -> 'tree_type')`
// A submitter may not decide a proposal unless they are an admin, so the first argument, the creator, is
// null.
const mayDecide = sql<boolean>`app.may_change(null, team_id)`
const submitterName = sql<string>`
  (select u.full_name from users u where u.account_id = flow_proposals.account_id and u.id = flow_proposals.submitted_by)`
const proposalColumns = [
  ...itemColumns,
  sql<ProposalRow['proposed_flow']>`proposed_flow`.as('proposed_flow'),
  'team_id',
  'target_version',
  mayDecide.as('may_decide'),
  submitterName.as('submitter_name'),
] as const

export function selectProposals(
  db: ReadDb,
  status: FlowProposal['status'],
  page: PageQuery,
): Promise<FlowProposalItem[]> {
  return db
    .selectFrom('flow_proposals')
    .select([...itemColumns, proposedHead.as('proposed_flow')])
    .where('account_id', '=', accountId)
    .where('status', '=', status)
    .$call(selectPage(newestFirst, page))
    .execute()
}

export function selectProposal(db: ReadDb, id: string): Promise<ProposalRow | undefined> {
  return db
    .selectFrom('flow_proposals')
    .select(proposalColumns)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/**
 * Select the pending proposal of this session if the caller can see it. The unique index also covers
 * proposals hidden from the caller.
 */
export function selectPending(db: ReadDb, sourceId: string): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('flow_proposals')
    .select('id')
    .where('account_id', '=', accountId)
    .where('source_id', '=', sourceId)
    .where('status', '=', sql.lit('pending'))
    .executeTakeFirst()
}

export type NewProposal = Pick<ProposalRow, 'id' | 'source' | 'source_id' | 'proposed_flow'> & {
  target: { id: string; version: number } | null
}

/** Insert a proposal. Throw a unique violation (23505) while another proposal of the session is pending. */
export function insertProposal(
  db: WriteDb,
  { proposed_flow, target, ...columns }: NewProposal,
): Promise<ProposalRow> {
  return db
    .insertInto('flow_proposals')
    .values({
      ...columns,
      action: target ? 'update' : 'create',
      target_tree_id: target?.id,
      target_version: target?.version,
      proposed_flow: jsonb(proposed_flow),
    })
    .returning(proposalColumns)
    .executeTakeFirstOrThrow()
}

/**
 * Decide a pending proposal. Return undefined when it is not pending or the caller may not decide it. Of
 * concurrent calls one wins.
 */
export function decideProposal(
  db: WriteDb,
  id: string,
  status: 'approved' | 'rejected',
  reason: string | null,
): Promise<ProposalRow | undefined> {
  return db
    .updateTable('flow_proposals')
    .set({ status, reason, decided_by: userId, decided_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where(mayDecide)
    .returning(proposalColumns)
    .executeTakeFirst()
}
