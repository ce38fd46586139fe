import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as library from './service.ts'

export const stepLibraryOperations = [
  operation({
    id: 'flows.stepLibrary.list',
    method: 'get',
    path: '/step-library',
    summary: 'Steps to use again, by title: own ones and those of published flows',
    access: 'user',
    limit: 'read',
    paged: true,
    query: schemas.LibraryQuery,
    success: 200,
    returns: z.array(schemas.LibraryStep),
    handle: ({ ctx, query }) => library.list(ctx, query),
  }),

  operation({
    id: 'flows.stepLibrary.create',
    method: 'post',
    path: '/step-library',
    summary: 'Put a step of my own into the library',
    access: 'engineer',
    limit: 'write',
    body: schemas.LibraryStepCreate,
    success: 201,
    returns: schemas.LibraryStep,
    handle: ({ ctx, body }) => library.create(ctx, body),
  }),

  operation({
    id: 'flows.stepLibrary.get',
    method: 'get',
    path: '/step-library/{step_id}',
    summary: 'One step of the library',
    access: 'user',
    limit: 'read',
    params: schemas.StepId,
    success: 200,
    returns: schemas.LibraryStep,
    handle: ({ ctx, params }) => library.get(ctx, params.step_id),
  }),

  operation({
    id: 'flows.stepLibrary.update',
    method: 'put',
    path: '/step-library/{step_id}',
    summary: 'Change a step of the library',
    description: 'A step that comes from a flow is changed there: 400 `flow_synced`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.StepId,
    body: schemas.LibraryStepUpdate,
    success: 200,
    returns: schemas.LibraryStep,
    errors: ['bad_request'],
    handle: ({ ctx, params, body }) => library.update(ctx, params.step_id, body),
  }),

  operation({
    id: 'flows.stepLibrary.delete',
    method: 'delete',
    path: '/step-library/{step_id}',
    summary: 'Delete a step of the library',
    description: 'A step that comes from a flow goes with it: 400 `flow_synced`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.StepId,
    success: 204,
    errors: ['bad_request'],
    handle: ({ ctx, params }) => library.remove(ctx, params.step_id),
  }),
]
