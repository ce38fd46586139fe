import type { Caller } from '#db/scope.ts'

/** A caller whom the MCP server has authenticated, and the scopes that the person agreed to. */
export interface DelegatedCaller {
  caller: Caller
  scopes: readonly string[]
}

/**
 * The key of the caller in the environment of a call. It is a symbol, so that no binding and no client can
 * set it.
 */
const callerKey = Symbol('delegated caller')

/** Return the caller for whom the MCP server makes this call, or undefined for a client's request. */
export function readDelegatedCaller(env: unknown): DelegatedCaller | undefined {
  return (env as { [callerKey]?: DelegatedCaller } | undefined)?.[callerKey]
}

/** Return the environment of a call for a delegated caller. */
export function toDelegatedEnvironment(env: object, delegated: DelegatedCaller): object {
  return { ...env, [callerKey]: delegated }
}
