import * as z from 'zod'
import { EnvironmentTags } from '#functions/ai/sessions/schemas.ts'
import { FlowProblem } from '#functions/flows/trees/schemas.ts'
import { Flag, Id, idParams, MessageRole, Name, Text, Time } from '#http/fields.ts'
import { IntakeForm, TreeStructure, TreeType } from '#rules/flows/structure.ts'

export const ConversationId = idParams('conversation_id', 'flow-builder conversation')

export const FlowDraft = z
  .strictObject({
    name: z.string().describe('Name of the flow.'),
    description: z.string().describe('Purpose of the flow, as markdown.'),
    tree_type: TreeType,
    tree_structure: TreeStructure,
    intake_form: IntakeForm,
  })
  .describe('A flow that is not saved yet.')
  .meta({ id: 'FlowDraft' })

export const ConversationStart = z
  .strictObject({
    goal: Text.describe('The purpose of the flow, as a request, a procedure or notes.').meta({
      example:
        'If the printer answers a ping, then clear the print queue, otherwise reseat the network cable.',
    }),
    tree_type: TreeType,
    environment_tags: EnvironmentTags.optional(),
  })
  .meta({ id: 'FlowConversationStart' })
export type ConversationStart = z.infer<typeof ConversationStart>

export const ConversationMessage = z
  .strictObject({
    message: Text.describe('What to change or add.').meta({
      example: 'Rename the root to “Does the printer answer?”',
    }),
  })
  .meta({ id: 'FlowConversationMessage' })

export const ConversationCommit = z
  .strictObject({ name: Name.optional().describe('Name of the flow; the name of the draft when left out.') })
  .prefault({})
  .meta({ id: 'FlowConversationCommit' })
export type ConversationCommit = z.infer<typeof ConversationCommit>

export const ConversationQuery = z.strictObject({
  owner_left: Flag.prefault('false').describe(
    'Instead, those of members who can no longer work: all for account admins, those of the members of their team for team admins.',
  ),
})
export type ConversationQuery = z.infer<typeof ConversationQuery>

export const ConversationItem = z
  .strictObject({
    id: Id,
    user_id: Id.describe('The member who started it.'),
    goal: z
      .string()
      .describe('The purpose of the flow, at most 300 characters of it.')
      .meta({ example: 'A network printer shows as offline' }),
    tree_type: TreeType,
    turns: z.int().describe('How often the model has answered.').meta({ example: 2 }),
    created_at: Time,
    expires_at: Time.describe('When the conversation will be deleted.'),
  })
  .meta({ id: 'FlowConversationListItem' })
export type ConversationItem = z.infer<typeof ConversationItem>

export const Conversation = z
  .strictObject({
    id: Id,
    goal: z.string().describe('The purpose of the flow.').meta({ example: 'A printer is offline.' }),
    tree_type: TreeType,
    environment_tags: EnvironmentTags,
    messages: z
      .array(
        z.strictObject({
          role: MessageRole.describe('The author of the message.'),
          content: z.string().describe('The text, as markdown.').meta({ example: 'A printer is offline.' }),
          created_at: Time,
        }),
      )
      .describe('All messages, in order.'),
    draft: FlowDraft.nullable().describe('The current draft; null while there is none.'),
    problems: z.array(FlowProblem).describe('Problems that prevent publishing the draft.'),
    created_at: Time,
    expires_at: Time.describe('When the conversation is deleted: 24 hours after its start.'),
  })
  .meta({ id: 'FlowConversation' })
export type Conversation = z.infer<typeof Conversation>
