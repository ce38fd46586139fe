import { zValidator } from '@hono/zod-validator'
import type { MiddlewareHandler } from 'hono'
import * as z from 'zod'
import { PageQuery } from '#db/page.ts'
import { type FieldError, Problem } from '#problem.ts'
import { requireDecimals } from '#rules/text/decimal.ts'
import { findUnstorableText, isStorable } from '#rules/text/json.ts'
import { parseWithoutNulls } from './absent-nulls.ts'
import type { C } from './app.ts'
import { listFieldErrors } from './field-errors.ts'
import type { AnyOperation } from './operation.ts'
import { createFieldsParameter, selectsFields } from './selected-fields.ts'

type Part = 'param' | 'query'

/**
 * What a schema found wrong with the query or the body. It is answered together with everything else that is
 * wrong with the request.
 */
export class InvalidInput extends Error {
  readonly errors: FieldError[]
  constructor(errors: FieldError[]) {
    super('The input is not valid')
    this.errors = errors
  }
}

/** Return the query schema of an operation, with paging and the selection of fields. */
export function getQuerySchema(op: AnyOperation): z.ZodObject {
  const query = op.query as z.ZodObject | undefined
  if (op.paged) return PageQuery.extend({ ...query?.shape, ...createFieldsParameter(op) })
  const own = query ?? z.strictObject({})
  return selectsFields(op) ? own.extend(createFieldsParameter(op)) : own
}

/** Create the function that validates the path parameters. It throws 404. */
export function createParamsValidator(schema: z.ZodObject): (c: C) => Promise<unknown> {
  const validate = createValidator('param', schema, () => new Problem('not_found'))
  return (c) => {
    if (!Object.values<string>(c.req.param()).every(isStorable)) throw new Problem('not_found')
    return validate(c)
  }
}

/**
 * Create the function that validates the query. It throws InvalidInput. Repetitions and text that cannot be
 * stored are added to `errors`.
 */
export function createQueryValidator(schema: z.ZodObject): (c: C, errors: FieldError[]) => Promise<unknown> {
  const validate = createValidator(
    'query',
    schema,
    (error) => new InvalidInput(listFieldErrors(error, 'query')),
  )
  return (c, errors) => {
    const parameters = readParameters(c.req.url, errors)
    // Hono's own reader skips a parameter without a name, and leaves invalid UTF-8 encoded.
    c.req.queries = (() => parameters) as typeof c.req.queries
    return validate(c)
  }
}

/**
 * Create the function that validates a parsed body, or undefined when there is none. It throws InvalidInput.
 */
export function createJsonValidator(schema: z.ZodType): (value: unknown) => Promise<unknown> {
  return async (value) => {
    const { success, data, error } = parseWithoutNulls(schema, value)
    if (success) return data
    throw new InvalidInput(
      value === undefined
        ? [{ loc: ['body'], msg: 'is required', type: 'missing' }]
        : listFieldErrors(error, 'body'),
    )
  }
}

/**
 * Create zod-validator's middleware for one part of a request, and the function that runs it. Its hook throws
 * what is wrong.
 */
function createValidator(
  part: Part,
  schema: z.ZodObject,
  toError: (error: z.ZodError) => Error,
): (c: C) => Promise<unknown> {
  const validate: MiddlewareHandler = zValidator(
    part,
    schema,
    (result) => {
      if (!result.success) throw toError(result.error as z.ZodError)
    },
    // By default zod-validator parses asynchronously, which takes longer. No schema here needs it.
    { validationFunction: (_, value) => schema.safeParse(requireDecimals(schema.shape, value)) },
  )
  return async (c) => {
    await validate(c, proceed)
    return c.req.valid(part as never)
  }
}

async function proceed(): Promise<void> {}

/** Read each parameter with its last value, in a list as Hono does. */
function readParameters(url: string, errors: FieldError[]): Record<string, string[]> {
  if (!url.includes('?')) return {}
  // Without a prototype, so that `__proto__` and `toString` are names as any other.
  const parameters: Record<string, string> = Object.create(null)
  for (const [key, value] of new URL(url).searchParams) {
    if (key in parameters)
      errors.push({ loc: ['query', key], msg: 'must be given only once', type: 'repeated' })
    parameters[key] = value
  }
  for (const error of findUnstorableText(parameters, ['query'])) errors.push(error)
  return Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, [value]]))
}
