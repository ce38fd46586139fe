import { type ParsedRate, parseRate } from '#vendors/cache/limiter.ts'
import type { KeyMemory } from './key-memory.ts'
import { listSufficientScopes } from './key-scopes.ts'
import type { AnyOperation } from './operation.ts'
import type { RouteGroup } from './routes.ts'
import { createInputReader, type ReadInput } from './validate.ts'

/** An operation with what its first request prepares for all others. */
export interface PreparedOperation {
  op: AnyOperation
  rate: ParsedRate | null
  siteRate: ParsedRate | null
  /** Of the calls that fail. */
  failureRate: ParsedRate | null
  readInput: ReadInput
  keyScopes: readonly string[]
  /** Shared by all operations. */
  keys: KeyMemory
}

/** Returns the operation with this id. The first call loads its group. */
export type FindOperation = (id: string) => Promise<PreparedOperation>

export function createOperationFinder({ load }: RouteGroup, keys: KeyMemory): FindOperation {
  let prepared: ReadonlyMap<string, PreparedOperation> | undefined
  return async (id) => {
    prepared ??= new Map((await load()).map((op) => [op.id, prepareOperation(op, keys)]))
    const found = prepared.get(id)
    if (!found) throw new TypeError(`The group of ${id} does not contain it`)
    return found
  }
}

function prepareOperation(op: AnyOperation, keys: KeyMemory): PreparedOperation {
  const { countsFailures, siteLimit } = op.transport ?? {}
  const limit = op.limit === 'none' ? null : parseRate(op.limit)
  return {
    op,
    rate: countsFailures ? parseRate('public') : limit,
    siteRate: siteLimit ? parseRate(siteLimit) : null,
    failureRate: countsFailures ? limit : null,
    readInput: createInputReader(op),
    keyScopes: listSufficientScopes(op),
    keys,
  }
}
