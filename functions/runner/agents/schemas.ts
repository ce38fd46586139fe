import * as z from 'zod'
import { Id, Time } from '#http/fields.ts'

const Search = z.string().trim().min(1).max(200)

export const RunnerAgentQuery = z.strictObject({
  client: Search.optional().describe(
    'Only machines of the client with this name at the runner, in any case.',
  ),
  search: Search.optional().describe('A part of the name of the machine or its site, in any case.'),
})
export type RunnerAgentQuery = z.infer<typeof RunnerAgentQuery>

const RunnerAgent = z
  .strictObject({
    id: z
      .string()
      .describe('Id at the runner.')
      .meta({ example: 'hYqWbTzKpLxRnVcMdFgJsAoEuIiQwZtBkDyNvXrC' }),
    name: z.string().describe('Host name.').meta({ example: 'SRV-PRINT-01' }),
    client: z.string().describe('Name of its client.').meta({ example: 'Northwind' }),
    site: z.string().describe('Name of its site.'),
    platform: z.string().describe('Its platform, such as `windows`, `linux` or `darwin`.'),
    is_online: z.boolean().describe('Whether the runner reaches it.'),
    last_seen: Time.nullable().describe('When the runner last heard of it.'),
  })
  .meta({ id: 'RunnerAgent' })

export const RunnerAgents = z
  .strictObject({
    agents: z.array(RunnerAgent).describe('The first 100 by name.'),
    total: z.int().describe('How many match.'),
    warnings: z
      .array(z.string())
      .describe('Machines that could not be read, as sentences.')
      .meta({ example: ['1 record was left out: “agent_id” could not be read'] }),
  })
  .meta({ id: 'RunnerAgentList' })

export const AgentId = z.object({
  agent_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,100}$/)
    .describe('Id of the machine at the runner. One that nothing ran on has no runs.')
    .meta({ example: 'hYqWbTzKpLxRnVcMdFgJsAoEuIiQwZtBkDyNvXrC' }),
})

export const ClientRunsQuery = z.strictObject({
  client: Search.describe('The name of the client, in any case.').meta({ example: 'Northwind' }),
})

const MachinePerson = z
  .strictObject({ id: Id, name: z.string().describe('Name of the member.').meta({ example: 'Dana Reyes' }) })
  .meta({ id: 'MachinePerson' })

const MachineCase = z
  .strictObject({
    kind: z
      .enum(['session', 'ai_session'])
      .meta({ id: 'MachineCaseKind' })
      .describe('Whether it is a run of a flow or an AI session.'),
    id: Id,
    title: z
      .string()
      .describe('The name of the flow, or the title of the AI session.')
      .meta({ example: 'Printer offline' }),
    client_name: z.string().nullable().describe('The client of the case.').meta({ example: 'Northwind' }),
    ticket: z.string().nullable().describe('The ticket of the case.').meta({ example: 'T-48213' }),
  })
  .meta({ id: 'MachineCase' })

export const MachineRun = z
  .strictObject({
    id: Id.describe('Id of the script run.'),
    title: z.string().describe('The name of the script.').meta({ example: 'Restart the spooler' }),
    script_template_id: Id.nullable().describe('The script template; it may be deleted by now.'),
    script_version: z.int().nullable().describe('The version that the template had.'),
    target: z.string().describe('Name that the machine had.').meta({ example: 'SRV-PRINT-01' }),
    agent_id: z
      .string()
      .nullable()
      .describe('Id of the machine at the runner; null for a run that was recorded by hand.'),
    client_name: z
      .string()
      .nullable()
      .describe('The client of the machine, or else of the case.')
      .meta({ example: 'Northwind' }),
    exit_code: z.int().nullable().describe('The exit code; null when it is not known.'),
    output_end: z
      .string()
      .nullable()
      .describe('The last 2,000 characters of what it printed. The script runs of the case have all of it.'),
    started_at: Time,
    ended_at: Time,
    run_by: MachinePerson.describe('Who started it.'),
    approved_by: MachinePerson.nullable().describe('Who approved it; null for a script of low risk.'),
    case: MachineCase.nullable().describe('The case in which it ran; null if I may not read it.'),
    created_at: Time,
  })
  .meta({ id: 'MachineRun' })
