import * as z from 'zod'
import { exampleItem } from '#functions/sessions/sessions/schemas.ts'
import { exampleIds, Id, idParams, Time } from '#http/fields.ts'
import { agentIdPattern } from '#vendors/runner/runner.ts'

export const RunnerRunId = idParams('run_id', 'run')

const example = {
  script_template_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d52',
  agent_id: 'hYqWbTzKpLxRnVcMdFgJsAoEuIiQwZtBkDyNvXrC',
  time_limit_seconds: 120,
}

export const RunnerRun = z
  .strictObject({
    id: Id,
    session_id: Id.describe('The session, or the AI session, in which it runs.'),
    title: z.string().describe('The name of the script template.'),
    script_template_id: Id.describe('The script template; it may be deleted by now.'),
    script_version: z.int().describe('The version of the template that runs.'),
    approval_id: Id.nullable().describe('The approval of the script; null for a script of low risk.'),
    agent_id: z.string().describe('Id of the machine at the runner.'),
    target: z.string().nullable().describe('Host name of the machine; null before the start.'),
    time_limit_seconds: z.int().describe('How long the script may take.'),
    state: z
      .enum(['queued', 'running', 'finished', 'failed', 'unknown', 'cancelled'])
      .meta({ id: 'RunnerRunState' })
      .describe(
        '`failed`: the script did not start. `unknown`: nobody knows whether it started, or how it ended; it is not repeated. Look at the machine before you start it again.',
      ),
    error: z.string().nullable().describe('Why it failed or is unknown.'),
    script_run_id: Id.nullable().describe(
      'The script run with its exit code and output, once it is finished or unknown.',
    ),
    started_at: Time.nullable().describe('When the runner was asked to start it.'),
    finished_at: Time.nullable().describe('When its state became final.'),
    requested_by: Id.describe('The user who started it.'),
    created_at: Time,
  })
  .meta({
    id: 'RunnerRun',
    examples: [
      {
        ...example,
        id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e61',
        session_id: exampleItem.id,
        title: 'Restart a service',
        script_version: 3,
        approval_id: null,
        target: 'SRV-PRINT-01',
        state: 'running',
        error: null,
        script_run_id: null,
        started_at: '2026-11-21T09:30:02.000Z',
        finished_at: null,
        requested_by: exampleIds.user,
        created_at: '2026-11-21T09:30:00.000Z',
      },
    ],
  })
export type RunnerRun = z.infer<typeof RunnerRun>

export const RunnerRunCreate = z
  .strictObject({
    script_template_id: Id.describe('The script template. The service renders it; no other text can be run.'),
    parameters: z.record(z.string().max(60), z.unknown()).default({}).describe('Values by parameter name.'),
    agent_id: z.string().regex(agentIdPattern).describe('Id of the machine at the runner.'),
    time_limit_seconds: z
      .int()
      .min(5)
      .max(900)
      .default(120)
      .describe('How long the script may take, at most 15 minutes.'),
  })
  .meta({ id: 'RunnerRunCreate', examples: [{ ...example, parameters: { service: 'Spooler' } }] })
export type RunnerRunCreate = z.infer<typeof RunnerRunCreate>
