import * as z from 'zod'
import { Time } from '#http/fields.ts'

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
