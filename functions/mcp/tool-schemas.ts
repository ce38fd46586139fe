import * as z from 'zod'
import { getKeyScope } from '#http/key-scopes.ts'
import type { AnyOperation } from '#http/operation.ts'
import { getQuerySchema } from '#http/validators.ts'
import { inlineDefinitions, readToolArguments } from './plain-schema.ts'
import { buildOutputSchema } from './structured-content.ts'
import type { ToolDeclaration } from './tools.ts'

type JsonObject = Record<string, unknown>
interface ObjectSchema {
  properties: JsonObject
  required: string[]
}

/** A tool as it is listed, with its operation. */
export interface Tool {
  declaration: ToolDeclaration
  operation: AnyOperation
  description: string
  inputSchema: { type: 'object'; [keyword: string]: unknown }
  /** The outline of its answer; undefined for one that is not JSON. */
  outputSchema: Record<string, unknown> | undefined
}

/** A page of a tool is smaller than that of the API, because a model reads all of it. */
const toolPageSize = 20

/** Bind each tool to its operation. Throw for one that does not exist or is closed to keys. */
export function bindTools(
  declarations: readonly ToolDeclaration[],
  operations: readonly AnyOperation[],
): Tool[] {
  return declarations.map((declaration) => {
    const operation = operations.find(({ id }) => id === declaration.operation)
    if (!operation || !getKeyScope(operation))
      throw new Error(`The tool ${declaration.name} has no operation that keys may call`)
    return {
      declaration,
      operation,
      description: describeTool(declaration, operation),
      inputSchema: buildInputSchema(declaration, operation),
      outputSchema: operation.returns && buildOutputSchema(operation.returns as z.ZodType),
    }
  })
}

function describeTool({ hint }: ToolDeclaration, op: AnyOperation): string {
  return [hint, `${op.summary}.`, op.description, `Needs the scope ${getKeyScope(op)}.`]
    .filter(Boolean)
    .join('\n')
}

/**
 * Return the input of an operation as one flat object: path parameters, query parameters and the fields of
 * the body.
 */
function buildInputSchema({ fixed = {} }: ToolDeclaration, op: AnyOperation): Tool['inputSchema'] {
  const parts = [op.params, getQuerySchema(op), op.body].flatMap((type) =>
    type ? [toObjectSchema(type as z.ZodType)] : [],
  )
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as JsonObject
  for (const name of Object.keys(fixed)) delete properties[name]
  if (op.paged) properties.limit = { ...(properties.limit as JsonObject), default: toolPageSize }
  const required = parts.flatMap((part) => part.required).filter((name) => name in properties)
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

function toObjectSchema(type: z.ZodType): ObjectSchema {
  const { $defs = {}, ...root } = z.toJSONSchema(type, {
    io: 'input',
    unrepresentable: 'any',
  }) as JsonObject & { $defs?: JsonObject }
  const schema = inlineDefinitions(root, $defs) as JsonObject & Partial<ObjectSchema>
  if (schema.type !== 'object')
    throw new Error(
      `A tool needs an operation whose body is an object, not ${JSON.stringify(schema).slice(0, 200)}`,
    )
  return { properties: schema.properties ?? {}, required: schema.required ?? [] }
}

/** The request of a tool call: the path under /api/v1 with its query, and the body. */
export interface ToolRequest {
  method: string
  path: string
  body: string | undefined
}

/**
 * Put each argument where the operation expects it. What it does not know becomes part of the body or the
 * query, which is then refused. A model writes `null` for what it leaves out, or an empty text in a filter.
 */
export function toToolRequest(
  { declaration, operation: op, inputSchema }: Tool,
  input: JsonObject,
): ToolRequest {
  const inPath = new Set(Object.keys(op.params?.shape ?? {}))
  const inQuery = new Set(Object.keys(getQuerySchema(op).shape))
  const given = Object.entries(readToolArguments(input, inputSchema) as JsonObject)
  const meant = Object.fromEntries(given.filter(([name, value]) => value !== '' || !inQuery.has(name)))
  const args: JsonObject = { ...(op.paged ? { limit: toolPageSize } : {}), ...meant, ...declaration.fixed }
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(args[name] ?? '')),
  )
  const rest = Object.entries(args).filter(([name]) => !inPath.has(name))
  const query = new URLSearchParams(
    rest.filter(([name]) => !op.body || inQuery.has(name)).map(([name, value]) => [name, toText(value)]),
  )
  const body = op.body && JSON.stringify(Object.fromEntries(rest.filter(([name]) => !inQuery.has(name))))
  return { method: op.method.toUpperCase(), path: query.size > 0 ? `${path}?${query}` : path, body }
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
