import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as library from './service.ts'

export const stepLibraryOperations = [
  operation({
    id: 'flows.stepLibrary.list',
    route: 'GET /step-library',
    summary: 'List library steps',
    description:
      'Lists steps that were written for the library and steps of published flows, sorted by title.',
    access: 'user',
    limit: 'read',
    paged: true,
    query: schemas.LibraryQuery,
    returns: z.array(schemas.LibraryStep),
    handle: ({ ctx, query }) => library.list(ctx, query),
  }),

  operation({
    id: 'flows.stepLibrary.create',
    route: 'POST /step-library',
    summary: 'Add a step to the library',
    description: 'A step of the library can be inserted into any flow, as a copy.',
    access: 'engineer',
    limit: 'write',
    body: schemas.LibraryStepCreate,
    returns: schemas.LibraryStep,
    handle: ({ ctx, body }) => library.create(ctx, body),
  }),

  operation({
    id: 'flows.stepLibrary.get',
    route: 'GET /step-library/{step_id}',
    summary: 'Get a library step',
    description: 'The step with its text and its statistics.',
    access: 'user',
    limit: 'read',
    params: schemas.StepId,
    returns: schemas.LibraryStep,
    handle: ({ ctx, params }) => library.get(ctx, params.step_id),
  }),

  operation({
    id: 'flows.stepLibrary.update',
    route: 'PUT /step-library/{step_id}',
    summary: 'Update a library step',
    description: 'A step that belongs to a flow can only be changed there: 400 `managed_by_flow`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.StepId,
    body: schemas.LibraryStepUpdate,
    returns: schemas.LibraryStep,
    errors: ['managed_by_flow'],
    handle: ({ ctx, params, body }) => library.update(ctx, params.step_id, body),
  }),

  operation({
    id: 'flows.stepLibrary.delete',
    route: 'DELETE /step-library/{step_id}',
    summary: 'Delete a library step',
    description: 'A step that belongs to a flow can only be deleted there: 400 `managed_by_flow`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.StepId,
    errors: ['managed_by_flow'],
    handle: ({ ctx, params }) => library.remove(ctx, params.step_id),
  }),
]
