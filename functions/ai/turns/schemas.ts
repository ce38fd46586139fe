import * as z from 'zod'
import {
  AiMessage,
  AnswerFailure,
  Citations,
  EvidenceItem,
  FlowOffer,
  GuidedStep,
  Lookups,
  OutcomeProposal,
  Sources,
  SuggestedFix,
  TaskLane,
  textEvents,
} from '#functions/ai/sessions/schemas.ts'
import { Id, Time } from '#http/fields.ts'
import type { EventData } from '#http/operation.ts'

const TurnText = z.string().trim().min(1).max(8000)

export const ChatMessage = z
  .strictObject({
    message: TurnText.describe('The message; 1 to 8,000 characters.').meta({
      example: 'The queue shows “Error - Printing” for every job.',
    }),
    upload_ids: z
      .array(Id)
      .max(3)
      .optional()
      .describe('Ids of my uploaded images for the model; at most 3.')
      .meta({ example: ['01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d1a'] }),
  })
  .meta({ id: 'ChatMessage' })
export type ChatMessage = z.infer<typeof ChatMessage>

const TriageUpdate = z
  .strictObject({
    client_name: z.string().optional().describe('The client’s company.'),
    asset_name: z.string().optional().describe('The affected machine or device.'),
    issue_category: z.string().optional().describe('The category of the problem.'),
    triage_hypothesis: z.string().optional().describe('The suspected cause.'),
    evidence_items: z.array(EvidenceItem).optional().describe('All evidence, when the model added some.'),
  })
  .describe('Fields of the triage header that the model filled. The model never overwrites a value.')

const turnChanges = {
  triage_update: TriageUpdate.optional().meta({ example: { issue_category: 'Printing' } }),
  suggested_fix: SuggestedFix.optional().describe('The fix that the model suggests.'),
}

export const ChatReply = z
  .strictObject({
    message: z
      .strictObject({
        id: Id,
        role: z.literal('assistant').describe('The model.'),
        content: z
          .string()
          .describe('The text, as markdown.')
          .meta({ example: 'Does the printer answer a ping?' }),
        citations: Citations,
        sources: Sources,
        flow_offer: FlowOffer,
        lookups: Lookups,
        failure: AnswerFailure,
        created_at: Time,
      })
      .describe('The reply of the model.'),
    ...turnChanges,
    task_lane_update: TaskLane.optional().describe('The whole task lane, when the model added to it.'),
    outcome_proposal: OutcomeProposal.extend({ fix_id: Id.describe('Id of the fix.') })
      .optional()
      .describe('The outcome that the model proposes for a fix. The technician decides on it.'),
  })
  .meta({ id: 'ChatMessageResponse' })
export type ChatReply = z.infer<typeof ChatReply>

export const ReplyEvents = { ...textEvents, message: ChatReply }
export type ReplyEvents = EventData<typeof ReplyEvents>

export const TranscriptQuery = z.strictObject({
  branch_id: Id.optional().describe('Id of a branch of the session; the active branch when left out.'),
})
export const Transcript = z.array(AiMessage)

export const GuidedResponse = z
  .strictObject({
    response: TurnText.optional()
      .describe(
        'The response to the current step. Leave it out when there is no current step, to get the next one.',
      )
      .meta({ example: 'Yes' }),
    step_id: Id.optional().describe(
      'The step that the response belongs to. Returns 409 with the current step if another step is current.',
    ),
  })
  .prefault({})
  .meta({ id: 'GuidedResponse' })
export type GuidedResponse = z.infer<typeof GuidedResponse>

export const GuidedReply = z
  .strictObject({ step: GuidedStep.describe('The next step.'), ...turnChanges })
  .meta({ id: 'GuidedReply' })
export type GuidedReply = z.infer<typeof GuidedReply>
