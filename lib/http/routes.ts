import type { AnyOperation } from './operation.ts'

/** Operations that the first request to one of their routes loads together. */
export interface RouteGroup {
  /** The method and path of each operation by its id: `'flows.pins.list': 'GET /trees/pinned'`. */
  routes: Readonly<Record<string, string>>
  load(): Promise<readonly AnyOperation[]>
}

/** Return the routes of operations by their ids, in the same order. */
export function toRoutes(operations: readonly AnyOperation[]): RouteGroup['routes'] {
  return Object.fromEntries(operations.map(({ id, method, path }) => [id, `${method.toUpperCase()} ${path}`]))
}

/** Return one group of operations that are loaded already. */
export function toRouteGroup(operations: readonly AnyOperation[]): RouteGroup {
  return { routes: toRoutes(operations), load: async () => operations }
}

export async function loadOperations(groups: readonly RouteGroup[]): Promise<readonly AnyOperation[]> {
  return (await Promise.all(groups.map(({ load }) => load()))).flat()
}
