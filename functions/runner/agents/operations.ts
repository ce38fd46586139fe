import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as agents from './service.ts'

const listsRuns = {
  access: 'engineer',
  limit: 'read',
  alsoNeeds: ['sessions:read'],
  paged: true,
  returns: z.array(schemas.MachineRun),
} as const

export const runnerAgentOperations = [
  operation({
    id: 'runner.agents.list',
    route: 'GET /runner/agents',
    summary: 'List machines at the runner',
    description: 'Asks the runner. A client that it does not have has no machines.',
    access: 'engineer',
    limit: '30/minute',
    callsExternalService: true,
    query: schemas.RunnerAgentQuery,
    returns: schemas.RunnerAgents,
    errors: ['runner_auth_failed', 'runner_error', 'runner_not_connected'],
    handle: ({ ctx, query }) => agents.list(ctx, query),
  }),

  operation({
    ...listsRuns,
    id: 'runner.agents.listClientRuns',
    route: 'GET /runner/client-runs',
    summary: 'List what ran at a client',
    description:
      'Every script that ran on its machines, and every one that was recorded in a case of the client, newest first. The client is that of the machine at the runner, else that of the case when the run was recorded. The output and the case are null where I may not read the case.',
    query: schemas.ClientRunsQuery,
    handle: ({ ctx, query }) => agents.listRuns(ctx, { client: query.client }, query),
  }),

  operation({
    ...listsRuns,
    id: 'runner.agents.listRuns',
    route: 'GET /runner/agents/{agent_id}/runs',
    summary: 'List what ran on a machine',
    description:
      'Every script that the runner ran on it, newest first, with who ran and approved it, and how it ended. The output and the case are null where I may not read the case.',
    params: schemas.AgentId,
    handle: ({ ctx, params, query }) => agents.listRuns(ctx, { agentId: params.agent_id }, query),
  }),
]
