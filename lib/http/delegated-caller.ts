import type { Caller } from '#db/scope.ts'

/** A caller whom another way in has authenticated: the MCP server, or the signature of a chat tool. */
export interface DelegatedCaller {
  caller: Caller
  /** The scopes that the person agreed to; absent for a person who acts without a program. */
  scopes?: readonly string[]
}

/**
 * The key of the caller in the environment of a call. It is a symbol, so that no binding and no client can
 * set it.
 */
const callerKey = Symbol('delegated caller')

/** Return the caller for whom this call is made, or undefined for a client's request. */
export function readDelegatedCaller(env: unknown): DelegatedCaller | undefined {
  return (env as { [callerKey]?: DelegatedCaller } | undefined)?.[callerKey]
}

/** Return the environment of a call for a delegated caller. */
export function toDelegatedEnvironment(env: object, delegated: DelegatedCaller): object {
  return { ...env, [callerKey]: delegated }
}
