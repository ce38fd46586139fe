import * as z from 'zod'
import { ExpectedVersion, Flag, Id, idParams, Name, Secret, Time, Version } from '#http/fields.ts'
import { Language, ParametersSchema, Risk, RiskReasons, ScriptBody } from '#rules/scripts/schema.ts'
import { validateParameters } from '#rules/scripts/validate.ts'

export const TemplateId = idParams('template_id', 'script template')

const scriptFields = {
  id: Id,
  name: z.string().describe('Name of the template.').meta({ example: 'Restart a service' }),
  slug: z.string().describe('Unique identifier in URLs. It does not change when the template is renamed.'),
  description: z
    .string()
    .describe('What the script does.')
    .meta({ example: 'Restarts a Windows service and waits until it runs.' }),
  parameters_schema: ParametersSchema,
  language: Language,
  requires_elevation: z.boolean().describe('Whether it needs administrator rights.'),
  risk: Risk,
  category_id: Id.nullable()
    .describe('Its category.')
    .meta({ example: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1f22' }),
  category: z.string().nullable().describe('The category’s name.'),
  is_shared: z
    .boolean()
    .describe(
      'Whether the whole account can see the template. Otherwise only its creator, its team and account admins can.',
    ),
  is_gallery_featured: z.boolean().describe('Whether staff featured it in the public gallery.'),
  gallery_sort_order: z.int().describe('Position in the gallery; smaller values first.').meta({ example: 0 }),
  source_session_id: Id.nullable().describe('The AI session that the script came from.'),
  source_user_id: Id.nullable().describe('The user who proposed the script as a template.'),
  source_ticket_ref: z.string().nullable().describe('The ticket of that session.'),
  team_id: Id.nullable().describe('The team it belongs to.'),
  account_id: Id.describe(
    'The account it belongs to; the platform account for templates that ship with the service.',
  ),
  version: Version,
  created_by: Id.describe('The user who created it.'),
  created_at: Time,
  updated_at: Time.describe('When it was last saved.'),
}

export const ScriptTemplate = z
  .strictObject({
    ...scriptFields,
    risk_reasons: RiskReasons,
    script_body: z.string().describe('The script, with its placeholders.').meta({
      example:
        'Restart-Service -Name {{ service }}\n(Get-Service -Name {{ service }}).WaitForStatus("Running")\n',
    }),
  })
  .meta({ id: 'ScriptTemplateResponse' })
export type ScriptTemplate = z.infer<typeof ScriptTemplate>
export const ScriptItem = z.strictObject(scriptFields).meta({ id: 'ScriptTemplateListItem' })
export type ScriptItem = z.infer<typeof ScriptItem>

export const ScriptQuery = z.strictObject({
  mine: Flag.optional().describe('`true`: only templates that I created. `false`: only those of others.'),
  shared: Flag.optional().describe(
    '`true`: only templates that the whole account can see. `false`: only unshared templates.',
  ),
  language: Language.optional().describe('Only scripts in this language.'),
  category: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Only scripts of the category with this name.'),
  search: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Words that must all occur in the name or description.'),
})
export type ScriptQuery = z.infer<typeof ScriptQuery>

export const CheckedParameters = ParametersSchema.superRefine((parameters, ctx) => {
  for (const { path, message } of validateParameters(parameters))
    ctx.addIssue({ code: 'custom', path, message })
})

const inputFields = {
  name: Name.describe('Name of the template.').meta({ example: 'Restart a service' }),
  description: z.string().max(20_000).describe('What the script does.'),
  script_body: ScriptBody.meta({
    example:
      'Restart-Service -Name {{ service }}\n(Get-Service -Name {{ service }}).WaitForStatus("Running")\n',
  }),
  parameters_schema: CheckedParameters,
  language: Language,
  requires_elevation: z
    .boolean()
    .describe('Whether it needs administrator rights. Always true for a script that asks for them.')
    .meta({ example: true }),
  risk: Risk,
  category_id: Id.nullable().describe('Its category; null for none.'),
}
export const ScriptCreate = z
  .strictObject(inputFields)
  .partial()
  .required({ name: true, script_body: true, language: true })
  .meta({ id: 'ScriptTemplateCreate' })
export type ScriptCreate = z.infer<typeof ScriptCreate>
export const ScriptUpdate = z
  .strictObject({ ...inputFields, expected_version: ExpectedVersion })
  .partial()
  .meta({ id: 'ScriptTemplateUpdate' })
export type ScriptUpdate = z.infer<typeof ScriptUpdate>

export const ScriptShare = z
  .strictObject({
    is_shared: z
      .boolean()
      .default(true)
      .describe('`false` limits the template to its creator, its team and account admins.'),
  })
  .prefault({})
  .meta({ id: 'ScriptTemplateShare' })

export const RenderRequest = z
  .strictObject({
    parameters: z.record(z.string().max(60), z.unknown()).default({}).describe('Values by parameter name.'),
    session_id: Id.optional().describe(
      'A session that I may change. Its answers, secret ones included, fill the parameters of the same name that have no value. Required for a script of medium or high risk, with these values.',
    ),
  })
  .meta({ id: 'ScriptGenerateRequest' })

export type RenderRequest = z.infer<typeof RenderRequest>

export const RenderResult = z
  .strictObject({
    script: Secret.describe('The script with every value as a literal of its language.'),
    language: Language,
    requires_elevation: z.boolean().describe('Whether it needs administrator rights.'),
    warnings: z.array(z.string()).describe('What to consider before running the script.'),
    filename: z.string().describe('Suggested file name.').meta({ example: 'restart-a-service.ps1' }),
  })
  .meta({ id: 'ScriptGenerateResponse' })

export const ScriptCategory = z
  .strictObject({
    id: Id,
    name: z.string().describe('Unique in the account, ignoring case.').meta({ example: 'Windows' }),
    count: z.int().describe('Number of its scripts that I can see.').meta({ example: 7 }),
    created_at: Time,
  })
  .meta({ id: 'ScriptCategoryResponse' })
export type ScriptCategory = z.infer<typeof ScriptCategory>
export const ScriptCategoryCreate = z
  .strictObject({ name: Name.describe('Unique in the account, ignoring case.').meta({ example: 'Windows' }) })
  .meta({ id: 'ScriptCategoryCreate' })
