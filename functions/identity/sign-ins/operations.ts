import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as devices from './service.ts'

export const deviceOperations = [
  operation({
    id: 'identity.signIns.list',
    method: 'get',
    path: '/auth/me/sessions',
    summary: 'My signed-in devices, the last used first',
    access: 'user',
    past: 'guards',
    limit: 'read',
    success: 200,
    returns: z.array(schemas.Device),
    handle: ({ ctx }) => devices.list(ctx),
  }),

  operation({
    id: 'identity.signIns.revoke',
    method: 'delete',
    path: '/auth/me/sessions/{family_id}',
    summary: 'Sign one of my devices out',
    access: 'user',
    past: 'guards',
    limit: 'write',
    params: schemas.FamilyId,
    success: 204,
    handle: ({ ctx, params }) => devices.end(ctx, params.family_id),
  }),
]
