import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { bindTools, type Tool, toToolRequest } from '#functions/mcp/tool-schemas.ts'
import { type ToolDeclaration, tools } from '#functions/mcp/tools.ts'
import { operations } from '#functions/operations.ts'
import { getQuerySchema } from '#http/validators.ts'
import { createStubOperation } from '#test/support/stub-operation.ts'

const declaration: ToolDeclaration = { name: 't', operation: 'flows.items.find', title: 'T', hint: 'Use it.' }
const bind = (operation: object, fields: Partial<ToolDeclaration> = {}) =>
  bindTools(
    [{ ...declaration, ...fields }],
    [createStubOperation({ id: 'flows.items.find', summary: 'Find', ...operation })],
  )[0] as Tool
const params = z.strictObject({ id: z.string() })
const query = z.strictObject({ search: z.string().optional(), kind: z.string() })
const body = z.strictObject({ text: z.string(), note: z.string().optional() })

describe('the input of a tool', () => {
  it.each<[string, object, Partial<ToolDeclaration>, object]>([
    ['nothing', {}, {}, { type: 'object', properties: {}, additionalProperties: false }],
    [
      'the parameters of the path and the query',
      { params, query },
      {},
      {
        type: 'object',
        properties: { id: { type: 'string' }, search: { type: 'string' }, kind: { type: 'string' } },
        required: ['id', 'kind'],
        additionalProperties: false,
      },
    ],
    [
      'no parameters that the tool sets itself',
      { params, query },
      { fixed: { kind: 'x' } },
      {
        type: 'object',
        properties: { id: { type: 'string' }, search: { type: 'string' } },
        required: ['id'],
        additionalProperties: false,
      },
    ],
    [
      'the fields of a body with an id',
      { method: 'post', body: body.meta({ id: 'Body' }) },
      {},
      {
        type: 'object',
        properties: { text: { type: 'string' }, note: { type: 'string' } },
        required: ['text'],
        additionalProperties: false,
      },
    ],
    [
      'optional fields only',
      { method: 'patch', body: z.strictObject({ item: z.string().meta({ id: 'Item' }).optional() }) },
      {},
      {
        type: 'object',
        properties: { item: { type: 'string' } },
        additionalProperties: false,
      },
    ],
  ])('has %s', (_, operation, fields, schema) => {
    expect(bind(operation, fields).inputSchema).toEqual(schema)
  })

  it.each(bindTools(tools, operations).map((tool) => [tool.declaration.name, tool] as const))(
    'MCP-17 of %s refers to nothing, and has no keyword that models of a vendor refuse',
    (_, { inputSchema }) => {
      expect(JSON.stringify(inputSchema).match(/"(?:\$ref|\$defs|const|propertyNames)":/g)).toBeNull()
    },
  )

  it('MCP-17 takes any value where a definition is inside itself', () => {
    const json: z.ZodType = z
      .lazy(() => z.union([z.string(), z.array(json), z.record(z.string(), json)]))
      .meta({ id: 'Value' })
    const { properties } = bind({
      method: 'post',
      body: z.strictObject({ const: z.literal('a'), values: z.record(z.string(), json) }),
    }).inputSchema
    expect(properties).toEqual({
      const: { type: 'string', enum: ['a'] },
      values: {
        type: 'object',
        additionalProperties: {
          anyOf: [
            { type: 'string' },
            { type: 'array', items: {} },
            { type: 'object', additionalProperties: {} },
          ],
        },
      },
    })
  })

  it('has pages of 20 by default', () => {
    const { properties } = bind({ paged: true }).inputSchema as unknown as {
      properties: Record<string, { default?: number }>
    }
    expect([Object.keys(properties), properties.limit?.default]).toEqual([['skip', 'limit', 'after'], 20])
  })

  it('has to be an object', () => {
    expect(() => bind({ method: 'post', body: z.array(z.string()) })).toThrow(
      'A tool needs an operation whose body is an object, not {"$schema":',
    )
  })
})

describe('bindTools', () => {
  it('describes a tool with its hint, its operation and its scope', () => {
    expect(bind({ description: 'Newest first.' }).description).toBe(
      'Use it.\nFind.\nNewest first.\nNeeds the scope flows:read.',
    )
    expect(bind({}).description).toBe('Use it.\nFind.\nNeeds the scope flows:read.')
  })

  it.each([{ id: 'flows.items.list' }, { access: 'account_admin' }, { closedToKeys: true }])(
    'refuses the operation %j',
    (operation) => {
      expect(() => bind(operation)).toThrow('The tool t has no operation that keys may call')
    },
  )
})

describe('the request of a tool', () => {
  it.each<[object, Partial<ToolDeclaration>, Record<string, unknown>, object]>([
    [{}, {}, {}, { method: 'GET', path: '/a', body: undefined }],
    [{ paged: true }, {}, {}, { method: 'GET', path: '/a?limit=20', body: undefined }],
    [{ paged: true }, {}, { limit: 5 }, { method: 'GET', path: '/a?limit=5', body: undefined }],
    [
      { path: '/a/{id}', params, query },
      { fixed: { kind: 'x' } },
      { id: 'a/b', kind: 'y', search: ['s'] },
      { method: 'GET', path: '/a/a%2Fb?kind=x&search=%5B%22s%22%5D', body: undefined },
    ],
    [{ path: '/a/{id}', params }, {}, {}, { method: 'GET', path: '/a/', body: undefined }],
    [
      { method: 'post', path: '/a/{id}', params, query, body },
      {},
      { id: 'i', kind: 'y', text: 't', other: 1 },
      { method: 'POST', path: '/a/i?kind=y', body: '{"text":"t","other":1}' },
    ],
  ])('for %j with %j and %j', (operation, fields, input, request) => {
    expect(toToolRequest(bind(operation, fields), input)).toEqual(request)
  })
})

describe('an argument that a model leaves out by null', () => {
  const query = z.strictObject({ search: z.string().optional(), limit: z.int().optional() })
  const body = z.strictObject({
    text: z.string(),
    note: z.string().optional(),
    team_id: z.string().nullish(),
    facts: z.array(z.strictObject({ label: z.string(), value: z.string().optional() })).optional(),
  })

  it.each(bindTools(tools, operations).map((tool) => [tool.declaration.name, tool] as const))(
    'MCP-18 is left out of the query of %s, as an empty text is',
    (_, tool) => {
      const names = Object.keys(getQuerySchema(tool.operation).shape).filter(
        (name) => !(name in (tool.declaration.fixed ?? {})),
      )
      const ids = Object.fromEntries(
        Object.keys(tool.operation.params?.shape ?? {}).map((name) => [name, 'x']),
      )
      for (const nothing of [null, '', undefined])
        expect(
          toToolRequest(tool, { ...Object.fromEntries(names.map((name) => [name, nothing])), ...ids }).path,
        ).toBe(toToolRequest(tool, ids).path)
    },
  )

  it('MCP-18 is left out of the body where the field has no null, also inside objects', () => {
    const facts = [{ label: 'a', value: null }]
    const tool = bind({ method: 'post', query, body })
    const request = toToolRequest(tool, {
      search: null,
      limit: null,
      text: '',
      note: null,
      team_id: null,
      facts,
    })
    expect([request.path, JSON.parse(request.body ?? '')]).toEqual([
      '/a',
      { text: '', team_id: null, facts: [{ label: 'a' }] },
    ])
  })
})

/** Return a value of a schema, or undefined for one that only a text has. */
function makeValue(schema: unknown): unknown {
  const { type, anyOf, items, properties, enum: values } = schema as Record<string, unknown>
  if (Array.isArray(anyOf)) return anyOf.map(makeValue).find((value) => value !== undefined && value !== null)
  switch ([type].flat().find((each) => each !== 'null')) {
    case 'object':
      return Object.fromEntries(
        Object.entries(properties ?? {}).map(([key, each]) => [key, makeValue(each) ?? '{"a":1}']),
      )
    case 'array':
      return [makeValue(items ?? {}) ?? '[1]']
    case 'integer':
    case 'number':
      return 7
    case 'boolean':
      return true
    default:
      return Array.isArray(values) ? values[0] : undefined
  }
}

/** Write every object, list, number and flag of a value as a text with its JSON, from the inside. */
function toTexts(value: unknown): unknown {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return JSON.stringify(value.map(toTexts))
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return JSON.stringify(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toTexts(each)])))
}

it.each(bindTools(tools, operations).map((tool) => [tool.declaration.name, tool] as const))(
  'MCP-18 the arguments of %s may be texts with their JSON, and a text stays one',
  (_, tool) => {
    const whole = makeValue(tool.inputSchema) as Record<string, unknown>
    const texts = Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, toTexts(value)]))
    expect(toToolRequest(tool, texts)).toEqual(toToolRequest(tool, whole))
  },
)
