import { z } from 'zod'
import { IntakeForm, TreeStructure, TreeType } from '../../../lib/flows/structure.ts'
import { exampleIds, Id, idParams, Name, Text, Time } from '../../../lib/http/fields.ts'
import { EnvironmentTags } from '../../ai/sessions/schemas.ts'
import { FlowProblem } from '../../flows/trees/schemas.ts'

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
    name: z.string().describe('What it is called.'),
    description: z.string().describe('What it is for; markdown.'),
    tree_type: TreeType,
    tree_structure: TreeStructure,
    intake_form: IntakeForm,
  })
  .describe('A flow that nobody saved yet.')
  .meta({ id: 'FlowDraft', examples: [exampleDraft] })

export const ConversationStart = z
  .strictObject({
    goal: Text.describe('What the flow is for, as a wish, a procedure or notes.'),
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

export const ConversationMessage = z
  .strictObject({ message: Text.describe('What is to be changed or added.') })
  .meta({ id: 'FlowConversationMessage', examples: [{ message: 'Rename the root to “Does the printer answer?”' }] })

export const ConversationCommit = z
  .strictObject({ name: Name.optional().describe('What the flow is to be called; the draft’s name when not said.') })
  .prefault({})
  .meta({ id: 'FlowConversationCommit', examples: [{ name: 'Printer offline' }] })
export type ConversationCommit = z.infer<typeof ConversationCommit>

export const Conversation = z
  .strictObject({
    id: Id,
    goal: z.string().describe('What the flow is for.'),
    tree_type: TreeType,
    environment_tags: EnvironmentTags,
    messages: z
      .array(
        z.strictObject({
          role: z.enum(['user', 'assistant']).describe('Who says it.'),
          content: z.string().describe('What is said; markdown.'),
          created_at: Time,
        }),
      )
      .describe('All that was said, in order.'),
    draft: FlowDraft.nullable().describe('The flow as it stands; null while there is none.'),
    problems: z.array(FlowProblem).describe('What would stop the draft from being published.'),
    created_at: Time,
    expires_at: Time.describe('24 hours after it began: then it is gone.'),
  })
  .meta({
    id: 'FlowConversation',
    examples: [
      {
        id: exampleIds.entry,
        goal: 'A printer is offline.',
        tree_type: 'troubleshooting',
        environment_tags: ['windows 11'],
        messages: [{ role: 'user', content: 'A printer is offline.', created_at: '2026-11-21T09:30:00.000Z' }],
        draft: exampleDraft,
        problems: [],
        created_at: '2026-11-21T09:30:00.000Z',
        expires_at: '2026-11-22T09:30:00.000Z',
      },
    ],
  })
export type Conversation = z.infer<typeof Conversation>
