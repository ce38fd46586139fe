import * as z from 'zod'
import { CheckedParameters } from '#functions/scripts/scripts/schemas.ts'
import { exampleIds, Flag, Id, idParams, MessageRole, Name, Time } from '#http/fields.ts'
import { Language, ParametersSchema, ScriptBody } from '#rules/scripts/schema.ts'

export const BuilderId = idParams('session_id', 'script-builder session')

const Origin = z
  .enum(['standalone', 'pilot_inline'])
  .meta({ id: 'ScriptBuilderOrigin' })
  .describe('`standalone`: independent of other sessions. `pilot_inline`: part of an AI session.')

const itemFields = {
  id: Id,
  user_id: Id.describe('The user who started it.'),
  origin: Origin,
  ai_session_id: Id.nullable().describe('The AI session that it is part of.'),
  language: Language,
  title: z.string().describe('Title of the session.'),
  message_count: z.int().describe('Number of messages of the user and the model.'),
  created_at: Time,
  updated_at: Time.describe('When the model last replied; at first, when the session was created.'),
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
export const BuilderItem = z
  .strictObject(itemFields)
  .meta({ id: 'ScriptBuilderListItem', examples: [exampleItem] })
export type BuilderItem = z.infer<typeof BuilderItem>

const Message = z
  .strictObject({
    id: Id,
    role: MessageRole.describe('The sender of the message.'),
    content: z.string().describe('Text of the message; markdown if the model wrote it.'),
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
const scriptFields = {
  script_body: z
    .string()
    .nullable()
    .describe('The current script with its placeholders; null before there is one.'),
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
  .strictObject({
    ...itemFields,
    ...scriptFields,
    messages: z.array(Message).describe('The messages in order.'),
  })
  .meta({
    id: 'ScriptBuilderSession',
    examples: [
      {
        ...exampleItem,
        message_count: 1,
        script_body: exampleScript,
        parameters_schema: exampleParameters,
        messages: [exampleMessage],
      },
    ],
  })
export type BuilderSession = z.infer<typeof BuilderSession>

export const BuilderCreate = z
  .strictObject({
    origin: Origin,
    ai_session_id: Id.optional().describe('An AI session of mine, for origin `pilot_inline`.'),
    language: Language.default('powershell'),
    title: z.string().trim().min(1).max(300).optional().describe('Title of the session.'),
  })
  .superRefine(({ origin, ai_session_id }, ctx) => {
    if (origin === 'pilot_inline' && !ai_session_id)
      ctx.addIssue({
        code: 'custom',
        path: ['ai_session_id'],
        message: 'is required for origin pilot_inline',
      })
    if (origin === 'standalone' && ai_session_id)
      ctx.addIssue({
        code: 'custom',
        path: ['ai_session_id'],
        message: 'must be absent for origin standalone',
      })
  })
  .meta({
    id: 'ScriptBuilderCreate',
    examples: [{ origin: 'standalone', language: 'powershell', title: 'Restart the spooler' }],
  })
export type BuilderCreate = z.infer<typeof BuilderCreate>

export const BuilderQuery = z.strictObject({
  origin: z
    .enum(['standalone', 'pilot_inline', 'all'])
    .meta({ id: 'ScriptBuilderOriginFilter' })
    .default('standalone')
    .describe(
      '`standalone`: only standalone sessions. `pilot_inline`: only sessions that are part of an AI session. `all`: both.',
    ),
  owner_left: Flag.prefault('false').describe(
    'Instead, those of members who have left: all for account admins, those of the members of their team for team admins.',
  ),
})
export type BuilderQuery = z.infer<typeof BuilderQuery>

export const BuilderMessage = z
  .strictObject({
    message: z.string().trim().min(1).max(8000).describe('What the script must do, or what to change.'),
  })
  .meta({
    id: 'ScriptBuilderRequest',
    examples: [{ message: 'Write a script that restarts a service and waits until it runs.' }],
  })

export const BuilderReply = z
  .strictObject({
    message: Message.describe('The reply of the model.'),
    script: z.string().optional().describe('The script, if this reply wrote or changed it.'),
    parameters_schema: ParametersSchema.optional().describe(
      'The parameters of the script; present with `script`.',
    ),
  })
  .meta({
    id: 'ScriptBuilderReply',
    examples: [{ message: exampleMessage, script: exampleScript, parameters_schema: exampleParameters }],
  })
export type BuilderReply = z.infer<typeof BuilderReply>

export const BuilderSave = z
  .strictObject({
    name: Name.describe('Name of the script in the library.'),
    category_id: Id.optional().describe('Its category.'),
    description: z.string().max(20_000).optional().describe('What the script does.'),
    script_body: ScriptBody.optional().describe('Replaces the script of the session.'),
    parameters_schema: CheckedParameters.optional().describe('Replaces the parameters of the session.'),
  })
  .meta({ id: 'ScriptBuilderSave', examples: [{ name: 'Restart a service' }] })
export type BuilderSave = z.infer<typeof BuilderSave>
