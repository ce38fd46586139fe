import * as z from 'zod'
import { CheckedParameters } from '#functions/scripts/scripts/schemas.ts'
import { Id, idParams, Name, Time } from '#http/fields.ts'
import { Language, ParametersSchema, ScriptBody } from '#rules/scripts/schema.ts'

export const DraftId = idParams('draft_id', 'draft')

export const DraftTemplate = z
  .strictObject({
    id: Id,
    status: z
      .enum(['pending', 'accepted', 'rejected'])
      .meta({ id: 'DraftTemplateStatus' })
      .describe('`pending` until the draft is accepted or rejected.'),
    name: z.string().describe('Proposed name of the template.').meta({ example: 'Clear the print queue' }),
    description: z.string().describe('What the script does.'),
    language: Language,
    script_body: z.string().describe('The script, with its placeholders.'),
    proposed_parameters: ParametersSchema,
    source_session_id: Id.nullable().describe('The AI session that the script came from.'),
    promoted_template_id: Id.nullable().describe('The template that was created from the draft.'),
    created_by: Id.describe('The user who proposed it.'),
    created_at: Time,
    resolved_at: Time.nullable().describe('When it was accepted or rejected.'),
  })
  .meta({ id: 'DraftTemplateResponse' })
export type DraftTemplate = z.infer<typeof DraftTemplate>

export const DraftQuery = z.strictObject({
  pending_only: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true')
    .describe('`false` also lists accepted and rejected drafts.'),
})

export const DraftAccept = z
  .strictObject({
    script_body: ScriptBody,
    name: Name.describe('Name of the template.').meta({ example: 'Clear the print queue' }),
    category_id: Id.nullable().describe('The template’s category.'),
    description: z.string().max(20_000).describe('What the script does.'),
    parameters_schema: CheckedParameters,
  })
  .partial()
  .prefault({})
  .meta({ id: 'DraftTemplateAccept' })
export type DraftAccept = z.infer<typeof DraftAccept>
