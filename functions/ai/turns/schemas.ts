import { z } from 'zod'
import { exampleIds, Id, Time } from '../../../lib/http/fields.ts'
import { AiMessage, EvidenceItem, GuidedStep, OutcomeProposal, SuggestedFix, TaskLane } from '../sessions/schemas.ts'

const Said = z.string().trim().min(1).max(8000)

export const ChatMessage = z
  .strictObject({
    message: Said.describe('What I say; 1 to 8,000 characters.'),
    upload_ids: z.array(Id).max(3).optional().describe('Pictures that I uploaded, for the model to look at; at most 3.'),
  })
  .meta({
    id: 'ChatMessage',
    examples: [{ message: 'The queue shows “Error - Printing” for every job.', upload_ids: [exampleIds.upload] }],
  })
export type ChatMessage = z.infer<typeof ChatMessage>

const TriageUpdate = z
  .strictObject({
    client_name: z.string().optional().describe('The client’s company.'),
    asset_name: z.string().optional().describe('The machine or device at fault.'),
    issue_category: z.string().optional().describe('What kind of problem it is.'),
    triage_hypothesis: z.string().optional().describe('The likeliest cause.'),
    evidence_items: z.array(EvidenceItem).optional().describe('All evidence, when the model added some.'),
  })
  .describe('What the model filled in of the triage header; what was filled stays as it is.')

const effects = {
  triage_update: TriageUpdate.optional(),
  suggested_fix: SuggestedFix.optional().describe('A fix that the model put forward.'),
}

export const ChatReply = z
  .strictObject({
    message: z
      .strictObject({
        id: Id,
        role: z.literal('assistant').describe('The model.'),
        content: z.string().describe('What it says; markdown.'),
        created_at: Time,
      })
      .describe('The model’s answer.'),
    ...effects,
    task_lane_update: TaskLane.optional().describe('The whole task lane, when the model added to it.'),
    outcome_proposal: OutcomeProposal.extend({ fix_id: Id.describe('The fix it is of.') })
      .optional()
      .describe('What the model takes the outcome of a fix to be; it waits for the technician.'),
  })
  .meta({
    id: 'ChatMessageResponse',
    examples: [
      {
        message: {
          id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e57',
          role: 'assistant',
          content: 'Does the printer answer a ping?',
          created_at: '2026-11-21T09:30:04.000Z',
        },
        triage_update: { issue_category: 'Printing' },
      },
    ],
  })
export type ChatReply = z.infer<typeof ChatReply>

export const TranscriptQuery = z.strictObject({
  branch_id: Id.optional().describe('A branch of the session; the active one when not said.'),
})
export const Transcript = z.array(AiMessage)

export const Respond = z
  .strictObject({
    response: Said.optional().describe('The answer to the current step; left out when there is none, to be given the next.'),
    step_id: Id.optional().describe('The step it answers: 409 with the current one when that is another.'),
  })
  .prefault({})
  .meta({ id: 'GuidedResponse', examples: [{ response: 'Yes' }] })
export type Respond = z.infer<typeof Respond>

export const GuidedReply = z.strictObject({ step: GuidedStep.describe('The step that comes next.'), ...effects }).meta({
  id: 'GuidedReply',
  examples: [
    {
      step: {
        step_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e58',
        kind: 'action',
        text: 'Restart the print spooler',
        options: [],
        rationale: 'The queue is stuck.',
        response: null,
        created_at: '2026-11-21T09:31:00.000Z',
      },
    },
  ],
})
export type GuidedReply = z.infer<typeof GuidedReply>
