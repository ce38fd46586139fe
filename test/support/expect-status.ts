import { expect } from 'vitest'

/** An `ApiResponse`, whose `text` is the body, or a `fetch` response, whose `text` is a function. */
interface ResponseWithStatus {
  status: number
  text?: unknown
  error?: unknown
}

/**
 * Expect a status and return the response. A failure prints the body of an `ApiResponse`, and what the log
 * says of a 500.
 */
export function expectStatus<R extends ResponseWithStatus>(response: R, status: number): R {
  const body = typeof response.text === 'string' ? `: ${response.text.slice(0, 2000)}` : ''
  const error = response.error === undefined ? '' : `\n${JSON.stringify(response.error, null, 2)}`
  expect(response.status, `returned ${response.status}${body}${error}`).toBe(status)
  return response
}
