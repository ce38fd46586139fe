import fc from 'fast-check'
import { z } from 'zod'
import type { AnyOperation } from '../../lib/http/operation.ts'
import { querySchema } from '../../lib/http/validate.ts'
import { numbers, poison, poisonText, rawTexts } from './poison.ts'

type Schema = Record<string, unknown>

/** How one request is to be made; what only a run knows (ids, people, a valid sample) is filled in when it is sent. */
export interface Plan {
  who: 'permitted' | 'viewer' | 'engineer' | 'teamAdmin' | 'admin' | 'stranger' | 'nobody' | 'garbage'
  garbage: string
  ids: { kind: 'own' | 'earlier' | 'random' | 'foreign' | 'malformed'; pick: number; malformed: string }
  query: { kind: 'sample' | 'made' | 'broken'; made: Record<string, unknown>; broken: string }
  body: Body
  media: string
  key: string | null
}

export type Body =
  | { kind: 'sample' }
  | { kind: 'made'; value: unknown }
  | { kind: 'set'; name: string; value: unknown; append: boolean }
  | { kind: 'missing'; leaf: number; name: string }
  | { kind: 'extra'; leaf: number; name: string }
  | { kind: 'raw'; text: string }
  /** The sample's bytes cut short, or with one of them changed. */
  | { kind: 'torn'; at: number; flip: number }
  | { kind: 'huge' }

/** Values a JSON Schema mostly takes; what its words cannot say (refinements) makes some of them wrong all the same. */
export function madeOf(schema: Schema): fc.Arbitrary<unknown> {
  const { type, anyOf, oneOf } = schema as { type?: string; anyOf?: Schema[]; oneOf?: Schema[] }
  if ('const' in schema) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]))
  const branches = anyOf ?? oneOf
  if (branches) return fc.oneof(...branches.map(madeOf))
  if (type === 'object') return objectOf(schema)
  if (type === 'array') return arrayOf(schema)
  if (type === 'string') return stringOf(schema)
  if (type === 'integer' || type === 'number') return numberOf(schema)
  if (type === 'boolean') return fc.boolean()
  return type === 'null' ? fc.constant(null) : fc.jsonValue({ maxDepth: 2 })
}

function objectOf({ properties = {}, required = [] }: { properties?: Record<string, Schema>; required?: string[] } & Schema) {
  const model = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, madeOf(schema)]))
  return fc.record(model, { requiredKeys: required.filter((name) => name in model) })
}

function arrayOf({ items = {}, minItems = 0, maxItems = minItems + 4 }: { items?: Schema; minItems?: number; maxItems?: number } & Schema) {
  return fc.array(madeOf(items), { minLength: minItems, maxLength: maxItems })
}

function stringOf({
  format,
  minLength = 0,
  maxLength = minLength + 60,
}: { format?: string; minLength?: number; maxLength?: number } & Schema) {
  if (format === 'email') return fc.stringMatching(/^[a-z]{1,9}$/).map((name) => `${name}@made.example`)
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

function numberOf({ minimum = -1000, maximum = 1000 }: { minimum?: number; maximum?: number } & Schema) {
  return fc.oneof(fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 31) }), fc.constantFrom(minimum, maximum))
}

function schemaOf(type: z.ZodType): Schema {
  const { $defs = {}, ...root } = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema
  return inline(root, $defs as Record<string, Schema>, 12) as Schema
}

/** Puts what is referred to in the place of its reference; a schema that holds itself ends in one that takes anything. */
function inline(value: unknown, definitions: Record<string, Schema>, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => inline(item, definitions, depth))
  const { $ref, ...rest } = value as Schema
  const target = typeof $ref === 'string' && depth > 0 ? definitions[$ref.replace('#/$defs/', '')] : {}
  return Object.fromEntries(Object.entries({ ...target, ...rest }).map(([key, item]) => [key, inline(item, definitions, depth - 1)]))
}

const torn = fc.record({ kind: fc.constant('torn' as const), at: fc.nat(2 ** 31), flip: fc.nat(255) })

function bodies(op: AnyOperation): fc.Arbitrary<Body> {
  const sample = fc.constant<Body>({ kind: 'sample' })
  const huge = fc.constant<Body>({ kind: 'huge' })
  const raw = rawTexts.map((text): Body => ({ kind: 'raw', text }))
  if (op.method === 'get') return sample
  if (op.bodyFormat)
    return fc.oneof(
      { weight: 6, arbitrary: sample },
      { weight: 6, arbitrary: torn },
      { weight: 2, arbitrary: raw },
      { weight: 1, arbitrary: huge },
    )
  if (!op.body) return fc.oneof({ weight: 6, arbitrary: sample }, { weight: 1, arbitrary: raw }, { weight: 1, arbitrary: huge })
  const schema = schemaOf(op.body)
  const sets = setBodies(schema)
  const other = fc.record({ kind: fc.constantFrom('missing', 'extra'), leaf: fc.nat(50), name: poisonText }) as fc.Arbitrary<Body>
  return fc.oneof(
    { weight: 3, arbitrary: sample },
    { weight: 3, arbitrary: madeOf(schema).map((value): Body => ({ kind: 'made', value })) },
    { weight: 9, arbitrary: sets.length > 0 ? fc.oneof(...sets) : other },
    { weight: 2, arbitrary: other },
    { weight: 2, arbitrary: raw },
    { weight: 1, arbitrary: huge },
  )
}

/** The sample with one of the schema's properties changed: to something it may take, or to poison. */
function setBodies({ properties = {} }: { properties?: Record<string, Schema> } & Schema): fc.Arbitrary<Body>[] {
  return Object.entries(properties).map(([name, schema]) =>
    fc.record({
      kind: fc.constant('set' as const),
      name: fc.constant(name),
      value: fc.oneof({ weight: 1, arbitrary: madeOf(schema) }, { weight: 2, arbitrary: poison }),
      append: fc.boolean(),
    }),
  )
}

const mostly = <T>(usual: T, others: fc.Arbitrary<T>, weight = 6) =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others })
const types = [
  'text/plain',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'APPLICATION/JSON',
  '',
]
const keys = ['again', 'again', 'x'.repeat(255), 'x'.repeat(256), '', 'é', '"quoted"', "'; --", 'a\tb', `\${x}`, '%']

/** A request with nothing wrong. */
export const rightPlan: Plan = {
  who: 'permitted',
  garbage: '',
  ids: { kind: 'own', pick: 0, malformed: '' },
  query: { kind: 'sample', made: {}, broken: '' },
  body: { kind: 'sample' },
  media: 'application/json',
  key: null,
}

/** What every run begins with, whatever its seed: a right request, a text no database takes in every field, numbers past the edge. */
export function firstPlans(op: AnyOperation): Plan[] {
  const fields = op.body ? Object.keys((schemaOf(op.body).properties as object | undefined) ?? {}) : []
  const pages = op.paged ? [`skip=${2 ** 31}`, `skip=${2 ** 53}`, 'limit=101'] : []
  return [
    rightPlan,
    ...fields.map((name): Plan => ({ ...rightPlan, body: { kind: 'set', name, value: 'a\u0000b', append: true } })),
    ...pages.map((broken): Plan => ({ ...rightPlan, query: { kind: 'broken', made: {}, broken } })),
  ]
}

/** The random requests of an operation: right ones, ones with a single part of them left to chance, and ones that are chance all over. */
export function plansOf(op: AnyOperation): fc.Arbitrary<Plan> {
  const parts = partsOf(op)
  const only = (name: keyof Plan) => (parts[name] as fc.Arbitrary<unknown>).map((part): Plan => ({ ...rightPlan, [name]: part }))
  const names = Object.keys(parts) as (keyof Plan)[]
  const chief = [
    ...(op.body || op.bodyFormat ? ['body' as const] : []),
    ...(op.paged ? ['query' as const] : []),
    ...(op.params ? ['ids' as const] : []),
  ]
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant(rightPlan) },
    { weight: 2, arbitrary: fc.constantFrom(...names).chain(only) },
    { weight: 5, arbitrary: fc.constantFrom(...(chief.length > 0 ? chief : names)).chain(only) },
    { weight: 4, arbitrary: fc.record<Plan>(parts) },
  )
}

/** Each part is right more often than not, so that what lies behind it is reached. */
function partsOf(op: AnyOperation): { [K in keyof Plan]: fc.Arbitrary<Plan[K]> } {
  const others = fc.constantFrom(
    'viewer' as const,
    'engineer' as const,
    'teamAdmin' as const,
    'admin' as const,
    'stranger' as const,
    'nobody' as const,
    'garbage' as const,
  )
  return {
    who: mostly<Plan['who']>('permitted', others, 2),
    garbage: poisonText,
    ids: fc.record({
      kind: mostly<Plan['ids']['kind']>('own', fc.constantFrom('earlier', 'random', 'foreign', 'malformed'), 2),
      pick: fc.nat(1000),
      malformed: poisonText,
    }),
    query: fc.record({
      kind: mostly<Plan['query']['kind']>('sample', fc.constantFrom('made', 'broken'), op.paged ? 1 : 4),
      made: madeOf(schemaOf(querySchema(op))) as fc.Arbitrary<Record<string, unknown>>,
      broken: brokenQueries(op),
    }),
    body: bodies(op),
    media: mostly('application/json', fc.constantFrom(...types), 8),
    key: mostly<string | null>(null, fc.oneof(fc.constantFrom(...keys), poisonText), 2),
  }
}

function brokenQueries(op: AnyOperation): fc.Arbitrary<string> {
  const names = Object.keys(querySchema(op).shape)
  const strange = ['zz_unknown', '__proto__', '', 'a[b]', 'constructor']
  const name = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...(names.length > 0 ? names : strange)) },
    { weight: 1, arbitrary: fc.constantFrom(...strange) },
  )
  const value = fc.oneof(poisonText, fc.constantFrom(...numbers.map(String)))
  const pair = fc.tuple(name, value).map(([key, text]) => new URLSearchParams([[key, text.toWellFormed()]]).toString())
  const twice = pair.map((text) => `${text}&${text}`)
  return fc.oneof(
    { weight: 4, arbitrary: pair },
    twice,
    fc.array(pair, { maxLength: 5 }).map((pairs) => pairs.join('&')),
    fc.constantFrom('%', '%zz=%zz', '&&&', '=', '?', '%ff=%fe', 'limit', 'skip=1&skip=2'),
  )
}
