import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as types from './service.ts'

const feature = 'network_diagrams'

export const deviceTypeOperations = [
  operation({
    id: 'diagrams.deviceTypes.list',
    method: 'get',
    path: '/device-types',
    summary: 'Device types by category and name: those that ship with the service and those of my team',
    access: 'user',
    feature,
    limit: 'read',
    paged: true,
    query: schemas.DeviceTypeQuery,
    success: 200,
    returns: z.array(schemas.DeviceType),
    handle: ({ ctx, query }) => types.list(ctx, query),
  }),

  operation({
    id: 'diagrams.deviceTypes.create',
    method: 'post',
    path: '/device-types',
    summary: 'Create a device type for my team',
    description: 'A name that the team has already is 409 `name_taken`.',
    access: 'engineer',
    feature,
    limit: 'write',
    body: schemas.DeviceTypeCreate,
    success: 201,
    returns: schemas.DeviceType,
    errors: ['conflict'],
    handle: ({ ctx, body }) => types.create(ctx, body),
  }),

  operation({
    id: 'diagrams.deviceTypes.update',
    method: 'put',
    path: '/device-types/{device_type_id}',
    summary: 'Change a device type of my team',
    access: 'engineer',
    feature,
    limit: 'write',
    params: schemas.DeviceTypeId,
    body: schemas.DeviceTypeUpdate,
    success: 200,
    returns: schemas.DeviceType,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => types.update(ctx, params.device_type_id, body),
  }),

  operation({
    id: 'diagrams.deviceTypes.delete',
    method: 'delete',
    path: '/device-types/{device_type_id}',
    summary: 'Delete a device type of my team',
    access: 'engineer',
    feature,
    limit: 'write',
    params: schemas.DeviceTypeId,
    success: 204,
    handle: ({ ctx, params }) => types.remove(ctx, params.device_type_id),
  }),
]
