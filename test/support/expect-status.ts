import { expect } from 'vitest'

/** An `ApiResponse`, whose `text` is the body, or a `fetch` response, whose `text` is a function. */
interface ResponseWithStatus {
  status: number
  text?: unknown
}

/** Expect a status and return the response. A failure prints the body of an `ApiResponse`. */
export function expectStatus<R extends ResponseWithStatus>(response: R, status: number): R {
  const body = typeof response.text === 'string' ? `: ${response.text.slice(0, 2000)}` : ''
  expect(response.status, `returned ${response.status}${body}`).toBe(status)
  return response
}
