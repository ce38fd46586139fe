import * as z from 'zod'
import { exampleDraft, FlowDraft } from '#functions/authoring/flow-builder/schemas.ts'
import { exampleIds, Id, idParams, Text, Time } from '#http/fields.ts'

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
const exampleItem = {
  id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e01',
  source: 'session' as const,
  source_id: exampleIds.entry,
  action: 'create' as const,
  target_tree_id: null,
  status: 'pending' as const,
  submitted_by: exampleIds.user,
  decided_by: null,
  decided_at: null,
  reason: null,
  created_at: '2026-11-21T09:30:00.000Z',
}
const { name, description, tree_type } = exampleDraft

export const FlowProposalItem = z
  .strictObject({
    ...item,
    proposed_flow: FlowDraft.pick({ name: true, description: true, tree_type: true })
      .describe('The head of the flow. A single proposal contains the whole flow.')
      .meta({ id: 'FlowDraftHead', examples: [{ name, description, tree_type }] }),
  })
  .meta({
    id: 'FlowProposalListItem',
    examples: [{ ...exampleItem, proposed_flow: { name, description, tree_type } }],
  })
export type FlowProposalItem = z.infer<typeof FlowProposalItem>

const exampleProposal = { ...exampleItem, proposed_flow: exampleDraft }
export const FlowProposal = z
  .strictObject({ ...item, proposed_flow: FlowDraft })
  .meta({ id: 'FlowProposal', examples: [exampleProposal] })
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
  .meta({ id: 'FlowConversion', examples: [{}] })
export type Conversion = z.infer<typeof Conversion>

export const Rejection = z.strictObject({ reason: Text.describe('The reason for the submitter.') }).meta({
  id: 'FlowProposalReject',
  examples: [{ reason: 'The flow “Printer offline” covers this already.' }],
})

export const Approval = z
  .strictObject({
    proposal: FlowProposal.describe('The decided proposal.'),
    tree_id: Id.describe('The flow that was created or updated.'),
  })
  .meta({
    id: 'FlowProposalApproval',
    examples: [
      {
        proposal: {
          ...exampleProposal,
          status: 'approved',
          decided_by: exampleIds.user,
          decided_at: '2026-11-21T10:00:00.000Z',
        },
        tree_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e01',
      },
    ],
  })
export type Approval = z.infer<typeof Approval>
