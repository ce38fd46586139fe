import * as z from 'zod'
import { AiSessionId } from '#functions/ai/sessions/schemas.ts'
import { CheckedParameters } from '#functions/scripts/scripts/schemas.ts'
import { Id, Secret } from '#http/fields.ts'
import { JsonValue } from '#rules/json-value.ts'
import { Language, ScriptBody } from '#rules/scripts/schema.ts'
import { Uuid } from '#rules/uuid.ts'

export const FixId = AiSessionId.extend({ fix_id: Uuid.describe('Id of the suggested fix.') })
export type FixId = z.infer<typeof FixId>

const Script = ScriptBody.refine((script) => script.trim() !== '', 'must not be empty')

export const ScriptPatch = z
  .strictObject({
    script: Script.describe(
      'The script. `{{ name }}` and `{{ name | filter }}` are placeholders for its parameters.',
    ),
    parameters: CheckedParameters.optional().describe(
      'The parameters of the script. The current ones stay when left out.',
    ),
    language: Language.optional().describe(
      'The language of the script. The current one stays when left out; PowerShell if there is none.',
    ),
  })
  .meta({ id: 'FixScript' })
export type ScriptPatch = z.infer<typeof ScriptPatch>

export const DecisionCreate = z
  .strictObject({
    decision: z
      .enum(['one_off', 'draft_template', 'build_template'])
      .meta({ id: 'FixScriptDecision' })
      .describe(
        '`one_off`: run the script once. `draft_template`: propose it as a template. `build_template`: build a template from it in the script builder.',
      ),
    edited_script: Script.optional().describe(
      'Used instead of the script of the fix, which stays unchanged.',
    ),
    parameters: z
      .record(z.string().max(60), JsonValue)
      .optional()
      .describe('Values of the script’s parameters, by name.'),
  })
  .meta({ id: 'FixDecision' })
export type DecisionCreate = z.infer<typeof DecisionCreate>

export const FixDecisionResult = z
  .strictObject({
    script: Secret.describe(
      'The script with the values filled in. For a template, placeholders without a value stay.',
    ),
    draft_template_id: Id.optional().describe(
      'Id of the new or already pending draft; only for `draft_template`.',
    ),
    redirect_path: z
      .string()
      .optional()
      .describe('Path of the script builder in the frontend; only for `build_template`.'),
  })
  .meta({ id: 'FixDecisionResponse' })
export type FixDecisionResult = z.infer<typeof FixDecisionResult>
