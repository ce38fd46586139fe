import * as z from 'zod'
import { CheckedParameters } from '#functions/scripts/scripts/schemas.ts'
import { Flag, Id, idParams, MessageRole, Name, Time } from '#http/fields.ts'
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
  title: z.string().describe('Title of the session.').meta({ example: 'Restart the spooler' }),
  message_count: z.int().describe('Number of messages of the user and the model.').meta({ example: 2 }),
  created_at: Time,
  updated_at: Time.describe('When the model last replied; at first, when the session was created.'),
}
export const BuilderItem = z.strictObject(itemFields).meta({ id: 'ScriptBuilderListItem' })
export type BuilderItem = z.infer<typeof BuilderItem>

const Message = z
  .strictObject({
    id: Id,
    role: MessageRole.describe('The sender of the message.'),
    content: z
      .string()
      .describe('Text of the message; markdown if the model wrote it.')
      .meta({ example: 'This restarts the service and waits until it runs.' }),
    created_at: Time,
  })
  .meta({ id: 'ScriptBuilderMessage' })
const scriptFields = {
  script_body: z
    .string()
    .nullable()
    .describe('The current script with its placeholders; null before there is one.'),
  parameters_schema: ParametersSchema,
}

export const BuilderSession = z
  .strictObject({
    ...itemFields,
    ...scriptFields,
    messages: z.array(Message).describe('The messages in order.'),
  })
  .meta({ id: 'ScriptBuilderSession' })
export type BuilderSession = z.infer<typeof BuilderSession>

export const BuilderCreate = z
  .strictObject({
    origin: Origin,
    ai_session_id: Id.optional().describe('An AI session of mine, for origin `pilot_inline`.'),
    language: Language.default('powershell'),
    title: z
      .string()
      .trim()
      .min(1)
      .max(300)
      .optional()
      .describe('Title of the session.')
      .meta({ example: 'Restart the spooler' }),
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
  .meta({ id: 'ScriptBuilderCreate' })
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
    'Instead, those of members who can no longer work: all for account admins, those of the members of their team for team admins.',
  ),
})
export type BuilderQuery = z.infer<typeof BuilderQuery>

export const BuilderMessage = z
  .strictObject({
    message: z
      .string()
      .trim()
      .min(1)
      .max(8000)
      .describe('What the script must do, or what to change.')
      .meta({ example: 'Write a script that restarts a service and waits until it runs.' }),
  })
  .meta({ id: 'ScriptBuilderRequest' })

export const BuilderReply = z
  .strictObject({
    message: Message.describe('The reply of the model.'),
    script: z.string().optional().describe('The script, if this reply wrote or changed it.'),
    parameters_schema: ParametersSchema.optional().describe(
      'The parameters of the script; present with `script`.',
    ),
  })
  .meta({ id: 'ScriptBuilderReply' })
export type BuilderReply = z.infer<typeof BuilderReply>

export const BuilderSave = z
  .strictObject({
    name: Name.describe('Name of the script in the library.').meta({ example: 'Restart a service' }),
    category_id: Id.optional().describe('Its category.'),
    description: z.string().max(20_000).optional().describe('What the script does.'),
    script_body: ScriptBody.optional().describe('Replaces the script of the session.'),
    parameters_schema: CheckedParameters.optional().describe('Replaces the parameters of the session.'),
  })
  .meta({ id: 'ScriptBuilderSave' })
export type BuilderSave = z.infer<typeof BuilderSave>
