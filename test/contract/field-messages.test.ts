import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { operations } from '#functions/operations.ts'
import { listFieldErrors } from '#http/field-errors.ts'
import { getQuerySchema } from '#http/validators.ts'

/** Values that are wrong for almost every field. */
const wrongValues = [
  undefined,
  null,
  '',
  ' ',
  'x',
  'ä'.repeat(5000),
  0,
  -1,
  1.5,
  1e12,
  true,
  [],
  [null],
  ['x', 'x'],
  {},
  { x: 1 },
  'a@b',
  '10.0.0',
]
/** A message completes the sentence “<field> …”. */
const style = /^(?:must|is|has|may|can|cannot|needs?|leads?|exists|are|was|contains?|does|do)\b/

function listMessages(schema: z.ZodType, part: string): string[] {
  const shape = (schema as { shape?: Record<string, unknown> }).shape ?? {}
  const inputs = wrongValues.flatMap((value) => [
    value,
    ...Object.keys(shape).map((key) => ({ [key]: value })),
  ])
  return inputs.flatMap((input) => {
    const { error } = schema.safeParse(input)
    return error ? listFieldErrors(error, part).map(({ msg }) => msg) : []
  })
}

describe('messages about wrong values', () => {
  it('WIR-70 of every operation complete the sentence “<field> …”, in at most 600 characters', () => {
    const wrong = new Set<string>()
    for (const op of operations)
      for (const [part, schema] of [
        ['query', getQuerySchema(op)],
        ['body', op.body],
      ] as const)
        for (const msg of schema ? listMessages(schema as z.ZodType, part) : [])
          if (
            !style.test(msg) ||
            msg.length > 600 ||
            /\b(?:string|expected|received|Invalid|Too )\b/.test(msg)
          )
            wrong.add(`${op.id}: ${msg}`)
    expect([...wrong].slice(0, 60)).toEqual([])
  })
})
