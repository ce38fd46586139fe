import type { Caller } from '#db/scope.ts'
import type { C, Services } from './app.ts'
import { toDelegatedEnvironment } from './delegated-caller.ts'

/** The answer of an operation that was called for a person. */
export interface CalledAnswer {
  status: number
  /** The JSON text. */
  text: string
}

/**
 * Calls an operation as a person whom the signature of a vendor names: with the person's limits, the checks of
 * `app.enter` and the audit entries of a request that they make themselves. `path` is below /api/v1.
 */
export type CallAs = (caller: Caller, call: { path: string; body: unknown }) => Promise<CalledAnswer>

export function createCallAs(c: C, { dispatch, ports }: Pick<Services, 'dispatch' | 'ports'>): CallAs {
  return async (caller, { path, body }) => {
    if (!dispatch) throw new Error('The app is not assembled')
    const request = new Request(new URL(`/api/v1${path}`, ports.config.PUBLIC_BASE_URL), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const env = toDelegatedEnvironment(c.env as object, { caller })
    const response = await dispatch(request, env, c.executionCtx)
    return { status: response.status, text: await response.text() }
  }
}
