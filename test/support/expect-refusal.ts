import { expect } from 'vitest'
import { type ApiError, isApiError } from '#client/client.ts'

/** Expect that the service refuses a call of the typed client with a status. Return the error. */
export async function expectRefusal(call: PromiseLike<unknown>, status: number): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error !== undefined && !isApiError(error)) throw error
  expect(error?.status, error ? `returned ${error.status}: ${JSON.stringify(error.body)}` : 'succeeded').toBe(
    status,
  )
  return error as ApiError
}
