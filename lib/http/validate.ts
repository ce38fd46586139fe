import type * as z from 'zod'
import { type FieldError, invalidRequest, Problem } from '#problem.ts'
import type { C } from './app.ts'
import { type BodyBytes, readBody, type SentBody } from './body.ts'
import type { AnyOperation } from './operation.ts'
import {
  createJsonValidator,
  createParamsValidator,
  createQueryValidator,
  getQuerySchema,
  InvalidInput,
} from './validators.ts'

export interface RequestInput {
  params: unknown
  query: unknown
  body: unknown
  /** The body before parsing, or the file in it. Idempotency keys compare it. */
  rawBody: SentBody['rawBody']
}

/** The input of a request, or what is wrong with it. */
export interface ReadResult {
  input?: RequestInput
  problem?: Problem
  rawBody: SentBody['rawBody']
}

export type ReadInput = (c: C, receiving?: Promise<BodyBytes>) => Promise<ReadResult>

/**
 * Create the function that reads and checks the requests of an operation in the contract's order: 404
 * malformed id, 413, 415, 422.
 */
export function createInputReader(op: AnyOperation): ReadInput {
  const validateParams = op.params && createParamsValidator(op.params)
  const validateQuery = createQueryValidator(getQuerySchema(op))
  const validateJson = op.body && createJsonValidator(op.body as z.ZodType)
  return async (c, receiving) => {
    let rawBody: RequestInput['rawBody'] = ''
    try {
      const params = await validateParams?.(c)
      const errors: FieldError[] = []
      // What is wrong with the query is answered after 413 and 415, together with what is wrong with the
      // body.
      const query = await collect(errors, validateQuery(c, errors))
      const sent = await readBody(op, c.req.raw, errors, receiving)
      rawBody = sent.rawBody
      const body = sent.json ? await collect(errors, validateJson?.(sent.json.value)) : sent.body
      if (errors.length > 0) throw invalidRequest(errors)
      return { input: { params, query, body, rawBody }, rawBody }
    } catch (error) {
      if (error instanceof Problem) return { problem: error, rawBody }
      throw error
    }
  }
}

/** Add what a validator found to `errors`. Rethrow any other error. */
async function collect(errors: FieldError[], validation: Promise<unknown> | undefined): Promise<unknown> {
  try {
    return await validation
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    // A list of 100,000 errors does not fit into the arguments of one call.
    for (const fieldError of error.errors) errors.push(fieldError)
    return undefined
  }
}
