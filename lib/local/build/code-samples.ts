import { operations } from '#functions/operations.ts'
import { isClientOperation, listTraits } from './client-operations.ts'

interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  default?: unknown
  examples?: unknown[]
}
interface Parameter {
  name: string
  in: string
  required: boolean
  schema: Schema
  examples?: Record<string, unknown>
}
interface Described {
  operationId: string
  parameters?: { $ref: string }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: unknown }>
}
/** The part of the OpenAPI document that the samples are written from. */
export interface SampledDocument {
  tags: { name: string; description: string }[]
  'x-tagGroups': { name: string; tags: string[] }[]
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> }
}

const maxLineLength = 80

/**
 * Return a copy of the document in which each operation that the typed client can call has a sample for it.
 */
export function addCodeSamples(document: SampledDocument): SampledDocument {
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const sampled = Object.entries(methods).map(([method, op]) => [method, addCodeSample(op, document)])
    return [path, Object.fromEntries(sampled)]
  })
  return { ...document, paths: Object.fromEntries(paths) }
}

function addCodeSample(op: Described, document: SampledDocument): Described {
  const source = writeCodeSample(op, document)
  return source === undefined
    ? op
    : Object.assign({}, op, { 'x-codeSamples': [{ lang: 'typescript', label: 'TypeScript client', source }] })
}

/** Write a call of the typed client, or undefined for an operation that it has no method for. */
export function writeCodeSample(op: Described, document: SampledDocument): string | undefined {
  const declaration = operations.find(({ id }) => id === op.operationId)
  if (!declaration || !isClientOperation(declaration)) return undefined
  const traits = listTraits(declaration)
  const lines = [
    "import { createClient } from '@support-flow/client'",
    '',
    'const client = createClient({ baseUrl, tokens })',
  ]
  if (traits.includes('file'))
    lines.push("const file = new File([bytes], 'printer.png', { type: 'image/png' })")
  return [...lines, writeCall(op, traits, writeInput(op, traits, document))].join('\n')
}

function writeCall(op: Described, traits: string[], input: string): string {
  const call = `client.${op.operationId}(${input})`
  if (traits.includes('events'))
    return `for await (const { event, data } of ${call}) {\n  console.log(event, data)\n}`
  if (traits.includes('paged')) return `for await (const item of ${call}) {\n  console.log(item)\n}`
  return hasResult(op) ? `const result = await ${call}` : `await ${call}`
}

function hasResult({ responses }: Described): boolean {
  return Object.entries(responses).some(
    ([status, response]) => status.startsWith('2') && response.content !== undefined,
  )
}

function writeInput(op: Described, traits: string[], document: SampledDocument): string {
  const fields = sampleFields(op, document)
  if (!traits.includes('file')) return Object.keys(fields).length > 0 ? writeLiteral(fields) : ''
  return `{ ${[...Object.entries(fields).map(([name, value]) => `${name}: ${writeLiteral(value)}`), 'file'].join(', ')} }`
}

/** Return values for the required parameters, and the example of the body. */
export function sampleFields(op: Described, document: SampledDocument): Record<string, unknown> {
  const parameters = (op.parameters ?? []).map(
    ({ $ref }) => document.components.parameters[readName($ref)] as Parameter,
  )
  const required = parameters.filter((parameter) => parameter.required && parameter.in !== 'header')
  const body = op.requestBody?.content['application/json']?.schema
  const example = body?.$ref ? document.components.schemas[readName(body.$ref)]?.examples?.[0] : undefined
  return {
    ...Object.fromEntries(required.map(({ name, schema }) => [name, sampleValue(schema, document)])),
    ...(example ?? {}),
  }
}

/** Return the example of a schema, or a value that it allows. */
export function sampleValue(schema: Schema, document: SampledDocument): unknown {
  if (schema.$ref) return sampleValue(document.components.schemas[readName(schema.$ref)] ?? {}, document)
  if (schema.examples) return schema.examples[0]
  if (schema.enum) return schema.enum[0]
  if (schema.format === 'uuid') return '0197a5c0-5b1e-7c3a-9d42-6f0e8b7a1c55'
  if (schema.type === 'integer') return 1
  return schema.type === 'boolean' ? true : 'printer'
}

function readName(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** Write a JSON value as TypeScript, on one line if it fits. */
function writeLiteral(value: unknown, indent = ''): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }']
  const write = (indent: string) =>
    Object.entries(value).map(
      ([key, item]) => `${Array.isArray(value) ? '' : `${writeKey(key)}: `}${writeLiteral(item, indent)}`,
    )
  const line = `${open}${write('').join(', ')}${close}`
  if (!line.includes('\n') && indent.length + line.length <= maxLineLength)
    return line === '{  }' ? '{}' : line
  const inner = `${indent}  `
  return `${open.trim()}\n${write(inner)
    .map((item) => `${inner}${item},\n`)
    .join('')}${indent}${close.trim()}`
}

function writeKey(key: string): string {
  return /^[a-z_$][\w$]*$/i.test(key) ? key : writeLiteral(key)
}
