import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { requireValid } from '#functions/flows/trees/service.ts'
import { findOversized } from '#http/count-values.ts'
import { getMaxBody } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { NullableStructure } from '#rules/flows/structure.ts'

const Tree = z.strictObject({ tree_structure: NullableStructure })
const check = (schema: z.ZodType, body: unknown) =>
  findOversized(schema, body).map(({ loc, type }) => [loc.join('.'), type])

describe('WIR-46 a body', () => {
  it('WIR-46 with too long a list is refused without looking at its items', () => {
    const budget = createBudget()
    const steps = Array(1_350_000).fill({})
    expect(runWithin(budget, () => check(Tree, { tree_structure: { steps } }))).toEqual([
      ['body.tree_structure.steps', 'too_big'],
    ])
    expect(budget.getSpent().steps).toBeLessThan(1000)
  })

  it('WIR-46 gets the message of its schema for too long a list', () => {
    const schema = z.strictObject({ items: z.array(z.string()).max(2).optional() })
    const body = { items: ['a', 'b', 'c'] }
    const issue = schema.safeParse(body).error?.issues[0]
    expect(findOversized(schema, body)).toEqual([
      { loc: ['body', 'items'], msg: issue?.message, type: issue?.code },
    ])
  })

  it.each([
    [
      'many nodes',
      {
        tree_structure: { children: Array(400).fill({ children: Array(400).fill({ id: 'a', type: 'b' }) }) },
      },
    ],
    ['many items where none may be', { other: Array(1_000_000).fill({}) }],
    ['many texts where an object may be', { tree_structure: Array(1_000_000).fill('') }],
  ])('WIR-46 with %s is too complex', (_, body) => {
    expect(() => check(Tree, body)).toThrow(Problem)
  })

  it('WIR-46 with more than 50 unknown fields is refused without its schema', () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, {}]))
    expect(check(Tree, fields(51))).toHaveLength(51)
    expect(check(Tree, { tree_structure: null, ...fields(50) })).toEqual([])
    expect(check(z.record(z.string(), z.number()), fields(1000))).toEqual([])
  })
})

describe('WIR-15', () => {
  it.each([
    ['public', undefined, 16 * 1024],
    ['user', undefined, 1024 * 1024],
    ['signed', undefined, 1024 * 1024],
    ['public', 100, 100],
  ] as const)('an operation with the access %s and the limit %s takes %i bytes', (access, maxBody, bytes) => {
    expect(getMaxBody({ access, maxBody } as never)).toBe(bytes)
  })
})

it('WIR-31 a flow that is not valid lists at most 50 errors', () => {
  const steps = Array.from({ length: 100 }, (_, index) => ({
    id: `s${index}`,
    type: 'procedure_step' as const,
    title: '',
    description: '',
  }))
  const flow = { tree_type: 'procedural' as const, tree_structure: { steps }, intake_form: [] }
  let problem: unknown
  try {
    requireValid(flow, 'published')
  } catch (error) {
    problem = error
  }
  expect(problem).toMatchObject({
    status: 400,
    body: { errors: { length: 50 }, detail: expect.stringMatching(/10\d problems/) },
  })
})
