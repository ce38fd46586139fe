import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import openapi from '#functions/openapi.json' with { type: 'json' }
import { operations } from '#functions/operations.ts'
import { getKeyScope } from '#http/key-scopes.ts'
import { isCommonFailure } from '#http/openapi/responses.ts'
import { listFailures, requiresToken } from '#http/operation.ts'
import { isErrorCode, type ProblemKind, problems } from '#problem.ts'

type Json = Record<string, unknown>
interface Content {
  schema?: Json
  example?: unknown
}
interface Described {
  operationId: string
  summary?: string
  parameters?: (Json & {
    name: string
    in: string
    description?: string
    required?: boolean
    schema?: Json
  })[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<
    string,
    { description?: string; headers?: Record<string, Json>; content?: Record<string, Content> }
  >
  security?: Json[]
  description?: string
  'x-api-key-scopes'?: string[]
}

const document = openapi as unknown as Json & {
  paths: Record<string, Record<string, Described>>
  components: Record<string, Record<string, Json>>
}
const schemas = document.components.schemas ?? {}
const cases = operations.map(
  (op) => [op.id, op, document.paths[`/api/v1${op.path}`]?.[op.method] as Described] as const,
)
const json = (content: Record<string, Content> | undefined) => content?.['application/json']

/** Resolve a reference; any other value is returned unchanged. */
function resolve<T>(value: T): T {
  const { $ref } = (value ?? {}) as { $ref?: string }
  if (typeof $ref !== 'string') return value
  const parts = $ref.replace('#/', '').split('/')
  return parts.reduce<unknown>((target, key) => (target as Json | undefined)?.[key], document) as T
}

/** Return every media type of the document, in answers and bodies, with its schema. */
function* listMedia(value: unknown): Generator<[type: string, schema: Json]> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) {
    if (/^[a-z]+\/[\w.+-]+$/.test(key)) yield [key, (child as { schema: Json }).schema]
    yield* listMedia(child)
  }
}

/** Return the example of a body: its own, or that of its schema. */
function exampleIn(content: Content | undefined): unknown {
  if (content?.example !== undefined) return content.example
  const { items, ...schema } = content?.schema ?? {}
  const [example] = (resolve<Json>((items ?? schema) as Json).examples ?? []) as unknown[]
  return items ? [example] : example
}

/** Yield every object in a JSON value with its path. Skip examples, defaults and enums. */
function* objectsIn(value: unknown, path = ''): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value as Json]
  for (const [key, item] of Object.entries(value))
    if (!['example', 'examples', 'default', 'enum'].includes(key)) yield* objectsIn(item, `${path}/${key}`)
}

/** Return the media types of a body without a schema. */
function mediaTypesOf({ bodyFormat }: (typeof operations)[number]): string[] {
  if (bodyFormat === 'file') return ['multipart/form-data']
  return bodyFormat === 'raw' ? ['application/json'] : []
}

function descriptionOf(property: Json): unknown {
  return (
    property.description ?? schemas[String(property.$ref).replace('#/components/schemas/', '')]?.description
  )
}

const statusOf = (kind: ProblemKind): number => problems[kind].status

/** Return the error codes that a response's schema lists. */
function codesIn(schema: Json | undefined): string[] {
  const parts = (schema?.allOf ??
    (schema?.anyOf as Json[] | undefined)?.flatMap((part) => part.allOf ?? []) ??
    []) as Json[]
  return parts
    .flatMap(({ properties }) => (properties as { code?: { enum?: string[] } } | undefined)?.code?.enum ?? [])
    .toSorted()
}

describe('OpenAPI document', () => {
  it('the document is OpenAPI 3.1 and has exactly one entry for every operation', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) })
    const methods = Object.values(document.paths).flatMap((path) => Object.keys(path))
    expect(methods).toHaveLength(operations.length)
    for (const path of Object.keys(document.paths))
      expect(path).toMatch(/^\/api\/v1(\/([a-z0-9-]+|\{[a-z_]+\}))+\/?$/)
    for (const [id, , described] of cases) expect(described?.operationId).toBe(id)
  })

  it('every reference in the document resolves', () => {
    for (const [path, { $ref }] of objectsIn(document)) {
      if (typeof $ref !== 'string') continue
      const target = $ref
        .replace('#/', '')
        .split('/')
        .reduce<unknown>((node, key) => (node as Json | undefined)?.[key], document)
      expect(target, `${path} refers to ${$ref}`).toBeDefined()
    }
  })

  it('every property of every schema has a description', () => {
    const undescribed: string[] = []
    for (const [path, { properties }] of objectsIn(document)) {
      if (path.endsWith('/properties') || typeof properties !== 'object' || properties === null) continue
      for (const [name, property] of Object.entries(properties as Record<string, Json>)) {
        if (!descriptionOf(property)) undescribed.push(`${path}/${name}`)
      }
    }
    expect(undescribed).toEqual([])
  })

  it('schemas use only JSON Schema types, require only existing properties and have valid patterns', () => {
    const types = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null']
    for (const [path, { type, properties, required, pattern }] of objectsIn(document)) {
      if (path.endsWith('/properties') || path.endsWith('/parameters')) continue
      if (path.includes('securitySchemes')) continue
      if (typeof type === 'string') expect(types, path).toContain(type)
      if (Array.isArray(required))
        for (const name of required) expect(properties, `${path} requires ${name}`).toHaveProperty([name])
      if (typeof pattern === 'string') expect(() => new RegExp(pattern, 'u'), path).not.toThrow()
    }
  })

  it('examples of shared schemas have all required properties', () => {
    for (const [name, { examples, required = [] }] of Object.entries(schemas)) {
      for (const example of (examples as Json[] | undefined) ?? []) {
        expect(Object.keys(example), `example of ${name}`).toEqual(
          expect.arrayContaining(required as string[]),
        )
      }
    }
  })
})

/** Return the places of a request's schema whose times must have milliseconds, as those of answers have. */
function listExactTimes(schema: z.ZodType | undefined): string[] {
  const found: string[] = []
  if (schema)
    z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, path }) => {
        const { format, precision } = zodSchema._zod.def as { format?: string; precision?: number | null }
        if (format === 'datetime' && precision) found.push(path.join('.'))
      },
    })
  return found
}

it('a request may contain times of any precision and offset', () => {
  const exact = operations.flatMap((op) =>
    [op.body, op.query, op.params].flatMap(listExactTimes).map((place) => `${op.id} ${place}`),
  )
  expect(exact).toEqual([])
})

/** Return the places of a request's schema whose ids keep their capitals. */
function listTypedIds(schema: z.ZodType | undefined): string[] {
  const normalised = new Map<string, boolean>()
  if (schema)
    z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      // A schema with a check is visited once more without it, as its own parent.
      override: ({ zodSchema, path }) => {
        const { format, checks = [] } = zodSchema._zod.def as { format?: string; checks?: z.core.$ZodCheck[] }
        const place = path.join('.')
        const changes = checks.some(({ _zod }) => _zod.def.check === 'overwrite')
        if (format === 'uuid') normalised.set(place, normalised.get(place) || changes)
      },
    })
  return [...normalised].flatMap(([place, isNormalised]) => (isNormalised ? [] : place))
}

it('WIR-78 an id of a request is read in small letters', () => {
  const typed = operations.flatMap((op) =>
    [op.body, op.query, op.params].flatMap(listTypedIds).map((place) => `${op.id} ${place}`),
  )
  expect(typed).toEqual([])
})

describe('every operation', () => {
  it.each(cases)('%s has a summary, a description and described parameters', (_, op, described) => {
    const {
      summary,
      description,
      parameters: references = [],
      security,
      'x-api-key-scopes': scopes,
    } = described
    expect(summary?.length).toBeGreaterThan(5)
    expect(description?.length).toBeGreaterThan(5)
    const parameters = references.map(resolve)
    for (const { name, description, schema, in: place, required } of parameters) {
      expect([name, description?.length ?? 0]).not.toEqual([name, 0])
      expect(schema, name).toBeTypeOf('object')
      if (place === 'path') expect([name, required]).toEqual([name, true])
    }
    const inPath = [...op.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(inPath)
    const scope = getKeyScope(op)
    expect(scopes).toEqual(scope ? [scope, ...(op.alsoNeeds ?? [])] : undefined)
    const expected = [{ bearer: [] }, ...(scope ? [{ api_key: [] }] : [])]
    expect(security ?? document.security).toEqual(requiresToken(op) ? expected : [])
  })

  it.each(cases)(
    '%s has a valid example of its request and of its response',
    (_, op, { requestBody, responses }) => {
      const request = json(requestBody?.content)
      if (op.body) {
        expect(exampleIn(request), 'no example of a request').toBeDefined()
        expect((op.body as z.ZodType).safeParse(exampleIn(request)).error).toBeUndefined()
      } else expect(Object.keys(requestBody?.content ?? {})).toEqual(mediaTypesOf(op))
      const response = json(responses[op.success]?.content)
      if (op.returns) {
        expect(exampleIn(response), 'no example of a response').toBeDefined()
        expect((op.returns as z.ZodType).safeParse(exampleIn(response)).error).toBeUndefined()
      } else expect(response).toBeUndefined()
    },
  )

  it.each(cases)('%s lists every failure that it declares, each with an example', (_, op, { responses }) => {
    const own = listFailures(op).filter((kind) => !isCommonFailure(op, kind))
    const others = [
      ...(op.getOrCreate ? [200] : []),
      ...(op.background ? [202] : []),
      ...(op.transport?.hasEtag || op.transport?.maxAgeSeconds ? [304] : []),
    ]
    const statuses = [op.success, ...others, ...own.map(statusOf)]
    const listed = Object.entries(responses).flatMap(([status, reference]) =>
      (reference as Json).$ref === '#/components/responses/Failure' ? [] : [status],
    )
    for (const status of Object.keys(responses))
      expect(status, 'generators know numbers and `default`').toMatch(/^(?:\d{3}|default)$/)
    expect(Object.keys(responses).some((status) => status.startsWith('4'))).toBe(true)
    expect(listed.map(Number)).toEqual([...new Set(statuses)].sort((a, b) => a - b))
    expect(resolve(responses.default)?.description).toBeDefined()
    for (const [status, reference] of Object.entries(responses)) {
      const { description, content } = resolve(reference)
      expect([status, description?.length ?? 0]).not.toEqual([status, 0])
      if (Number(status) < 400) continue
      const example = json(content)?.example as
        | { detail?: string; error?: string; errors?: unknown[] }
        | undefined
      expect([status, typeof (example?.detail ?? example?.error)]).toEqual([status, 'string'])
      if (status === '422') expect(example?.errors).toHaveLength(1)
    }
  })

  it.each(cases)('%s lists exactly the error codes it declares', (_, op, { responses }) => {
    const statuses = [...new Set(listFailures(op).map(statusOf))]
    for (const status of statuses) {
      const declared = listFailures(op).filter(
        (kind) => isErrorCode(kind) && problems[kind].status === status,
      )
      const body = json(resolve(responses[status])?.content)?.schema
      expect([status, codesIn(body)]).toEqual([status, declared.toSorted()])
    }
  })
})

it('WIR-76 no schema has a type for other keys beside known ones that may be absent, which TypeScript refuses', () => {
  const refused: string[] = []
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    const { properties, additionalProperties: others } = value as {
      properties?: object
      additionalProperties?: unknown
    }
    if (properties && typeof others === 'object' && others !== null && Object.keys(others).length > 0)
      refused.push(path)
    for (const [key, item] of Object.entries(value)) visit(item, `${path}/${key}`)
  }
  visit(schemas, '')
  expect(refused).toEqual([])
})

describe('the media types of the document', () => {
  const media = [...listMedia(document)]
  const isBytes = ({ type, format }: Json) => type === 'string' && format === 'binary'
  const judge = (type: string, schema: Json): boolean => {
    if (type === 'application/json') return schema.type !== 'string'
    if (type === 'multipart/form-data') return isBytes((schema.properties as { file: Json }).file)
    // A stream of events has the schema of one event.
    if (type.startsWith('text/'))
      return schema.format === undefined && (schema.type === 'string' || 'anyOf' in schema)
    return isBytes(schema)
  }
  it.each([...new Set(media.map(([type]) => type))].map((type) => [type] as const))(
    'WIR-89 %s is JSON, a text, a form with bytes, or bytes',
    (type) => {
      const wrong = media.filter(([name, schema]) => name === type && !judge(type, schema))
      expect(wrong).toEqual([])
    },
  )

  it('WIR-89 has files of several types', () => {
    const types = new Set(media.map(([type]) => type))
    for (const type of ['application/pdf', 'application/zip', 'image/png', 'image/jpeg', 'text/csv'])
      expect(types).toContain(type)
  })
})

describe('the schemas of the document', () => {
  /** Return the descriptions of whatever refers to a component, by the component. */
  function* listUses(value: unknown): Generator<[name: string, description: string]> {
    if (typeof value !== 'object' || value === null) return
    const { $ref, description, anyOf } = value as Json & { anyOf?: { $ref?: string }[] }
    for (const reference of [$ref, ...(Array.isArray(anyOf) ? anyOf.map((shape) => shape?.$ref) : [])])
      if (typeof reference === 'string' && typeof description === 'string')
        yield [reference.slice(reference.lastIndexOf('/') + 1), description]
    for (const child of Object.values(value)) yield* listUses(child)
  }

  it('WIR-89 no component hides a type of JavaScript in generated clients, such as File', () => {
    const names = Object.values(document.components).flatMap((components) => Object.keys(components))
    expect(names.filter((name) => name in globalThis)).toEqual([])
  })

  it('WIR-90 no component that several refer to has the description of one of them', () => {
    const uses = [...listUses(document.paths), ...listUses(document.webhooks), ...listUses(schemas)]
    const text = JSON.stringify(document)
    const borrowed = Object.entries(schemas).filter(
      ([name, { description }]) =>
        text.split(`#/components/schemas/${name}"`).length > 2 &&
        uses.some(([used, words]) => used === name && words === description),
    )
    expect(borrowed.map(([name]) => name)).toEqual([])
    expect(schemas.JsonValue?.description).toBe('Any JSON value.')
  })
})
