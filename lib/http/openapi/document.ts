import type * as z from 'zod'
import { getKeyScope } from '#http/key-scopes.ts'
import { type AnyOperation, getMaxBody, requiresToken, takesIdempotencyKey } from '#http/operation.ts'
import { getQuerySchema } from '#http/validators.ts'
import { createComponents, type JsonComponents } from './components.ts'
import { conventions } from './conventions.ts'
import type { Json } from './json.ts'
import { binarySchema, buildErrorResponses, buildSuccessResponses } from './responses.ts'
import { describeWebhooks } from './webhooks.ts'

/** One tag of the document: a group of operations, shown under its subject. */
export interface TagInfo {
  /** The group, as in `flows.versions`. */
  name: string
  displayName: string
  description: string
}

/**
 * Build the OpenAPI 3.1 document from the declarations alone. The same declarations always give the same
 * text.
 */
export function buildOpenApi(
  operations: readonly AnyOperation[],
  tags: readonly TagInfo[],
  version: string,
): Json {
  const components = createComponents()
  const paths: Record<string, Json> = {}
  for (const op of operations) {
    const path = `/api/v1${op.path}`
    paths[path] = { ...paths[path], [op.method]: describeOperation(op, components) }
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Support Flow Service',
      version,
      description: conventions,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      contact: { name: 'Support Flow' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags: tags.map(({ name, displayName, description }) => ({
      name,
      'x-displayName': displayName,
      description,
    })),
    'x-tagGroups': groupTags(tags),
    security: [{ bearer: [] }, { api_key: [] }],
    paths,
    webhooks: describeWebhooks(components),
  }
  return components.finish(document)
}

/**
 * Return an operation's group: its id without the verb, such as `flows.versions` for `flows.versions.list`.
 */
export function getGroup(op: AnyOperation): string {
  return op.id.slice(0, op.id.lastIndexOf('.'))
}

const acronyms = new Set(['ai', 'psa'])

/** Group the tags by subject, which is the first part of their name. */
function groupTags(tags: readonly TagInfo[]): Json[] {
  const subjects = [...new Set(tags.map(({ name }) => getSubject(name)))]
  return subjects.map((subject) => ({
    name: acronyms.has(subject) ? subject.toUpperCase() : subject.charAt(0).toUpperCase() + subject.slice(1),
    tags: tags.map(({ name }) => name).filter((name) => getSubject(name) === subject),
  }))
}

function getSubject(group: string): string {
  return group.split('.')[0] ?? group
}

function describeOperation(op: AnyOperation, components: JsonComponents): Json {
  return {
    operationId: op.id,
    summary: op.summary,
    ...(op.description ? { description: op.description } : {}),
    tags: [getGroup(op)],
    ...buildParameters(op, components),
    ...buildRequestBody(op, components),
    responses: { ...buildSuccessResponses(op, components), ...buildErrorResponses(op, components) },
    ...buildSecurity(op),
    ...(op.access === 'user' ? {} : { 'x-access': op.access }),
    ...(op.limit === (op.method === 'get' ? 'read' : 'write') ? {} : { 'x-rate-limit': op.limit }),
    ...(op.feature ? { 'x-feature': op.feature } : {}),
  }
}

/**
 * Return who may call, unless it is a signed-in user or an API key, which is the document's default. The
 * scopes of a key have a field of their own, because many tools take the list of a requirement for OAuth
 * scopes.
 */
function buildSecurity(op: AnyOperation): Json {
  const scope = getKeyScope(op)
  if (scope) return { 'x-api-key-scopes': [scope, ...(op.alsoNeeds ?? [])] }
  return { security: requiresToken(op) ? [{ bearer: [] }] : [] }
}

const buildFormSchema = (op: AnyOperation) => ({
  type: 'object',
  properties: {
    file: {
      ...binarySchema,
      description: `The file. The body has at most ${Math.floor(getMaxBody(op) / 1024 ** 2)} MiB.`,
    },
  },
  required: ['file'],
})

function buildRequestBody(op: AnyOperation, components: JsonComponents): Json {
  const media = {
    ...(op.body ? { 'application/json': components.content(op.body, 'input') } : {}),
    ...(op.bodyFormat === 'file' ? { 'multipart/form-data': { schema: buildFormSchema(op) } } : {}),
    // The provider documents this body; the signature covers its exact bytes.
    ...(op.bodyFormat === 'raw' ? { 'application/json': { schema: { type: 'object' } } } : {}),
  }
  if (Object.keys(media).length === 0) return {}
  return { requestBody: { required: op.method === 'post', content: media } }
}

const preferAsync = {
  name: 'Prefer',
  in: 'header',
  description:
    '`respond-async` answers 202 at once and does the work in the background, for at most 20 open tasks of mine.',
  schema: { type: 'string' },
} as const
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'For 24 hours, a repeated request with this key returns the first answer and has no second effect.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

function buildParameters(op: AnyOperation, components: JsonComponents): Json {
  const describe = (place: string, shape: z.ZodObject | undefined) =>
    Object.entries(shape?.shape ?? {}).map(([name, field]) => {
      const { description } = field as z.ZodType
      const { description: _, ...schema } = components.parameterSchema(field as z.ZodType)
      const isRequired = place === 'path' || !(field as z.ZodType).safeParse(undefined).success
      return { name, in: place, ...(isRequired ? { required: true } : {}), description, schema }
    })
  const all = [
    ...describe('path', op.params),
    ...describe('query', getQuerySchema(op)),
    ...(takesIdempotencyKey(op) ? [idempotencyKey] : []),
    ...(op.background ? [preferAsync] : []),
  ]
  return all.length > 0
    ? { parameters: all.map((parameter) => components.parameter(parameter, getGroup(op))) }
    : {}
}
