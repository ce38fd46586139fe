import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { operations as allOperations } from '#functions/operations.ts'
import { Flag, Id, Name, Role, Time } from '#http/fields.ts'
import { createComponents, toPascalCase } from '#http/openapi/components.ts'
import { composeExample } from '#http/openapi/compose-example.ts'
import { buildOpenApi, getGroup } from '#http/openapi/document.ts'
import { extendSchemas } from '#http/openapi/extend-schemas.ts'
import type { Json } from '#http/openapi/json.ts'
import { buildErrorResponses, buildSuccessResponses } from '#http/openapi/responses.ts'
import { shareDescriptions } from '#http/openapi/share-descriptions.ts'
import { getQuerySchema } from '#http/validators.ts'
import { createStubOperation } from '#test/support/stub-operation.ts'

const Item = z
  .object({
    id: Id,
    name: Name.describe('Its name.'),
    created_at: Time,
    role: Role.describe('The role.'),
    count: z.int().nullable().describe('How many.'),
    owner: z.object({ id: Id.describe('Who owns it.') }).nullable(),
  })
  .meta({ id: 'Item', examples: [{ id: 'x' }] })
const ItemDetail = Item.extend({ note: z.string().optional(), tags: z.array(z.string()) }).meta({
  id: 'ItemDetail',
})

/** One operation for each way to describe a request or a response. */
const operations = [
  createStubOperation({
    id: 'flows.items.list',
    path: '/items',
    summary: 'List items',
    description: 'Newest first.',
    paged: true,
    query: z.strictObject({
      search: z.string().optional().describe('Words.'),
      archived: Flag.default(false).describe('With archived ones.'),
    }),
    returns: z.array(Item),
  }),
  createStubOperation({
    id: 'flows.items.create',
    method: 'post',
    path: '/items',
    summary: 'Create an item',
    body: z.strictObject({ name: Name, role: Role.default('viewer') }),
    success: 201,
    returns: ItemDetail,
    getOrCreate: true,
    background: true,
    feature: 'ai',
    errors: ['conflict', 'stale_version'],
  }),
  createStubOperation({
    id: 'flows.items.get',
    path: '/items/{id}',
    summary: 'Get an item',
    params: z.strictObject({ id: Id.describe('Id of the item.') }),
    returns: ItemDetail,
    transport: { hasEtag: true },
  }),
  createStubOperation({
    id: 'flows.items.delete',
    method: 'delete',
    path: '/items/{id}',
    summary: 'Delete an item',
    params: z.strictObject({ id: Id.describe('Id of the item.') }),
    description: 'For good.',
    success: 204,
    access: 'account_admin',
    stepUp: true,
  }),
  createStubOperation({
    id: 'ai.items.upload',
    method: 'post',
    path: '/items/{id}/file',
    summary: 'Upload a file',
    params: z.strictObject({ id: Id.describe('Id of the file.') }),
    bodyFormat: 'file',
    idempotent: false,
    skipGuards: 'account',
  }),
  createStubOperation({
    id: 'psa.events.receive',
    method: 'put',
    path: '/hook',
    summary: 'Receive a hook',
    bodyFormat: 'raw',
    access: 'signed',
    limit: 'none',
    success: 202,
  }),
  createStubOperation({
    id: 'sessions.events.stream',
    path: '/events',
    summary: 'Stream events',
    produces: ['text/event-stream', 'application/json', 'text/plain'],
    events: { added: Item, removed: z.object({ id: Id }).describe('What is gone.') },
    returns: Item,
    transport: { maxAgeSeconds: 60 },
    access: 'public',
  }),
  createStubOperation({
    id: 'sessions.events.send',
    method: 'post',
    path: '/events',
    summary: 'Send an event',
    produces: ['text/event-stream'],
    events: { added: Item },
    skipGuards: 'all',
  }),
  createStubOperation({
    id: 'sessions.redirect',
    path: '/old',
    summary: 'Redirect',
    access: 'public',
    success: 307,
  }),
]
const tags = ['ai.items', 'flows.items', 'psa.events', 'sessions.events', 'sessions'].map((name) => ({
  name,
  displayName: `Tag ${name}`,
  description: 'What it is.',
}))

it('the OpenAPI document describes every part of a request and a response', async () => {
  const { info, webhooks, components, ...rest } = buildOpenApi(operations, tags, '1.2.3') as Record<
    string,
    Json
  >
  // These are the same for any operations.
  const { schemas, ...others } = components as Record<string, Json>
  const ownSchemas = Object.fromEntries(
    Object.entries(schemas ?? {}).filter(([name]) => !/^(?:Webhook|ErrorCode|JsonValue)/.test(name)),
  )
  const webhook = webhooks?.['webhook.test']
  const document = {
    info: { ...info, description: '' },
    ...rest,
    webhook,
    components: { ...others, schemas: ownSchemas },
  }
  await expect(`${JSON.stringify(document, null, 1)}\n`).toMatchFileSnapshot('openapi-document.json.txt')
})

describe('createComponents', () => {
  it('gives parameters of one name that differ the names of their groups', () => {
    const { parameter } = createComponents()
    const describeId = (description: string) => ({ name: 'item-id', description })
    expect([
      parameter(describeId('a'), 'flows'),
      parameter(describeId('a'), 'sessions'),
      parameter(describeId('b'), 'flows.items'),
      parameter(describeId('c'), 'flows.items'),
    ]).toEqual(
      ['ItemId', 'ItemId', 'FlowsItemId', 'FlowsItemsItemId'].map((name) => ({
        $ref: `#/components/parameters/${name}`,
      })),
    )
    expect(() => parameter(describeId('d'), 'flows.items')).toThrow(
      'Two parameters of flows.items are called item-id',
    )
  })

  it.each<[z.ZodType, Json]>([
    [z.string().nullable(), { type: ['string', 'null'] }],
    [z.string().nullable().describe('D'), { type: ['string', 'null'], description: 'D' }],
    [
      z.array(z.string()).nullable(),
      { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
    ],
    [z.union([z.string(), z.int()]), { anyOf: [{ type: 'string' }, { type: 'integer' }] }],
    [z.int().min(0), { type: 'integer', minimum: 0 }],
    [z.int().max(5), { type: 'integer', maximum: 5 }],
    [z.string().regex(/^a$/), { type: 'string', pattern: '^a$' }],
    [z.strictObject({}), { type: 'object', properties: {} }],
    [z.enum(['a']), { type: 'string', enum: ['a'] }],
    [Time.describe('Mine.'), { type: 'string', format: 'date-time', description: 'Mine.' }],
  ])('converts the output schema %#', (type, json) => {
    expect(createComponents().schema(type, 'output')).toEqual(json)
  })

  it('refuses other properties in a request only', () => {
    expect(createComponents().schema(z.strictObject({}), 'input')).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: false,
    })
  })

  it.each<[z.ZodType, Json]>([
    [Flag, { type: 'boolean' }],
    [z.enum(['true', 'false']).default('true'), { type: 'boolean', default: true }],
    [z.enum(['true', 'false']).default('false'), { type: 'boolean', default: false }],
    [z.enum(['true', 'x']).meta({ id: 'Own' }), { $ref: '#/components/schemas/Own' }],
  ])('converts the parameter %#', (type, json) => {
    expect(createComponents().parameterSchema(type)).toEqual(json)
  })

  it.each<[z.ZodType, Json]>([
    [z.string().meta({ examples: ['a', 'b'] }), { schema: { type: 'string' }, example: 'a' }],
    [z.string(), { schema: { type: 'string' } }],
  ])('shows the first example of the body %#', (type, content) => {
    const { schema, ...rest } = createComponents().content(type, 'output')
    const { examples: _, ...ownSchema } = schema as Json
    expect({ schema: ownSchema, ...rest }).toEqual(content)
  })
})

it.each<[z.ZodType, unknown]>([
  [z.string(), undefined],
  [z.array(z.string()), []],
  [z.string().meta({ examples: [0, 1] }), 0],
  [z.array(z.string().meta({ examples: ['a'] })), ['a']],
  [z.array(z.string().meta({ examples: ['a'] })).meta({ examples: [['b']] }), ['b']],
])('composeExample returns the example of a schema or of its elements: %#', (type, example) => {
  expect(composeExample(type)).toEqual(example)
})

it.each<[z.ZodType, unknown]>([
  [z.string().meta({ example: 'Ada' }).nullable(), 'Ada'],
  [z.string().nullable(), null],
  [z.iso.datetime().nullable(), null],
  [z.object({ kind: z.enum(['a', 'b']) }).nullable(), { kind: 'a' }],
  [
    z.object({ count: z.int().min(5), share: z.number(), is_open: z.boolean() }),
    { count: 5, share: 1, is_open: true },
  ],
  [z.object({ note: z.string().optional(), size: z.int().default(7) }), { size: 7 }],
  [z.object({ client_name: z.string().optional() }), { client_name: 'Contoso Dental' }],
  [z.object({ client_name: z.int() }), { client_name: 1 }],
  [z.array(z.union([z.literal('x'), z.int()])), ['x']],
])('composeExample composes the example of a schema from its fields: %#', (type, example) => {
  expect(composeExample(type)).toEqual(example)
})

it('a required text without an example is refused with its path', () => {
  const type = z.object({ device: z.object({ model: z.string() }) })
  expect(() => composeExample(type)).toThrow('Give the field device.model an example')
})

it('every query parameter with a default value documents it', () => {
  const undocumented = allOperations.flatMap((op) =>
    Object.entries(getQuerySchema(op).shape as Record<string, z.ZodType>)
      .filter(
        ([, field]) =>
          field.safeParse(undefined).data !== undefined &&
          !('default' in createComponents().parameterSchema(field)),
      )
      .map(([name]) => `${op.id} ${name}`),
  )
  expect(undocumented).toEqual([])
})

it('toPascalCase joins words with capitals', () => {
  expect(['idempotency-key', 'flows_tree_id', 'a.b', 'ID'].map(toPascalCase)).toEqual([
    'IdempotencyKey',
    'FlowsTreeId',
    'AB',
    'ID',
  ])
})

it('getGroup returns the id without its verb', () => {
  expect(['a.b', 'a.b.c'].map((id) => getGroup(createStubOperation({ id })))).toEqual(['a', 'a.b'])
})

it('refers to a named enum, with the description of each field', () => {
  const Named = z.enum(['x', 'y']).meta({ id: 'Letter' })
  const components = createComponents()
  const { properties } = components.schema(
    z.object({ a: Named.describe('A.'), b: Named.describe('A.').describe('B.') }),
    'input',
  )
  const $ref = '#/components/schemas/Letter'
  expect(properties).toEqual({ a: { $ref, description: 'A.' }, b: { $ref, description: 'B.' } })
})

it.each([[['x', 'y']], [['viewer', 'engineer', 'admin']]])('refuses the enum %j without a name', (values) => {
  const Unnamed = z.object({ letter: z.enum(values) })
  expect(() => createComponents().schema(Unnamed, 'input')).toThrow(
    `Name the enum [${values.join(', ')}] where it is declared`,
  )
})

it('refuses two enums of one name', () => {
  const components = createComponents()
  components.schema(z.object({ letter: z.enum(['x', 'y']).meta({ id: 'Letter' }) }), 'input')
  const other = z.object({ letter: z.enum(['x', 'z']).meta({ id: 'Letter' }) })
  expect(() => components.schema(other, 'input')).toThrow('Two enums are called Letter: [x,y] and [x,z]')
})

describe('extendSchemas', () => {
  const text = { type: 'string' }
  const createSchema = (names: string, required?: string[], fields: Json = {}) => ({
    type: 'object',
    properties: Object.fromEntries(Array.from(names, (name) => [name, text])),
    ...(required ? { required } : {}),
    ...fields,
  })
  const extend = (base: Json, schema: Json) => extendSchemas({ Base: base, Full: schema }).Full

  it('lets a schema extend one with at least five of its properties', () => {
    expect(
      extend(createSchema('abcde', ['a']), createSchema('abcdef', ['a', 'f'], { description: 'D' })),
    ).toEqual({
      allOf: [{ $ref: '#/components/schemas/Base' }, createSchema('f', ['f'])],
      description: 'D',
    })
    expect(extend(createSchema('abcde'), createSchema('abcdef'))).toEqual({
      allOf: [{ $ref: '#/components/schemas/Base' }, createSchema('f')],
    })
  })

  it.each([
    ['four properties', createSchema('abcd'), createSchema('abcde')],
    ['all properties', createSchema('abcde'), createSchema('abcde')],
    ['another property', createSchema('abcdx'), createSchema('abcdef')],
    ['another required property', createSchema('abcde', ['a']), createSchema('abcdef', ['b'])],
    ['a required property', createSchema('abcde', ['a']), createSchema('abcdef')],
    [
      'a property of another type',
      { ...createSchema('abcd'), properties: { ...createSchema('abcd').properties, e: {} } },
      createSchema('abcdef'),
    ],
    [
      'no other properties',
      createSchema('abcde', [], { additionalProperties: false }),
      createSchema('abcdef'),
    ],
  ])('keeps a schema beside one with %s', (_, base, schema) => {
    expect(extend(base, schema)).toEqual(schema)
  })

  it('ignores the descriptions of properties and the order of their keywords', () => {
    const withFirst = (property: Json) => ({
      ...createSchema('abcde'),
      properties: { ...createSchema('abcde').properties, a: property },
    })
    const schema = createSchema('abcdef')
    schema.properties.a = { type: 'string', format: 'x', description: 'D' } as never
    expect(extend(withFirst({ format: 'x', type: 'string' }), schema)).toHaveProperty('allOf')
  })

  it('extends the largest of several', () => {
    const schemas = extendSchemas({
      A: createSchema('abcde'),
      B: createSchema('abcdef'),
      C: createSchema('abcdefg'),
      D: text,
    })
    expect(
      Object.values(schemas).map((schema) => ((schema as Json).allOf as Json[] | undefined)?.[0]),
    ).toEqual([undefined, { $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }, undefined])
  })
})

describe('shareDescriptions', () => {
  const share = (descriptions: (string | undefined)[], schema: Json = {}) => {
    const uses = descriptions.map((description) => ({
      $ref: '#/components/schemas/A',
      ...(description ? { description } : {}),
    }))
    const document = shareDescriptions({ uses, components: { schemas: { A: { ...schema } } } }) as {
      uses: Json[]
      components: Json
    }
    return [
      ((document.components.schemas as Json).A as Json).description,
      document.uses.map(({ description }) => description),
    ]
  }

  it.each<[string, (string | undefined)[], Json, unknown]>([
    ['the only one', ['x'], {}, ['x', [undefined]]],
    ['one that occurs twice', ['x', 'y', 'x', undefined], {}, ['x', [undefined, 'y', undefined, undefined]]],
    ['none of several that occur once', ['x', 'y'], {}, [undefined, ['x', 'y']]],
    ['none without descriptions', [undefined], {}, [undefined, [undefined]]],
    ['none beside another one of the schema', ['x'], { description: 'y' }, ['y', ['x']]],
    ['the same as that of the schema', ['x'], { description: 'x' }, ['x', [undefined]]],
  ])('moves into a schema %s', (_, descriptions, schema, expected) => {
    expect(share(descriptions, schema)).toEqual(expected)
  })
})

describe('the responses of an operation', () => {
  const listStatuses = (changes: object) =>
    Object.keys(buildErrorResponses(createStubOperation(changes), createComponents()))

  it.each([
    [{}, ['403', 'default']],
    [{ skipGuards: 'all' }, ['429', 'default']],
    [{ access: 'public' }, ['429', 'default']],
    [{ access: 'public', errors: ['not_found'] }, ['404', 'default']],
    [{ access: 'public', errors: ['not_found'], params: z.object({}) }, ['429', 'default']],
    [{ access: 'signed' }, ['400', 'default']],
  ])('are specific to %j', (changes, statuses) => {
    expect(listStatuses(changes)).toEqual(statuses)
  })

  it.each([
    [{ success: 200 }, 'OK'],
    [{ success: 201 }, 'Created'],
    [{ success: 202 }, 'Accepted'],
    [{ success: 204 }, 'No content'],
  ])('describe the success of %j', (changes, description) => {
    expect(buildSuccessResponses(createStubOperation(changes), createComponents())).toEqual({
      [changes.success]: { description },
    })
  })
})
