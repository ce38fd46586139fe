import { operation } from '#http/operation.ts'
import { stepsPerSecond } from '#rules/budget.ts'
import * as schemas from './schemas.ts'

export const accountImportOperations = [
  operation({
    id: 'accounts.imports.create',
    method: 'post',
    path: '/accounts/me/import',
    summary: 'Import an export into my account',
    description: `The account must have no flows, scripts, diagrams and target lists: 409 \`account_not_empty\`. Restores settings, teams, categories, scripts, device types,
diagrams, target lists, the step library, and flows with their versions. Everything gets new ids and belongs to the caller. Either all is stored or nothing.
An archive has at most 16 MiB, and 64 MiB of restored records; \`contents: restorable\` makes a smaller one.`,
    access: 'account_admin',
    stepUp: true,
    limit: '10/hour',
    bodyFormat: 'file',
    maxBody: 16 * 1024 * 1024,
    // It pauses between records, so that other requests of the process run.
    maxSteps: 10 * stepsPerSecond,
    idempotent: 'leased',
    success: 201,
    returns: schemas.AccountImport,
    errors: ['account_not_empty', 'flow_invalid', 'limit_reached', 'unsupported_version', 'conflict'],
    // Loaded on first use: most processes never import an archive.
    handle: async ({ ctx, body }) => (await import('./service.ts')).create(ctx, body),
  }),
]
