import * as z from 'zod'
import { FlowDraft } from '#functions/authoring/flow-builder/schemas.ts'
import { Id, idParams, Text, Time } from '#http/fields.ts'

export const ProposalId = idParams('proposal_id', 'flow proposal')
export const SourceId = idParams('session_id', 'completed session, or of the resolved AI session')

const Status = z
  .enum(['pending', 'approved', 'rejected'])
  .meta({ id: 'ProposalStatus' })
  .describe('`pending`: not decided yet. `approved`, `rejected`: decided.')

const item = {
  id: Id,
  source: z
    .enum(['session', 'ai_session'])
    .meta({ id: 'ProposalSource' })
    .describe('The kind of session that it was created from.'),
  source_id: Id.describe('Id of the session, which may have been deleted since.'),
  action: z
    .enum(['create', 'update'])
    .meta({ id: 'ProposalAction' })
    .describe('`create`: creates a new flow. `update`: replaces the content of the target.'),
  target_tree_id: Id.nullable().describe('Id of the flow to update; null for a new flow.'),
  status: Status,
  submitted_by: Id.describe('The user who proposed it.'),
  decided_by: Id.nullable().describe('The user who approved or rejected it.'),
  decided_at: Time.nullable().describe('When it was decided.'),
  reason: z.string().nullable().describe('Why it was rejected; null otherwise.'),
  created_at: Time,
}

export const FlowProposalItem = z
  .strictObject({
    ...item,
    proposed_flow: FlowDraft.pick({ name: true, description: true, tree_type: true })
      .describe('The head of the flow. A single proposal contains the whole flow.')
      .meta({ id: 'FlowDraftHead' }),
  })
  .meta({ id: 'FlowProposalListItem' })
export type FlowProposalItem = z.infer<typeof FlowProposalItem>

export const FlowProposal = z.strictObject({ ...item, proposed_flow: FlowDraft }).meta({ id: 'FlowProposal' })
export type FlowProposal = z.infer<typeof FlowProposal>

export const ProposalQuery = z.strictObject({
  status: Status.default('pending').describe('Only proposals with this status.'),
})
export type ProposalQuery = z.infer<typeof ProposalQuery>

export const Conversion = z
  .strictObject({
    target_tree_id: Id.optional().describe(
      'Id of the flow of this account to update. Without it, a new flow is proposed.',
    ),
  })
  .prefault({})
  .meta({ id: 'FlowConversion' })
export type Conversion = z.infer<typeof Conversion>

export const Rejection = z
  .strictObject({
    reason: Text.describe('The reason for the submitter.').meta({
      example: 'The flow “Printer offline” covers this already.',
    }),
  })
  .meta({ id: 'FlowProposalReject' })

export const Approval = z
  .strictObject({
    proposal: FlowProposal.describe('The decided proposal.'),
    tree_id: Id.describe('The flow that was created or updated.'),
  })
  .meta({ id: 'FlowProposalApproval' })
export type Approval = z.infer<typeof Approval>
