import { applyPatch } from 'rfc6902'
import { findUnstorableText, isTooDeep } from '../text/json.ts'
import { normaliseStructure } from './normalise.ts'
import { isStepList, matchesTreeType, TreeStructure, type TreeType } from './structure.ts'
import { validateFlow } from './validate.ts'
import { walkNodes } from './walk.ts'

/** A JSON Patch (RFC 6902) operation on the structure of a flow. There is no `copy`, so a short patch cannot create a huge flow. */
export type PatchOperation =
  | { op: 'add' | 'replace'; path: string; value: unknown }
  | { op: 'remove'; path: string }
  | { op: 'move'; path: string; from: string }

/** An operation as a model writes it: the value is JSON text. */
export interface RawPatchOperation {
  op: PatchOperation['op']
  path: string
  from: string | null
  value: string | null
}

// Only the properties of the flow format. Other names, such as `__proto__`, could reach an object outside the flow.
const allowedProperties = new Set([
  'children',
  'options',
  'steps',
  'fallback_steps',
  'attachments',
  'id',
  'type',
  'title',
  'description',
  'label',
  'next_node_id',
  'group_label',
  'estimated_minutes',
  'library_visibility',
  'url',
  'action',
  'solution',
])
const arrayIndex = /^(?:0|[1-9]\d{0,3})$/
/** In JSON Pointer, `-` is the place after the last item of an array. */
const endOfArray = '-'

function isAllowedPointer(pointer: string): boolean {
  if (pointer === '') return true
  const isAllowedToken = (token: string) => arrayIndex.test(token) || token === endOfArray || allowedProperties.has(token)
  return pointer.startsWith('/') && splitPointer(pointer).every(isAllowedToken)
}

function splitPointer(pointer: string): string[] {
  return pointer.split('/').slice(1)
}

/**
 * Apply a patch to a copy of the structure, or return the problems that prevent it.
 * The result must be valid as a draft and must not add a script that the structure did not have.
 */
export function patchStructure(
  type: TreeType,
  structure: TreeStructure,
  operations: readonly RawPatchOperation[],
): { patch: PatchOperation[]; result: TreeStructure } | { problems: string[] } {
  // The flow is a property of `document`, so that an operation can replace the whole flow.
  const document: PatchDocument = { flow: structuredClone(structure) }
  const patch: PatchOperation[] = []
  for (const [index, rawOperation] of operations.entries()) {
    const operation = parseOperation(rawOperation)
    const problem = typeof operation === 'string' ? operation : applyOperation(document, operation)
    if (typeof operation === 'string' || problem) return { problems: [`patch[${index}]: ${problem}`] }
    patch.push(operation)
  }
  const problems = validateResult(type, structure, document.flow)
  return problems.length > 0 ? { problems } : { patch, result: document.flow as TreeStructure }
}

/** Return the operation with its value parsed, or the problem as text. */
function parseOperation({ op, path, from, value }: RawPatchOperation): PatchOperation | string {
  if (!isAllowedPointer(path) || (from !== null && !isAllowedPointer(from))) return 'The path is not part of the flow format'
  if (op === 'remove') return path === '' ? 'The whole flow cannot be removed' : { op, path }
  if (op === 'move') {
    if (from === null) return 'A move needs a from path'
    return `${path}/`.startsWith(`${from}/`) ? 'A value cannot be moved into itself' : { op, path, from }
  }
  if (value === null || isTooDeep(value)) return 'The value is missing or nested too deeply'
  try {
    const parsedValue: unknown = JSON.parse(value)
    return findUnstorableText(parsedValue, []).length > 0
      ? 'The value contains characters that cannot be stored'
      : { op, path, value: parsedValue }
  } catch {
    return 'The value is not valid JSON'
  }
}

interface PatchDocument {
  flow: unknown
}

/** Apply one operation. Return the problem if it cannot be applied. As in RFC 6902, a move removes first and adds then. */
function applyOperation(document: PatchDocument, operation: PatchOperation): string | null {
  if (operation.op !== 'move') return applySingleOperation(document, operation)
  const value = getValueAt(document.flow, operation.from)
  return (
    applySingleOperation(document, { op: 'remove', path: operation.from }) ??
    applySingleOperation(document, { op: 'add', path: operation.path, value })
  )
}

function applySingleOperation(document: PatchDocument, operation: Exclude<PatchOperation, { op: 'move' }>): string | null {
  const exists = operation.op === 'add' ? canAddAt(document.flow, operation.path) : getValueAt(document.flow, operation.path) !== undefined
  if (!exists) return `The path ${operation.path} does not exist`
  const [error] = applyPatch(document, [{ ...operation, path: `/flow${operation.path}` }])
  return error ? error.message || error.name : null
}

/** rfc6902 does not check this: it accepts a property name as an array index, and a text as a list. */
function canAddAt(flow: unknown, pointer: string): boolean {
  const tokens = splitPointer(pointer)
  const lastToken = tokens.pop()
  if (lastToken === undefined) return flow !== undefined
  const parent = getValueAt(flow, tokens.map((token) => `/${token}`).join(''))
  if (Array.isArray(parent)) return lastToken === endOfArray || (arrayIndex.test(lastToken) && Number(lastToken) <= parent.length)
  return typeof parent === 'object' && parent !== null && !arrayIndex.test(lastToken) && lastToken !== endOfArray
}

function getValueAt(flow: unknown, pointer: string): unknown {
  let value = flow
  for (const token of splitPointer(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token) || (Array.isArray(value) && !arrayIndex.test(token)))
      return undefined
    value = (value as Record<string, unknown>)[token]
  }
  return value
}

function validateResult(type: TreeType, before: TreeStructure, after: unknown): string[] {
  if (isTooDeep(JSON.stringify(after) ?? '', 200)) return ['The flow is nested too deeply']
  const parsed = TreeStructure.safeParse(after)
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).slice(0, 20)
  if (!matchesTreeType(type, parsed.data)) return [`The structure does not match the type ${type}`]
  const scriptIdsBefore = collectScriptIds(before)
  if ([...collectScriptIds(parsed.data)].some((id) => !scriptIdsBefore.has(id)))
    return ['script_template_id: only a person can choose a script']
  return validateFlow({ tree_type: type, tree_structure: normaliseStructure(parsed.data), intake_form: [] }, 'draft').errors.map(
    ({ path, message }) => `${path}: ${message}`,
  )
}

function collectScriptIds(structure: TreeStructure): Set<string> {
  const nodes = isStepList(structure) ? structure.steps : [...walkNodes(structure)].map(({ node }) => node)
  return new Set(nodes.flatMap(({ script_template_id }) => script_template_id ?? []))
}
