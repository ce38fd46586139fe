import type { Json } from './json.ts'

type Schemas = Map<string, unknown>
type ObjectSchema = Json & { properties: Record<string, Json>; required?: string[] }

const methods = ['post', 'put', 'patch', 'delete'] as const

/**
 * Let each optional field of a request be null whose answer may have null there, so that generated types take back
 * what they gave. The service reads null as absent.
 */
export function acceptNulls(paths: Json, schemas: Schemas): void {
  for (const path of Object.values(paths) as Record<string, Json | undefined>[])
    for (const method of methods) {
      const operation = path[method]
      const sent = readContent(operation?.requestBody)
      const responses = Object.entries((operation?.responses ?? {}) as Json)
      const answered = responses.flatMap(([status, response]) =>
        status.startsWith('2') ? [readContent(response) ?? {}] : [],
      )
      for (const answer of answered) if (sent) acceptIn(sent, answer, schemas, new Set())
    }
}

const readContent = (part: unknown): Json | undefined =>
  ((part as Json | undefined)?.content as Record<string, Json> | undefined)?.['application/json']?.schema as
    | Json
    | undefined

function acceptIn(sent: Json, answered: Json, schemas: Schemas, seen: Set<Json>): void {
  const request = resolve(sent, schemas)
  const answer = resolve(answered, schemas)
  if (!request || !answer || request === answer || seen.has(request)) return
  seen.add(request)
  for (const [name, property] of Object.entries(request.properties)) {
    const other = answer.properties[name]
    if (!other) continue
    acceptIn(property, other, schemas, seen)
    const isOptional = !request.required?.includes(name)
    if (isOptional && !isNullable(property) && isNullable(other))
      request.properties[name] = toNullable(property)
  }
}

/** Return the object that a schema is, or that its items are. */
function resolve(schema: Json, schemas: Schemas): ObjectSchema | undefined {
  const target = (schema.items ?? schema) as Json
  const name = typeof target.$ref === 'string' ? target.$ref.split('/').at(-1) : undefined
  const found = (name === undefined ? target : schemas.get(name)) as Json | undefined
  return found && typeof found.properties === 'object' ? (found as ObjectSchema) : undefined
}

const isNullable = (schema: Json): boolean =>
  [schema.type].flat().includes('null') || ((schema.anyOf ?? []) as Json[]).some(isNullable)

function toNullable({ description, default: initial, ...schema }: Json): Json {
  const shared = {
    ...(description ? { description } : {}),
    ...(initial === undefined ? {} : { default: initial }),
  }
  if (typeof schema.type === 'string' && !schema.enum)
    return { ...schema, ...shared, type: [schema.type, 'null'] }
  return { anyOf: [schema, { type: 'null' }], ...shared }
}
