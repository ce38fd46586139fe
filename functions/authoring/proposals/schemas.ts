import { z } from 'zod'
import { exampleIds, Id, idParams, Text, Time } from '../../../lib/http/fields.ts'
import { exampleDraft, FlowDraft } from '../flow-builder/schemas.ts'

export const ProposalId = idParams('proposal_id', 'flow proposal')
export const SourceId = idParams('session_id', 'completed session, or of the resolved AI session')

const Status = z.enum(['pending', 'approved', 'rejected']).describe('Awaiting review, or decided.')

const item = {
  id: Id,
  source: z.enum(['session', 'ai_session']).describe('What kind of session it was made of.'),
  source_id: Id.describe('The session; it may be gone by now.'),
  action: z.enum(['create', 'update']).describe('Whether it is to be a new flow, or takes the place of the target’s content.'),
  target_tree_id: Id.nullable().describe('Of an update: the flow.'),
  status: Status,
  submitted_by: Id.describe('Who proposed it.'),
  decided_by: Id.nullable().describe('Who approved or rejected it.'),
  decided_at: Time.nullable().describe('When.'),
  reason: z.string().nullable().describe('Why it was rejected.'),
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
      .describe('The flow’s head; the whole of it is shown with the one proposal.')
      .meta({ id: 'FlowDraftHead', examples: [{ name, description, tree_type }] }),
  })
  .meta({ id: 'FlowProposalListItem', examples: [{ ...exampleItem, proposed_flow: { name, description, tree_type } }] })
export type FlowProposalItem = z.infer<typeof FlowProposalItem>

const exampleProposal = { ...exampleItem, proposed_flow: exampleDraft }
export const FlowProposal = z.strictObject({ ...item, proposed_flow: FlowDraft }).meta({ id: 'FlowProposal', examples: [exampleProposal] })
export type FlowProposal = z.infer<typeof FlowProposal>

export const ProposalQuery = z.strictObject({
  status: Status.default('pending').describe('Those that await review, or those that were decided one way.'),
})
export type ProposalQuery = z.infer<typeof ProposalQuery>

export const Conversion = z
  .strictObject({ target_tree_id: Id.optional().describe('A flow of this account that it is to update; a new flow when not said.') })
  .prefault({})
  .meta({ id: 'FlowConversion', examples: [{}] })
export type Conversion = z.infer<typeof Conversion>

export const Rejection = z
  .strictObject({ reason: Text.describe('What its submitter is told.') })
  .meta({ id: 'FlowProposalReject', examples: [{ reason: 'The flow “Printer offline” covers this already.' }] })

export const Approval = z
  .strictObject({ proposal: FlowProposal.describe('As it was decided.'), tree_id: Id.describe('The flow that was created or updated.') })
  .meta({
    id: 'FlowProposalApproval',
    examples: [
      {
        proposal: { ...exampleProposal, status: 'approved', decided_by: exampleIds.user, decided_at: '2026-11-21T10:00:00.000Z' },
        tree_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e01',
      },
    ],
  })
export type Approval = z.infer<typeof Approval>
