import type { AnyOperation } from '#http/operation.ts'

/** Create the declaration of an operation that is never called: `GET /a` for users, with `changes`. */
export function createStubOperation(changes: object): AnyOperation {
  return {
    id: 'a.b',
    method: 'get',
    path: '/a',
    access: 'user',
    limit: 'read',
    success: 200,
    ...changes,
  } as unknown as AnyOperation
}
