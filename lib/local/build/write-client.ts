import { join } from 'node:path'
import { operations } from '#functions/operations.ts'
import { tags } from '#functions/tags.ts'
import { buildOpenApi } from '#http/openapi/document.ts'
import type { Json } from '#http/openapi/json.ts'
import { root } from '#local/root.ts'
import {
  type ApiDocument,
  isClientOperation,
  writeMethod,
  writeOperationType,
  writeTableLine,
} from './client-operations.ts'
import { listReferences, writeComment, writeType } from './client-types.ts'
import { writeChanged } from './write-generated.ts'

const generatedNote = '// Written by `npm run client` from the declarations of the operations. Do not edit.'
const callable = operations.filter(isClientOperation)
const document = buildOpenApi(operations, tags, '1') as unknown as ApiDocument

interface MethodTree {
  [name: string]: MethodTree | string
}

function writeTable(): string {
  return `${generatedNote}

/** Method, path and traits of every operation. */
export const operationTable = {
${callable.map(writeTableLine).join('\n')}
} as const
`
}

function writeTypes(): string {
  const components = listUsedComponents()
  return `${generatedNote}
import type { FileInput, ServerEvent } from './call-types.ts'

${components.map(writeComponent).join('\n')}

/** Shorter names of the types above. The API's paths say \`tree\` for a flow. */
export type {
${components.flatMap(writeShortName).join('\n')}
}

export type OperationId = keyof Operations

/** Input, result and error codes of every operation. */
export interface Operations {
${callable.map((op) => writeOperationType(op, document)).join('\n')}
}
`
}

function writeMethods(): string {
  return `${generatedNote}
import type { BackgroundMethod, EventMethod, FollowMethod, Method, PagedMethod, SelectingMethod, StreamableMethod } from './method-types.ts'

/** One method per operation, named by its id. */
export interface Methods ${writeTree(buildTree())}
`
}

/**
 * Return the names of the components that a request or a successful response uses, directly or through
 * others.
 */
function listUsedComponents(): string[] {
  const used = new Set(
    callable.flatMap((op) =>
      listReferences(describeTypes(document.paths[`/api/v1${op.path}`]?.[op.method] ?? {})),
    ),
  )
  for (const name of used)
    for (const next of listReferences(document.components.schemas[name] ?? {})) used.add(next)
  return [...used.add('ErrorCode')].toSorted()
}

function describeTypes({ parameters = [], requestBody = {}, responses }: Json): Json {
  const names = (parameters as { $ref: string }[]).map(({ $ref }) => $ref.slice($ref.lastIndexOf('/') + 1))
  const successes = Object.entries(responses as Json).filter(([status]) => status.startsWith('2'))
  return { parameters: names.map((name) => document.components.parameters[name]), requestBody, successes }
}

function writeComponent(name: string): string {
  const schema = document.components.schemas[name] ?? {}
  const comment = typeof schema.description === 'string' ? `${writeComment(schema.description)}\n` : ''
  return `${comment}export type ${name} = ${writeType(schema)}`
}

/**
 * Write the name by which people look for a type: `SessionResponse` is also `Session`, and `TreeListItem` is
 * also `FlowListItem`.
 */
function writeShortName(name: string, _: number, names: string[]): string[] {
  const short = name.replace(/(Response|Detail)$/, '').replace(/^Tree/, 'Flow')
  return names.includes(short) ? [] : [`${name} as ${short},`]
}

function buildTree(): MethodTree {
  const tree: MethodTree = {}
  for (const op of callable) {
    const names = op.id.split('.')
    const verb = names.pop() as string
    let node = tree
    for (const name of names) {
      node[name] ??= {}
      node = node[name] as MethodTree
    }
    node[verb] = writeMethod(op)
  }
  return tree
}

function writeTree(tree: MethodTree): string {
  const lines = Object.entries(tree).map(([name, node]) =>
    typeof node === 'string' ? node : `${name}: ${writeTree(node)}`,
  )
  return `{\n${lines.join('\n')}\n}`
}

/** Write the files of the typed client that follow from the declarations. They are not committed. */
export async function writeClient(): Promise<void> {
  const files = { 'methods.ts': writeMethods(), 'operation-table.ts': writeTable(), 'types.ts': writeTypes() }
  for (const [name, text] of Object.entries(files)) await writeChanged(join(root, 'lib/client', name), text)
}

if (import.meta.main) await writeClient()
