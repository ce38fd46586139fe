import * as z from 'zod'
import { EnvironmentTags } from '#functions/ai/sessions/schemas.ts'
import { FlowProblem } from '#functions/flows/trees/schemas.ts'
import { exampleIds, Flag, Id, idParams, MessageRole, Name, Text, Time } from '#http/fields.ts'
import { IntakeForm, TreeStructure, TreeType } from '#rules/flows/structure.ts'

export const ConversationId = idParams('conversation_id', 'flow-builder conversation')

export const exampleDraft = {
  name: 'Printer offline',
  description: 'A network printer shows as offline.',
  tree_type: 'troubleshooting' as const,
  tree_structure: {
    id: 'ping',
    type: 'decision' as const,
    title: 'Does it answer a ping?',
    description: '',
    options: [
      { id: 'option-1', label: 'Yes', next_node_id: 'queue' },
      { id: 'option-2', label: 'No', next_node_id: 'cable' },
    ],
    children: [
      { id: 'queue', type: 'solution' as const, title: 'Clear the print queue', description: '' },
      { id: 'cable', type: 'solution' as const, title: 'Reseat the network cable', description: '' },
    ],
  },
  intake_form: [],
}

export const FlowDraft = z
  .strictObject({
    name: z.string().describe('Name of the flow.'),
    description: z.string().describe('Purpose of the flow, as markdown.'),
    tree_type: TreeType,
    tree_structure: TreeStructure,
    intake_form: IntakeForm,
  })
  .describe('A flow that is not saved yet.')
  .meta({ id: 'FlowDraft', examples: [exampleDraft] })

export const ConversationStart = z
  .strictObject({
    goal: Text.describe('The purpose of the flow, as a request, a procedure or notes.'),
    tree_type: TreeType,
    environment_tags: EnvironmentTags.optional(),
  })
  .meta({
    id: 'FlowConversationStart',
    examples: [
      {
        goal: 'If the printer answers a ping, then clear the print queue, otherwise reseat the network cable.',
        tree_type: 'troubleshooting',
        environment_tags: ['windows 11'],
      },
    ],
  })
export type ConversationStart = z.infer<typeof ConversationStart>

export const ConversationMessage = z.strictObject({ message: Text.describe('What to change or add.') }).meta({
  id: 'FlowConversationMessage',
  examples: [{ message: 'Rename the root to “Does the printer answer?”' }],
})

export const ConversationCommit = z
  .strictObject({ name: Name.optional().describe('Name of the flow; the name of the draft when left out.') })
  .prefault({})
  .meta({ id: 'FlowConversationCommit', examples: [{ name: 'Printer offline' }] })
export type ConversationCommit = z.infer<typeof ConversationCommit>

export const ConversationQuery = z.strictObject({
  owner_left: Flag.prefault('false').describe(
    'Instead, those of members who have left: all for account admins, those of the members of their team for team admins.',
  ),
})
export type ConversationQuery = z.infer<typeof ConversationQuery>

export const ConversationItem = z
  .strictObject({
    id: Id,
    user_id: Id.describe('The member who started it.'),
    goal: z.string().describe('The purpose of the flow, at most 300 characters of it.'),
    tree_type: TreeType,
    turns: z.int().describe('How often the model has answered.'),
    created_at: Time,
    expires_at: Time.describe('When the conversation will be deleted.'),
  })
  .meta({
    id: 'FlowConversationListItem',
    examples: [
      {
        id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2f11',
        user_id: exampleIds.user,
        goal: 'A network printer shows as offline',
        tree_type: 'troubleshooting',
        turns: 2,
        created_at: '2026-11-21T09:30:00.000Z',
        expires_at: '2026-11-22T09:30:00.000Z',
      },
    ],
  })
export type ConversationItem = z.infer<typeof ConversationItem>

export const Conversation = z
  .strictObject({
    id: Id,
    goal: z.string().describe('The purpose of the flow.'),
    tree_type: TreeType,
    environment_tags: EnvironmentTags,
    messages: z
      .array(
        z.strictObject({
          role: MessageRole.describe('The author of the message.'),
          content: z.string().describe('The text, as markdown.'),
          created_at: Time,
        }),
      )
      .describe('All messages, in order.'),
    draft: FlowDraft.nullable().describe('The current draft; null while there is none.'),
    problems: z.array(FlowProblem).describe('Problems that prevent publishing the draft.'),
    created_at: Time,
    expires_at: Time.describe('When the conversation is deleted: 24 hours after its start.'),
  })
  .meta({
    id: 'FlowConversation',
    examples: [
      {
        id: exampleIds.entry,
        goal: 'A printer is offline.',
        tree_type: 'troubleshooting',
        environment_tags: ['windows 11'],
        messages: [
          { role: 'user', content: 'A printer is offline.', created_at: '2026-11-21T09:30:00.000Z' },
        ],
        draft: exampleDraft,
        problems: [],
        created_at: '2026-11-21T09:30:00.000Z',
        expires_at: '2026-11-22T09:30:00.000Z',
      },
    ],
  })
export type Conversation = z.infer<typeof Conversation>
