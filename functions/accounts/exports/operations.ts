import * as z from 'zod'
import { operation, stream } from '#http/operation.ts'
import * as schemas from './schemas.ts'

// Loaded on first use: most processes never export an account.
const load = () => import('./service.ts')

// Who leaves the service must get their data, so a lapsed subscription does not stop an export.
const access = { access: 'account_admin', skipGuards: 'account' } as const

export const accountExportOperations = [
  operation({
    id: 'accounts.exports.create',
    route: 'POST /accounts/me/export',
    summary: "Export my account's data",
    description: `Starts a job that writes a ZIP archive: \`manifest.json\`, a JSON Lines file per kind of record, flows as markdown and uploads. It contains what
every member can see, private flows too, but no passwords, keys or other secrets. An e-mail tells when it is ready. One export runs at a time.`,
    ...access,
    stepUp: true,
    limit: '10/hour',
    body: schemas.ExportCreate,
    success: 202,
    returns: schemas.AccountExport,
    errors: ['already_pending'],
    handle: async ({ ctx, body }) => (await load()).create(ctx, body),
  }),

  operation({
    id: 'accounts.exports.list',
    route: 'GET /accounts/me/exports',
    summary: "List my account's exports",
    description: 'Newest first. An export is listed for 90 days after its archive was deleted.',
    ...access,
    limit: 'read',
    paged: true,
    returns: z.array(schemas.AccountExport),
    handle: async ({ ctx, query }) => (await load()).list(ctx, query),
  }),

  operation({
    id: 'accounts.exports.get',
    route: 'GET /accounts/me/exports/{export_id}',
    summary: 'Get an export',
    description: 'Its state and progress, and where to download it when it is finished.',
    ...access,
    limit: 'read',
    params: schemas.ExportId,
    returns: schemas.AccountExport,
    handle: async ({ ctx, params }) => (await load()).get(ctx, params.export_id),
  }),

  operation({
    id: 'accounts.exports.createLink',
    route: 'POST /accounts/me/exports/{export_id}/link',
    summary: 'Create a download link',
    description:
      'The link works without a sign-in, for 24 hours. It ends earlier when its creator is no active admin any more.',
    ...access,
    stepUp: true,
    limit: '30/hour',
    params: schemas.ExportId,
    // A stored response would contain the token.
    idempotent: false,
    returns: schemas.ExportLink,
    errors: ['wrong_state'],
    handle: async ({ ctx, params }) => (await load()).createLink(ctx, params.export_id),
  }),

  stream({
    id: 'accounts.exports.download',
    route: 'GET /account-exports/{token}',
    summary: 'Download an export',
    description: 'The address of a download link.',
    access: 'public',
    platform: 'the account is not known before the token',
    limit: '30/minute/ip',
    strictLimit: 'public',
    callsExternalService: true,
    params: schemas.ExportToken,
    produces: ['application/zip'],
    errors: ['provider_error'],
    handle: async ({ ctx, params }) => (await load()).download(ctx, params.token),
  }),
]
