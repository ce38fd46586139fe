import fc from 'fast-check'
import * as z from 'zod'
import type { AnyOperation } from '#http/operation.ts'
import { getQuerySchema } from '#http/validators.ts'
import { extremeNumbers, hostileText, hostileValue, rawBodies } from './hostile-values.ts'

type Schema = Record<string, unknown>

/** The plan of one request. The run fills in ids, senders and a valid sample. */
export interface FuzzPlan {
  /**
   * `otherAccount` is a permitted user of another account. `anonymous` sends no token, `invalidToken` sends
   * `token`.
   */
  sender:
    | 'permitted'
    | 'viewer'
    | 'engineer'
    | 'teamAdmin'
    | 'admin'
    | 'otherAccount'
    | 'anonymous'
    | 'invalidToken'
  token: string
  ids: { kind: 'own' | 'earlier' | 'random' | 'foreign' | 'malformed'; pick: number; malformed: string }
  query: { kind: 'sample' | 'generated' | 'broken'; generated: Record<string, unknown>; broken: string }
  body: BodyPlan
  contentType: string
  idempotencyKey: string | null
}

export type BodyPlan =
  | { kind: 'sample' }
  | { kind: 'generated'; value: unknown }
  | { kind: 'set'; name: string; value: unknown; append: boolean }
  /** Omits the property at `index`, modulo the number of properties. */
  | { kind: 'missing'; index: number }
  | { kind: 'extra'; name: string; value: number }
  | { kind: 'raw'; text: string }
  /** The sample's bytes, cut off or with one byte changed. */
  | { kind: 'damaged'; at: number; flip: number }
  | { kind: 'huge' }

/**
 * Generate values that match a JSON Schema. zod refinements are not part of it, so some values are invalid.
 */
export function arbitraryFor(schema: Schema): fc.Arbitrary<unknown> {
  const { type, anyOf, oneOf } = schema as { type?: string; anyOf?: Schema[]; oneOf?: Schema[] }
  if ('const' in schema) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]))
  const branches = anyOf ?? oneOf
  if (branches) return fc.oneof(...branches.map(arbitraryFor))
  if (type === 'object') return objectArbitrary(schema)
  if (type === 'array') return arrayArbitrary(schema)
  if (type === 'string') return stringArbitrary(schema)
  if (type === 'integer' || type === 'number') return numberArbitrary(schema)
  if (type === 'boolean') return fc.boolean()
  return type === 'null' ? fc.constant(null) : fc.jsonValue({ maxDepth: 2 })
}

function objectArbitrary({
  properties = {},
  required = [],
}: { properties?: Record<string, Schema>; required?: string[] } & Schema) {
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, arbitraryFor(schema)]),
  )
  return fc.record(model, { requiredKeys: required.filter((name) => name in model) })
}

function arrayArbitrary({
  items = {},
  minItems = 0,
  maxItems = minItems + 4,
}: { items?: Schema; minItems?: number; maxItems?: number } & Schema) {
  return fc.array(arbitraryFor(items), { minLength: minItems, maxLength: maxItems })
}

function stringArbitrary({
  format,
  minLength = 0,
  maxLength = minLength + 60,
}: { format?: string; minLength?: number; maxLength?: number } & Schema) {
  if (format === 'email') return fc.stringMatching(/^[a-z]{1,9}$/).map((name) => `${name}@generated.example`)
  if (format === 'uuid') return fc.uuid()
  if (format === 'uri') return fc.webUrl({ validSchemes: ['https'] })
  const edges = fc.constantFrom('x'.repeat(minLength), 'x'.repeat(maxLength))
  return fc.oneof(
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 60) }),
    edges,
    fc.webUrl(),
    fc.constant('UTC'),
  )
}

function numberArbitrary({
  minimum = -1000,
  maximum = 1000,
}: { minimum?: number; maximum?: number } & Schema) {
  return fc.oneof(
    fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 31) }),
    fc.constantFrom(minimum, maximum),
  )
}

/** Return the JSON Schema of a type without references. */
export function toInlineSchema(type: z.ZodType): Schema {
  const { $defs = {}, ...root } = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema
  return inlineReferences(root, $defs as Record<string, Schema>, 12) as Schema
}

/** Replace references by their schemas. A recursive schema ends in one that accepts anything. */
function inlineReferences(value: unknown, definitions: Record<string, Schema>, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => inlineReferences(item, definitions, depth))
  const { $ref, ...rest } = value as Schema
  const target = typeof $ref === 'string' && depth > 0 ? definitions[$ref.replace('#/$defs/', '')] : {}
  return Object.fromEntries(
    Object.entries({ ...target, ...rest }).map(([key, item]) => [
      key,
      inlineReferences(item, definitions, depth - 1),
    ]),
  )
}

const damagedBytes = fc.record({
  kind: fc.constant('damaged' as const),
  at: fc.nat(2 ** 31),
  flip: fc.nat(255),
})

function bodyPlans(op: AnyOperation): fc.Arbitrary<BodyPlan> {
  const sample = fc.constant<BodyPlan>({ kind: 'sample' })
  const huge = fc.constant<BodyPlan>({ kind: 'huge' })
  const raw = rawBodies.map((text): BodyPlan => ({ kind: 'raw', text }))
  if (op.method === 'get') return sample
  if (op.bodyFormat)
    return fc.oneof(
      { weight: 6, arbitrary: sample },
      { weight: 6, arbitrary: damagedBytes },
      { weight: 2, arbitrary: raw },
      { weight: 1, arbitrary: huge },
    )
  if (!op.body)
    return fc.oneof(
      { weight: 6, arbitrary: sample },
      { weight: 1, arbitrary: raw },
      { weight: 1, arbitrary: huge },
    )
  const schema = toInlineSchema(op.body)
  const fieldPlans = changedFieldPlans(schema)
  const otherProperties = fc.oneof(
    fc.record({ kind: fc.constant('missing' as const), index: fc.nat(50) }),
    fc.record({ kind: fc.constant('extra' as const), name: hostileText, value: fc.nat(50) }),
  )
  return fc.oneof(
    { weight: 3, arbitrary: sample },
    { weight: 3, arbitrary: arbitraryFor(schema).map((value): BodyPlan => ({ kind: 'generated', value })) },
    { weight: 9, arbitrary: fieldPlans.length > 0 ? fc.oneof(...fieldPlans) : otherProperties },
    { weight: 2, arbitrary: otherProperties },
    { weight: 2, arbitrary: raw },
    { weight: 1, arbitrary: huge },
  )
}

/** Plans that change one property of the sample, to a valid or a hostile value. */
function changedFieldPlans({
  properties = {},
}: { properties?: Record<string, Schema> } & Schema): fc.Arbitrary<BodyPlan>[] {
  return Object.entries(properties).map(([name, schema]) =>
    fc.record({
      kind: fc.constant('set' as const),
      name: fc.constant(name),
      value: fc.oneof({ weight: 1, arbitrary: arbitraryFor(schema) }, { weight: 2, arbitrary: hostileValue }),
      append: fc.boolean(),
    }),
  )
}

const usually = <T>(usual: T, alternatives: fc.Arbitrary<T>, weight = 6) =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: alternatives })
const mediaTypes = [
  'text/plain',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'APPLICATION/JSON',
  '',
]
const idempotencyKeys = [
  'again',
  'again',
  'x'.repeat(255),
  'x'.repeat(256),
  '',
  'é',
  '"quoted"',
  "'; --",
  'a\tb',
  `\${x}`,
  '%',
]

/** The plan of a valid request. */
export const validPlan: FuzzPlan = {
  sender: 'permitted',
  token: '',
  ids: { kind: 'own', pick: 0, malformed: '' },
  query: { kind: 'sample', generated: {}, broken: '' },
  body: { kind: 'sample' },
  contentType: 'application/json',
  idempotencyKey: null,
}

/**
 * The first plans of every run: a valid request, a text that PostgreSQL cannot store in each field, numbers
 * out of range.
 */
export function firstPlans(op: AnyOperation): FuzzPlan[] {
  const fields = op.body ? Object.keys((toInlineSchema(op.body).properties as object | undefined) ?? {}) : []
  const pages = op.paged ? [`skip=${2 ** 31}`, `skip=${2 ** 53}`, 'limit=101'] : []
  return [
    validPlan,
    ...fields.map(
      (name): FuzzPlan => ({ ...validPlan, body: { kind: 'set', name, value: 'a\u0000b', append: true } }),
    ),
    ...pages.map((broken): FuzzPlan => ({ ...validPlan, query: { kind: 'broken', generated: {}, broken } })),
  ]
}

/**
 * Generate plans for an operation: valid ones, ones with a single random part, and completely random ones.
 */
export function fuzzPlans(op: AnyOperation): fc.Arbitrary<FuzzPlan> {
  const parts = planParts(op)
  const varyPart = (name: keyof FuzzPlan) =>
    (parts[name] as fc.Arbitrary<unknown>).map((part): FuzzPlan => ({ ...validPlan, [name]: part }))
  const names = Object.keys(parts) as (keyof FuzzPlan)[]
  const mainParts = [
    ...(op.body || op.bodyFormat ? ['body' as const] : []),
    ...(op.paged ? ['query' as const] : []),
    ...(op.params ? ['ids' as const] : []),
  ]
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant(validPlan) },
    { weight: 2, arbitrary: fc.constantFrom(...names).chain(varyPart) },
    { weight: 5, arbitrary: fc.constantFrom(...(mainParts.length > 0 ? mainParts : names)).chain(varyPart) },
    { weight: 4, arbitrary: fc.record<FuzzPlan>(parts) },
  )
}

/** Generate each part of a plan. Most are valid, so that requests reach the later checks. */
function planParts(op: AnyOperation): { [K in keyof FuzzPlan]: fc.Arbitrary<FuzzPlan[K]> } {
  const otherSenders = fc.constantFrom(
    'viewer' as const,
    'engineer' as const,
    'teamAdmin' as const,
    'admin' as const,
    'otherAccount' as const,
    'anonymous' as const,
    'invalidToken' as const,
  )
  return {
    sender: usually<FuzzPlan['sender']>('permitted', otherSenders, 2),
    token: hostileText,
    ids: fc.record({
      kind: usually<FuzzPlan['ids']['kind']>(
        'own',
        fc.constantFrom('earlier', 'random', 'foreign', 'malformed'),
        2,
      ),
      pick: fc.nat(1000),
      malformed: hostileText,
    }),
    query: fc.record({
      kind: usually<FuzzPlan['query']['kind']>(
        'sample',
        fc.constantFrom('generated', 'broken'),
        op.paged ? 1 : 4,
      ),
      generated: arbitraryFor(toInlineSchema(getQuerySchema(op))) as fc.Arbitrary<Record<string, unknown>>,
      broken: brokenQueries(op),
    }),
    body: bodyPlans(op),
    contentType: usually('application/json', fc.constantFrom(...mediaTypes), 8),
    idempotencyKey: usually<string | null>(
      null,
      fc.oneof(fc.constantFrom(...idempotencyKeys), hostileText),
      2,
    ),
  }
}

function brokenQueries(op: AnyOperation): fc.Arbitrary<string> {
  const names = Object.keys(getQuerySchema(op).shape)
  const unknownNames = ['zz_unknown', '__proto__', '', 'a[b]', 'constructor']
  const name = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...(names.length > 0 ? names : unknownNames)) },
    { weight: 1, arbitrary: fc.constantFrom(...unknownNames) },
  )
  const value = fc.oneof(hostileText, fc.constantFrom(...extremeNumbers.map(String)))
  const pair = fc
    .tuple(name, value)
    .map(([key, text]) => new URLSearchParams([[key, text.toWellFormed()]]).toString())
  const repeatedPair = pair.map((text) => `${text}&${text}`)
  return fc.oneof(
    { weight: 4, arbitrary: pair },
    repeatedPair,
    fc.array(pair, { maxLength: 5 }).map((pairs) => pairs.join('&')),
    fc.constantFrom('%', '%zz=%zz', '&&&', '=', '?', '%ff=%fe', 'limit', 'skip=1&skip=2'),
  )
}
