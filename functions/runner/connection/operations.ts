import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as connection from './service.ts'

const path = '/integrations/runner'

export const runnerConnectionOperations = [
  operation({
    id: 'runner.connection.get',
    route: `GET ${path}`,
    summary: 'Get the runner connection',
    description: 'Returns the connection to the tool that runs scripts, without its key.',
    access: 'account_admin',
    limit: 'read',
    returns: schemas.RunnerConnection,
    errors: ['runner_not_connected'],
    handle: ({ ctx }) => connection.get(ctx),
  }),

  operation({
    id: 'runner.connection.put',
    route: `PUT ${path}`,
    summary: 'Create or replace the runner connection',
    description:
      'Does not check the key: test the connection afterwards. Without `api_key` the stored key stays; a new connection, and a `base_url` on another origin, need one.',
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    body: schemas.RunnerConnectionPut,
    returns: schemas.RunnerConnection,
    errors: ['stale_version'],
    handle: ({ ctx, body }) => connection.put(ctx, body),
  }),

  operation({
    id: 'runner.connection.delete',
    route: `DELETE ${path}`,
    summary: 'Delete the runner connection',
    description: 'Deletes its key too. Runs of scripts can still be recorded by hand.',
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    errors: ['runner_not_connected'],
    handle: ({ ctx }) => connection.remove(ctx),
  }),

  operation({
    id: 'runner.connection.test',
    route: 'POST /integrations/runner/test',
    summary: 'Test the runner connection',
    description:
      'Checks the key at the runner. If it refuses the key or is unreachable, the response is a 200 with `success` false.',
    access: 'account_admin',
    limit: '5/minute',
    success: 200,
    returns: schemas.RunnerTest,
    errors: ['runner_not_connected'],
    idempotent: 'leased',
    handle: ({ ctx }) => connection.test(ctx),
  }),
]
