import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as presence from './service.ts'

export const presenceOperations = [
  operation({
    id: 'presence.list',
    route: 'GET /presence',
    summary: 'List presence',
    description:
      'Lists who views or edits the flows, sessions and AI sessions that I see, including me. Those who edit come first.',
    access: 'user',
    limit: 'read',
    closedToKeys: true,
    query: schemas.PresenceQuery,
    paged: true,
    returns: z.array(schemas.PresenceListItem),
    handle: ({ ctx, query }) => presence.list(ctx, query),
  }),

  operation({
    id: 'presence.put',
    route: 'PUT /presence',
    summary: 'Set my presence',
    description:
      'Lasts 60 seconds: repeat the request every 30 seconds while the page is visible. Returns the colleagues who are there. Colleagues who see the resource receive a `presence` event of the escalation stream when I arrive, change the mode or leave, and none for a repetition. A person may have 20 presences, and a resource 100 tabs (409 `limit_reached`).',
    access: 'user',
    limit: 'write',
    closedToKeys: true,
    body: schemas.PresencePut,
    returns: schemas.Presence,
    errors: ['forbidden', 'limit_reached', 'not_found'],
    handle: ({ ctx, body }) => presence.put(ctx, body),
  }),

  operation({
    id: 'presence.delete',
    route: 'DELETE /presence',
    summary: 'End my presence',
    description: 'Colleagues see it at once. Succeeds if I am not there.',
    access: 'user',
    limit: 'write',
    closedToKeys: true,
    query: schemas.PresenceDelete,
    handle: ({ ctx, query }) => presence.remove(ctx, query),
  }),
]
