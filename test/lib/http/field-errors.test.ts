import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { listFieldErrors } from '#http/field-errors.ts'

describe('what is wrong with a body', () => {
  const list = (schema: z.ZodType, value: unknown) =>
    listFieldErrors(schema.safeParse(value).error as z.ZodError, 'body')
  it('is listed with the place of each value', () => {
    const schema = z.strictObject({ a: z.string(), b: z.array(z.int()) })
    expect(
      list(schema, { a: 1, b: [1, 'x'], c: 1, d: 2 }).map(({ loc, type }) => [loc.join('.'), type]),
    ).toEqual([
      ['body.a', 'invalid_type'],
      ['body.b.1', 'invalid_type'],
      ['body.c', 'unknown_key'],
      ['body.d', 'unknown_key'],
    ])
    expect(list(schema, { b: [] })[0]).toMatchObject({ loc: ['body', 'a'], type: 'invalid_type' })
    expect(list(schema, null)[0]).toMatchObject({ loc: ['body'], type: 'invalid_type' })
  })
  it('is that of the alternative that was most likely meant', () => {
    const schema = z.object({
      item: z.union([
        z.object({ a: z.string(), b: z.string() }),
        z.object({ a: z.string(), c: z.object({ d: z.string() }) }),
        z.string(),
      ]),
    })
    expect(list(schema, { item: { a: 'x', c: { d: 1 } } }).map(({ loc }) => loc.join('.'))).toEqual([
      'body.item.c.d',
    ])
    expect(list(schema, { item: { a: 'x' } }).map(({ loc }) => loc.join('.'))).toEqual(['body.item.b'])
  })
})
