import { z } from 'zod'
import { Id, Text } from '../../../lib/http/fields.ts'
import { Language, ScriptBody } from '../../../lib/scripts/schema.ts'
import { CheckedParameters } from '../../scripts/scripts/schemas.ts'
import { AiSessionId } from '../sessions/schemas.ts'

export const FixId = AiSessionId.extend({ fix_id: z.uuid().describe('Id of the suggested fix.') })
export type FixId = z.infer<typeof FixId>

export const OutcomePatch = z
  .strictObject({
    outcome: z
      .enum(['applied_success', 'applied_failed', 'applied_partial', 'applied_pending', 'dismissed'])
      .describe('What became of it. Success, failed and dismissed are final.'),
    notes: Text.optional().describe('What of it helped, which a partial outcome needs; or why it failed. Not kept of the others.'),
    reason: Text.optional().describe('What is waited for, which a pending outcome needs. Not kept of the others.'),
  })
  .superRefine(({ outcome, notes, reason }, ctx) => {
    if (outcome === 'applied_partial' && !notes) ctx.addIssue({ code: 'custom', path: ['notes'], message: 'A partial outcome needs notes' })
    if (outcome === 'applied_pending' && !reason)
      ctx.addIssue({ code: 'custom', path: ['reason'], message: 'A pending outcome needs a reason' })
  })
  .meta({ id: 'FixOutcome', examples: [{ outcome: 'applied_partial', notes: 'Prints again, in black only.' }] })
export type OutcomePatch = z.infer<typeof OutcomePatch>

const Script = ScriptBody.refine((script) => script.trim() !== '', 'The script is empty')

export const ScriptPatch = z
  .strictObject({
    script: Script.describe('The script. With parameters, `{{ name }}` and `{{ name | filter }}` stand for them.'),
    parameters: CheckedParameters.optional().describe('What it is asked for; those it has stay when left out.'),
    language: Language.optional().describe('What runs it; what it was stays when left out, PowerShell at first.'),
  })
  .meta({ id: 'FixScript', examples: [{ script: "Restart-Service -Name 'Spooler' -Force", parameters: [] }] })
export type ScriptPatch = z.infer<typeof ScriptPatch>

export const DecisionCreate = z
  .strictObject({
    decision: z
      .enum(['one_off', 'draft_template', 'build_template'])
      .describe('Run it once, put it forward as a template, or build a template of it in the script builder.'),
    edited_script: Script.optional().describe('Takes the place of the fix’s own script.'),
    parameters: z.record(z.string().max(60), z.json()).optional().describe('Values for the script’s parameters, by their names.'),
  })
  .meta({ id: 'FixDecision', examples: [{ decision: 'one_off', parameters: { service: 'Spooler' } }] })
export type DecisionCreate = z.infer<typeof DecisionCreate>

export const DecisionMade = z
  .strictObject({
    script: z
      .string()
      .describe('The script with its values in it; what a template is made of keeps the placeholders that no value was given for.'),
    draft_template_id: Id.optional().describe('The draft that was made, or was there already.'),
    redirect_path: z.string().optional().describe('Where in the frontend the script builder goes on.'),
  })
  .meta({ id: 'FixDecisionResponse', examples: [{ script: "Restart-Service -Name 'Spooler' -Force" }] })
export type DecisionMade = z.infer<typeof DecisionMade>
