import * as z from 'zod'
import { Instant, TargetLabel } from '#functions/sessions/sessions/schemas.ts'
import { Id, Name, Text, Time } from '#http/fields.ts'
import { maxExitCode, minExitCode, toExitCode } from '#rules/scripts/exit-code.ts'
import { toPlainOutput } from '#rules/text/terminal-output.ts'

const encoder = new TextEncoder()
/** The size of an output that is kept. */
export const maxOutputBytes = 64 * 1024

export const ScriptRun = z
  .strictObject({
    id: Id,
    session_id: Id.describe('The session, or the AI session, in which it ran.'),
    step_id: z.string().nullable().describe('The step of the flow; null in an AI session.'),
    title: z
      .string()
      .describe('The name of the script. Secret answers of the session are `[secret]`.')
      .meta({ example: 'Restart the spooler' }),
    script_template_id: Id.nullable().describe('The script template that was run; it may be deleted by now.'),
    script_version: z.int().nullable().describe('The version that the template had.'),
    script: z
      .string()
      .nullable()
      .describe('The text that was run; null for a template. Secret answers of the session are `[secret]`.'),
    approval_id: Id.nullable().describe('The approval of the script.'),
    target: z
      .string()
      .describe('The machine. Secret answers of the session are `[secret]`.')
      .meta({ example: 'SRV-PRINT-01' }),
    exit_code: z.int().nullable().describe('The exit code; null when it is not known.'),
    output: z.string().describe('What it printed. Secret answers of the session are `[secret]`.'),
    started_at: Time,
    ended_at: Time,
    run_by: Id.describe('The user who recorded it.'),
    run_by_name: z.string().nullable().describe('The name of that user.').meta({ example: 'Dana Reyes' }),
    created_at: Time,
  })
  .meta({ id: 'ScriptRun' })
export type ScriptRun = z.infer<typeof ScriptRun>

const runFields = {
  title: Name.optional()
    .describe('The name of the script. By default that of the template, or its first line.')
    .meta({ example: 'Restart the spooler' }),
  script_template_id: Id.optional().describe('The script template that was run.'),
  script: Text.optional().describe('The text that was run, if it is no template.'),
  target: TargetLabel.describe('The machine.').meta({ example: 'SRV-PRINT-01' }),
  exit_code: z
    .int()
    .min(minExitCode)
    .max(maxExitCode)
    .overwrite((code) => toExitCode(code) ?? code)
    .nullable()
    .default(null)
    .describe(
      'The exit code; null when it is not known. One above 2147483647 is stored as a signed number of 32 bits.',
    ),
  output: z
    .string()
    .max(maxOutputBytes)
    .overwrite(toPlainOutput)
    .refine(
      (text) => encoder.encode(text).byteLength <= maxOutputBytes,
      'must have at most 64 KB; send its end',
    )
    .default('')
    .describe(
      'What it printed, at most 64 KB. Colours, control characters and characters that hide or reverse text are removed.',
    ),
  started_at: Instant.describe(
    'When it started. A time before the session is its start, and one in the future is now.',
  ),
  ended_at: Instant.describe('When it ended, held likewise.'),
}
type RunInput = z.output<z.ZodObject<typeof runFields>>

function checkRun(
  { script, script_template_id, started_at, ended_at }: RunInput,
  ctx: z.core.$RefinementCtx,
): void {
  const addIssue = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message })
  if ((script === undefined) === (script_template_id === undefined))
    addIssue('script', 'must be given, or a script_template_id, not both')
  if (Date.parse(ended_at) < Date.parse(started_at)) addIssue('ended_at', 'must not be before started_at')
}

export const AiScriptRunCreate = z
  .strictObject(runFields)
  .superRefine(checkRun)
  .meta({ id: 'AIScriptRunCreate' })
export type AiScriptRunCreate = z.infer<typeof AiScriptRunCreate>

export const ScriptRunCreate = z
  .strictObject({
    ...runFields,
    step_id: z.string().min(1).max(100).optional().describe('The step of the flow.'),
    approval_id: Id.optional().describe(
      'The approval of the template’s script, which was granted in this session.',
    ),
  })
  .superRefine(checkRun)
  .meta({ id: 'ScriptRunCreate' })
export type ScriptRunCreate = z.infer<typeof ScriptRunCreate>
