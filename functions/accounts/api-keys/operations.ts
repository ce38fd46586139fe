import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as apiKeys from './service.ts'

export const apiKeyOperations = [
  operation({
    id: 'accounts.apiKeys.list',
    route: 'GET /api-keys',
    summary: "List my account's API keys",
    description: 'Keys that are not revoked, newest first, with their last use.',
    access: 'account_admin',
    limit: 'read',
    paged: true,
    returns: z.array(schemas.ApiKey),
    handle: ({ ctx, query }) => apiKeys.list(ctx, query),
  }),

  operation({
    id: 'accounts.apiKeys.create',
    route: 'POST /api-keys',
    summary: 'Create an API key',
    description:
      'The answer is the only one with `key`. The key is revoked when its creator is deactivated or is no account admin any more. An account has at most 50 keys.',
    access: 'account_admin',
    stepUp: true,
    limit: '20/hour',
    // A stored response would contain the key.
    idempotent: false,
    body: schemas.ApiKeyCreate,
    returns: schemas.CreatedApiKey,
    errors: ['limit_reached'],
    handle: ({ ctx, body }) => apiKeys.create(ctx, body),
  }),

  operation({
    id: 'accounts.apiKeys.revoke',
    route: 'DELETE /api-keys/{key_id}',
    summary: 'Revoke an API key',
    description:
      'Applies to the next request, and to open streams within 30 seconds. What the key created stays.',
    access: 'account_admin',
    limit: 'write',
    params: schemas.ApiKeyId,
    handle: ({ ctx, params }) => apiKeys.revoke(ctx, params.key_id),
  }),
]
