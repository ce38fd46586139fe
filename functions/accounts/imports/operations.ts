import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'

// Loaded on first use: most processes never import an archive.
const load = () => import('./service.ts')

export const accountImportOperations = [
  operation({
    id: 'accounts.imports.create',
    route: 'POST /accounts/me/import',
    summary: 'Import an export into my account',
    description: `Starts a job that restores settings, teams, categories, scripts, device types, diagrams, target lists, the step library, and flows with their versions.
The account must have no flows, scripts, diagrams and target lists: 409 \`account_not_empty\`. Everything gets new ids and belongs to the caller.
Either all is stored, when the import has \`succeeded\`, or nothing. One import runs at a time.
An archive has at most 16 MiB, and 64 MiB of restored records; \`contents: restorable\` makes a smaller one.`,
    access: 'account_admin',
    stepUp: true,
    limit: '10/hour',
    bodyFormat: 'file',
    maxBody: 16 * 1024 * 1024,
    idempotent: 'leased',
    success: 202,
    returns: schemas.AccountImport,
    errors: ['account_not_empty', 'already_pending', 'provider_error', 'unsupported_version'],
    handle: async ({ ctx, body }) => (await load()).create(ctx, body),
  }),

  operation({
    id: 'accounts.imports.get',
    route: 'GET /accounts/me/imports/{import_id}',
    summary: 'Get an import with its progress',
    description: 'It can be read for 90 days.',
    access: 'account_admin',
    limit: 'read',
    params: schemas.ImportId,
    returns: schemas.AccountImport,
    handle: async ({ ctx, params }) => (await load()).get(ctx, params.import_id),
  }),
]
