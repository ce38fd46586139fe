import * as z from 'zod'
import { RequestComment } from '#functions/sessions/approvals/schemas.ts'
import { Id, idParams, Time } from '#http/fields.ts'
import { agentIdPattern } from '#vendors/runner/runner.ts'

export const RunnerRunId = idParams('run_id', 'run')

export const RunnerRun = z
  .strictObject({
    id: Id,
    session_id: Id.describe('The session, or the AI session, in which it runs.'),
    title: z.string().describe('The name of the script template.').meta({ example: 'Restart a service' }),
    script_template_id: Id.describe('The script template; it may be deleted by now.'),
    script_version: z.int().describe('The version of the template that runs.').meta({ example: 3 }),
    approval_id: Id.nullable().describe('The approval of this run; null for a script of low risk.'),
    agent_id: z
      .string()
      .describe('Id of the machine at the runner.')
      .meta({ example: 'hYqWbTzKpLxRnVcMdFgJsAoEuIiQwZtBkDyNvXrC' }),
    target: z
      .string()
      .nullable()
      .describe('Host name of the machine; null before the start.')
      .meta({ example: 'SRV-PRINT-01' }),
    time_limit_seconds: z.int().describe('How long the script may take.').meta({ example: 120 }),
    state: z
      .enum(['queued', 'running', 'finished', 'failed', 'unknown', 'cancelled'])
      .meta({ id: 'RunnerRunState' })
      .describe(
        '`failed`: the script did not start. `unknown`: nobody knows whether it started, or how it ended; it is not repeated. Look at the machine before you start it again. A result that the machine reports within six hours makes it `finished`.',
      ),
    error: z.string().nullable().describe('Why it failed or is unknown.'),
    script_run_id: Id.nullable().describe(
      'The script run with its exit code and output, once it is finished or unknown. A late result is another one.',
    ),
    started_at: Time.nullable().describe('When the runner was asked to start it.'),
    finished_at: Time.nullable().describe('When its state became final.'),
    requested_by: Id.describe('The user who started it.'),
    created_at: Time,
  })
  .meta({ id: 'RunnerRun' })
export type RunnerRun = z.infer<typeof RunnerRun>

const ordered = {
  script_template_id: Id.describe('The script template. The service renders it; no other text can be run.'),
  parameters: z.record(z.string().max(60), z.unknown()).default({}).describe('Values by parameter name.'),
  agent_id: z
    .string()
    .regex(agentIdPattern)
    .describe('Id of the machine at the runner.')
    .meta({ example: 'hYqWbTzKpLxRnVcMdFgJsAoEuIiQwZtBkDyNvXrC' }),
  client_name: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'The client of the machine, by its name at the runner; needed if it is not the client of the case.',
    )
    .meta({ example: 'Northwind' }),
}

export const RunnerRunCreate = z
  .strictObject({
    ...ordered,
    time_limit_seconds: z
      .int()
      .min(5)
      .max(900)
      .default(120)
      .describe('How long the script may take, at most 15 minutes.'),
  })
  .meta({ id: 'RunnerRunCreate' })
export type RunnerRunCreate = z.infer<typeof RunnerRunCreate>

export const RunnerApprovalRequest = z
  .strictObject({
    ...ordered,
    comment: RequestComment,
  })
  .meta({ id: 'RunnerApprovalRequest' })
export type RunnerApprovalRequest = z.infer<typeof RunnerApprovalRequest>
