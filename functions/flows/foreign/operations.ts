import { ImportResult } from '#functions/flows/transfer/schemas.ts'
import { operation } from '#http/operation.ts'
import { jobSteps } from '#rules/budget.ts'
import * as schemas from './schemas.ts'
import * as foreign from './service.ts'

export const foreignFlowOperations = [
  operation({
    id: 'flows.foreign.import',
    route: 'POST /trees/import/foreign',
    summary: 'Import a flow of another tool',
    description:
      'Accepts an exported flow of Typebot (JSON), a job of Rundeck (YAML or JSON) and a playbook of XSOAR (YAML); the content tells which. ' +
      'Conditions become decisions, inputs become fields of the intake form, and code stays code that a person runs. What has no counterpart is in ' +
      '`warnings`, together with the problems that prevent publishing the draft. A text that is none of these is a 422.',
    access: 'engineer',
    limit: '10/minute',
    body: schemas.ForeignFlow,
    maxBody: 4 * 1024 * 1024,
    maxSteps: jobSteps,
    returns: ImportResult,
    errors: ['limit_reached'],
    handle: ({ ctx, body }) => foreign.importForeign(ctx, body),
  }),
]
