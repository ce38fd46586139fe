import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as deviceTypes from './service.ts'

const feature = 'network_diagrams'

export const deviceTypeOperations = [
  operation({
    id: 'diagrams.deviceTypes.list',
    route: 'GET /device-types',
    summary: 'List diagram device types',
    description:
      'Lists the types that I can see and the types that ship with the service, sorted by category and name.',
    access: 'user',
    feature,
    limit: 'read',
    paged: true,
    query: schemas.DeviceTypeQuery,
    returns: z.array(schemas.DeviceType),
    handle: ({ ctx, query }) => deviceTypes.list(ctx, query),
  }),

  operation({
    id: 'diagrams.deviceTypes.create',
    route: 'POST /device-types',
    summary: 'Create a device type for my team',
    description: 'A name that the team already uses returns 409 `name_taken`.',
    access: 'engineer',
    feature,
    limit: 'write',
    body: schemas.DeviceTypeCreate,
    returns: schemas.DeviceType,
    errors: ['name_taken'],
    handle: ({ ctx, body }) => deviceTypes.create(ctx, body),
  }),

  operation({
    id: 'diagrams.deviceTypes.update',
    route: 'PUT /device-types/{device_type_id}',
    summary: 'Update a device type of my team',
    description: 'Diagrams that use the type show the change at once.',
    access: 'engineer',
    feature,
    limit: 'write',
    params: schemas.DeviceTypeId,
    body: schemas.DeviceTypeUpdate,
    returns: schemas.DeviceType,
    errors: ['name_taken'],
    handle: ({ ctx, params, body }) => deviceTypes.update(ctx, params.device_type_id, body),
  }),

  operation({
    id: 'diagrams.deviceTypes.delete',
    route: 'DELETE /device-types/{device_type_id}',
    summary: 'Delete a device type of my team',
    description: 'Nodes of the type stay in their diagrams.',
    access: 'engineer',
    feature,
    limit: 'write',
    params: schemas.DeviceTypeId,
    handle: ({ ctx, params }) => deviceTypes.remove(ctx, params.device_type_id),
  }),
]
