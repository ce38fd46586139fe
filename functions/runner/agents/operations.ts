import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as agents from './service.ts'

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
    id: 'runner.agents.listRuns',
    route: 'GET /runner/agents/{agent_id}/runs',
    summary: 'List what ran on a machine',
    description:
      'Every script that the runner ran on it, newest first, with who ran and approved it, and how it ended. The output and the case are null where I may not read the case.',
    access: 'engineer',
    limit: 'read',
    alsoNeeds: ['sessions:read'],
    params: schemas.AgentId,
    paged: true,
    returns: z.array(schemas.MachineRun),
    handle: ({ ctx, params, query }) => agents.listRuns(ctx, params.agent_id, query),
  }),
]
