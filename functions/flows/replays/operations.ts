import { TreeId } from '#functions/flows/trees/schemas.ts'
import { operation } from '#http/operation.ts'
import { jobSteps } from '#rules/budget.ts'
import * as schemas from './schemas.ts'
import * as replays from './service.ts'

export const replayOperations = [
  operation({
    id: 'flows.replays.run',
    route: 'POST /trees/{tree_id}/replay',
    alsoNeeds: ['sessions:read'],
    summary: 'Replay earlier runs through a draft',
    description:
      'Plays the newest completed runs of the published version through the current version, by their recorded answers, and stores nothing. ' +
      'Says of each step which runs end elsewhere since their answer to it, which have no answer to it, and which have one that is not possible any more. ' +
      'Steps are matched by id, and those with a new id by title and options. A draft without steps returns 400 `flow_empty`.',
    access: 'engineer',
    limit: '30/minute',
    params: TreeId,
    body: schemas.ReplayCreate,
    maxBody: 4 * 1024 * 1024,
    transport: { maxDepth: 128 },
    maxSteps: jobSteps,
    idempotent: false,
    success: 200,
    returns: schemas.Replay,
    errors: ['flow_empty', 'flow_invalid'],
    handle: ({ ctx, params, body }) => replays.run(ctx, params.tree_id, body),
  }),
]
