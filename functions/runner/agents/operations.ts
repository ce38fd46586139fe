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
]
