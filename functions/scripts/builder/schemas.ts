import { z } from 'zod'
import { exampleIds, Id, idParams, Name, Time } from '../../../lib/http/fields.ts'
import { Language, ParametersSchema, ScriptBody } from '../../../lib/scripts/schema.ts'
import { CheckedParameters } from '../scripts/schemas.ts'

export const BuilderId = idParams('session_id', 'script-builder session')

const Origin = z.enum(['standalone', 'pilot_inline']).describe('By itself, or beside an AI session.')

const item = {
  id: Id,
  user_id: Id.describe('Whose it is.'),
  origin: Origin,
  ai_session_id: Id.nullable().describe('The AI session it stands beside.'),
  language: Language,
  title: z.string().describe('What it is about.'),
  message_count: z.int().describe('How much was said, by both.'),
  created_at: Time,
  updated_at: Time.describe('When something was last said.'),
}
const exampleItem = {
  id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2f01',
  user_id: exampleIds.user,
  origin: 'standalone' as const,
  ai_session_id: null,
  language: 'powershell' as const,
  title: 'Restart the spooler',
  message_count: 2,
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:31:00.000Z',
}
export const BuilderItem = z.strictObject(item).meta({ id: 'ScriptBuilderListItem', examples: [exampleItem] })
export type BuilderItem = z.infer<typeof BuilderItem>

const Message = z
  .strictObject({
    id: Id,
    role: z.enum(['user', 'assistant']).describe('Who said it.'),
    content: z.string().describe('What was said; of the model, markdown.'),
    created_at: Time,
  })
  .meta({
    id: 'ScriptBuilderMessage',
    examples: [
      {
        id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2f02',
        role: 'assistant',
        content: 'This restarts the service and waits until it runs.',
        created_at: '2026-11-21T09:31:00.000Z',
      },
    ],
  })
const script = {
  script_body: z.string().nullable().describe('The script as it stands, with its placeholders; null before the first.'),
  parameters_schema: ParametersSchema,
}
const exampleMessage = {
  id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2f02',
  role: 'assistant' as const,
  content: 'This restarts the service and waits until it runs.',
  created_at: '2026-11-21T09:31:00.000Z',
}
const exampleScript = 'Restart-Service -Name {{ service }}\n'
const exampleParameters = [{ name: 'service', label: 'Service', type: 'string' as const, required: true }]

export const BuilderSession = z
  .strictObject({ ...item, ...script, messages: z.array(Message).describe('What was said, in its order.') })
  .meta({
    id: 'ScriptBuilderSession',
    examples: [
      { ...exampleItem, message_count: 1, script_body: exampleScript, parameters_schema: exampleParameters, messages: [exampleMessage] },
    ],
  })
export type BuilderSession = z.infer<typeof BuilderSession>

export const BuilderCreate = z
  .strictObject({
    origin: Origin,
    ai_session_id: Id.optional().describe('With `pilot_inline`: an AI session of mine.'),
    language: Language.default('powershell'),
    title: z.string().trim().min(1).max(300).optional().describe('What it is about.'),
  })
  .superRefine(({ origin, ai_session_id }, ctx) => {
    if (origin === 'pilot_inline' && !ai_session_id)
      ctx.addIssue({ code: 'custom', path: ['ai_session_id'], message: 'A session beside an AI session names it' })
    if (origin === 'standalone' && ai_session_id)
      ctx.addIssue({ code: 'custom', path: ['ai_session_id'], message: 'A standalone session has none' })
  })
  .meta({ id: 'ScriptBuilderCreate', examples: [{ origin: 'standalone', language: 'powershell', title: 'Restart the spooler' }] })
export type BuilderCreate = z.infer<typeof BuilderCreate>

export const BuilderQuery = z.strictObject({
  origin: z
    .enum(['standalone', 'pilot_inline', 'all'])
    .default('standalone')
    .describe('Those by themselves, those beside AI sessions, or all.'),
})
export type BuilderQuery = z.infer<typeof BuilderQuery>

export const BuilderMessage = z
  .strictObject({ message: z.string().trim().min(1).max(8000).describe('What the script is to do, or what to change of it.') })
  .meta({ id: 'ScriptBuilderRequest', examples: [{ message: 'Write a script that restarts a service and waits until it runs.' }] })

export const BuilderReply = z
  .strictObject({
    message: Message.describe('The model’s answer.'),
    script: z.string().optional().describe('The script, when this answer wrote or changed it.'),
    parameters_schema: ParametersSchema.optional().describe('What it is asked for; with the script.'),
  })
  .meta({
    id: 'ScriptBuilderReply',
    examples: [{ message: exampleMessage, script: exampleScript, parameters_schema: exampleParameters }],
  })
export type BuilderReply = z.infer<typeof BuilderReply>

export const BuilderSave = z
  .strictObject({
    name: Name.describe('What it is called in the library.'),
    category_id: Id.optional().describe('Its category.'),
    description: z.string().max(20_000).optional().describe('What it does.'),
    script_body: ScriptBody.optional().describe('In place of the session’s own.'),
    parameters_schema: CheckedParameters.optional().describe('In place of the session’s own.'),
  })
  .meta({ id: 'ScriptBuilderSave', examples: [{ name: 'Restart a service' }] })
export type BuilderSave = z.infer<typeof BuilderSave>
