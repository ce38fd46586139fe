import { expect } from 'vitest'

/** As much of an answer as a message needs: ours with its text, or one of `fetch`. */
interface StatusAnswer {
  status: number
  text?: unknown
}

/** Expects an answer's status and returns the answer. A mismatch prints the body, so that the reason is in the report. */
export function expectStatus<A extends StatusAnswer>(answer: A, status: number): A {
  const body = typeof answer.text === 'string' ? `: ${answer.text.slice(0, 2000)}` : ''
  expect(answer.status, `answered ${answer.status}${body}`).toBe(status)
  return answer
}
