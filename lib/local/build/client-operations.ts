import type { Json } from '#http/openapi/json.ts'
import { type AnyOperation, listFailures, requiresToken, takesIdempotencyKey } from '#http/operation.ts'
import { selectsFields } from '#http/selected-fields.ts'
import { getQuerySchema } from '#http/validators.ts'
import { problemBody } from '#problem.ts'
import { writeComment, writeField, writeType } from './client-types.ts'

/** The part of the OpenAPI document that the client is written from. */
export interface ApiDocument {
  paths: Record<string, Record<string, Json>>
  components: { schemas: Record<string, Json>; parameters: Record<string, Json> }
}

/**
 * Return whether the client has a method for the operation. Vendors call the signed ones, and a redirect only
 * serves old addresses.
 */
export function isClientOperation(op: AnyOperation): boolean {
  return op.access !== 'signed' && op.success !== 307
}

/** List the traits of an operation that the runtime of the client needs. */
export function listTraits(op: AnyOperation): string[] {
  const traits = {
    public: !requiresToken(op),
    body: op.body !== undefined,
    file: op.bodyFormat === 'file',
    key: takesIdempotencyKey(op),
    paged: op.paged,
    events: isEventStream(op),
    ticket: op.transport?.acceptsTicket,
  }
  return Object.entries(traits).flatMap(([name, isPresent]) => (isPresent ? [name] : []))
}

/** Write the operation's line in the table: method, path and traits. */
export function writeTableLine(op: AnyOperation): string {
  requireFlatInput(op)
  return `  '${op.id}': '${[op.method, op.path, ...listTraits(op)].join(' ')}',`
}

/**
 * Throw if two places of a request have a field of the same name, because a method takes all fields in one
 * object.
 */
function requireFlatInput(op: AnyOperation): void {
  const hasQuery = Object.keys(op.query?.shape ?? {}).length > 0 || op.paged
  if (op.body && hasQuery)
    throw new Error(`${op.id} has a body and a query. The client cannot tell their fields apart.`)
  const rest = op.body && 'shape' in op.body ? op.body.shape : (getQuerySchema(op)?.shape ?? {})
  const repeated = Object.keys(op.params?.shape ?? {}).filter((name) => name in rest)
  if (repeated.length > 0)
    throw new Error(`${op.id} uses ${repeated.join(', ')} twice. The client cannot tell them apart.`)
}

/** Return whether the operation answers with server-sent events and nothing else. */
function isEventStream(op: AnyOperation): boolean {
  return op.produces?.length === 1 && op.produces[0] === 'text/event-stream'
}

/** Write the operation's entry in the interface of types. */
export function writeOperationType(op: AnyOperation, document: ApiDocument): string {
  const codes = listFailures(op).flatMap((kind) =>
    Object.entries(problemBody(kind)).flatMap(([key, value]) => (key === 'detail' ? [] : [value])),
  )
  const event = op.events ? `; event: ${writeEvents(op, document)}` : ''
  return `  '${op.id}': { input: ${writeInput(op, document)}; output: ${writeOutput(op, document)}${event}; code: ${
    codes.length > 0
      ? codes
          .toSorted()
          .map((code) => `'${code}'`)
          .join(' | ')
      : 'never'
  } }`
}

function writeInput(op: AnyOperation, document: ApiDocument): string {
  const described = describe(op, document)
  const parameters = ((described.parameters ?? []) as { $ref: string }[])
    .map(({ $ref }) => document.components.parameters[$ref.slice($ref.lastIndexOf('/') + 1)] as Json)
    // The client sends the headers and the ticket, and its own types have the selection of fields.
    .filter(
      ({ in: place, name }) =>
        place !== 'header' &&
        !(op.transport?.acceptsTicket && name === 'ticket') &&
        !((op.paged || selectsFields(op)) && name === 'fields'),
    )
  const fields = parameters.map(({ name, schema, required, description }) =>
    writeField(String(name), { ...(schema as Json), description: String(description) }, required === true),
  )
  const content =
    (described.requestBody as { content: Record<string, { schema: Json }> } | undefined)?.content ?? {}
  const bodies = [
    ...(op.body ? [writeType(content['application/json']?.schema ?? {})] : []),
    ...(op.bodyFormat === 'file' ? ['FileInput'] : []),
  ]
  const parts = [
    ...(fields.length > 0 ? [`{ ${fields.join('; ')} }`] : []),
    ...(bodies.length > 0 ? [`(${bodies.join(' | ')})`] : []),
  ]
  return parts.join(' & ') || 'Record<string, never>'
}

function writeOutput(op: AnyOperation, document: ApiDocument): string {
  if (isEventStream(op)) return 'never'
  if (!op.produces) return writeJsonOutput(op, document)
  const types = op.produces.filter((type: string) => type !== 'text/event-stream')
  const outputs = types.map((type: string) =>
    type === 'application/json' ? writeJsonOutput(op, document) : 'File',
  )
  return [...new Set(outputs)].join(' | ')
}

/** Write the union of the operation's events. */
function writeEvents(op: AnyOperation, document: ApiDocument): string {
  const { schema } = getSuccessContent(op, document)?.['text/event-stream'] ?? {}
  const events = (schema?.anyOf ?? []) as { properties: { event: Json; data: Json } }[]
  return events
    .map(({ properties: { event, data } }) => `ServerEvent<${writeType(event)}, ${writeType(data)}>`)
    .join(' | ')
}

function writeJsonOutput(op: AnyOperation, document: ApiDocument): string {
  const schema = getSuccessContent(op, document)?.['application/json']?.schema
  return schema ? writeType(schema) : 'undefined'
}

function getSuccessContent(
  op: AnyOperation,
  document: ApiDocument,
): Record<string, { schema: Json }> | undefined {
  const responses = describe(op, document).responses as Record<
    string,
    { content?: Record<string, { schema: Json }> }
  >
  return responses[op.success]?.content
}

function describe(op: AnyOperation, document: ApiDocument): Json {
  return document.paths[`/api/v1${op.path}`]?.[op.method] ?? {}
}

/** Write the method's line in the interface of the client, with its documentation. */
export function writeMethod(op: AnyOperation): string {
  const verb = op.id.slice(op.id.lastIndexOf('.') + 1)
  return `${writeComment([op.summary, op.description].filter(Boolean).join('. '))}\n${verb}: ${chooseMethodType(op)}<'${op.id}'>`
}

function chooseMethodType(op: AnyOperation): string {
  if (op.transport?.acceptsTicket) return 'FollowMethod'
  if (isEventStream(op)) return 'EventMethod'
  if (op.paged) return 'PagedMethod'
  if (selectsFields(op)) return 'SelectingMethod'
  if (op.produces?.includes('text/event-stream')) return 'StreamableMethod'
  return op.background ? 'BackgroundMethod' : 'Method'
}
