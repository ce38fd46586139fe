import { applyPatch } from 'rfc6902'
import { tooDeep, unstorable } from '../text/json.ts'
import { normaliseStructure } from './normalise.ts'
import { fitsType, isStepList, TreeStructure, type TreeType } from './structure.ts'
import { validateFlow } from './validate.ts'
import { walkNodes } from './walk.ts'

/** One operation of a JSON patch (RFC 6902) on a flow's structure. Without `copy`, no patch can grow a flow beyond what it says. */
export type PatchOperation =
  | { op: 'add' | 'replace'; path: string; value: unknown }
  | { op: 'remove'; path: string }
  | { op: 'move'; path: string; from: string }

/** The operation as a model writes it: its value as JSON text. */
export interface WrittenOperation {
  op: PatchOperation['op']
  path: string
  from: string | null
  value: string | null
}

const fields = [
  ...['children', 'options', 'steps', 'fallback_steps', 'attachments', 'id', 'type', 'title', 'description', 'label', 'next_node_id'],
  ...['group_label', 'estimated_minutes', 'library_visibility', 'url', 'action', 'solution'],
]
const index = /^(?:0|[1-9]\d{0,3})$/
// Only a flow's own places: any other word may lead out of the copy, to what all objects share.
const places = new Set([...fields, '-'])
const isPlace = (pointer: string) =>
  pointer === '' || (pointer.startsWith('/') && tokensOf(pointer).every((one) => index.test(one) || places.has(one)))
const tokensOf = (pointer: string) => pointer.split('/').slice(1)

/** Applies a patch to a copy; the result keeps the rules of a draft and holds no script that was not there. Or says what is wrong. */
export function patchStructure(
  type: TreeType,
  structure: TreeStructure,
  written: readonly WrittenOperation[],
): { patch: PatchOperation[]; result: TreeStructure } | { problems: string[] } {
  // The root too is a place that can be replaced, once it lies in something.
  const holder = { flow: structuredClone(structure) as unknown }
  const patch: PatchOperation[] = []
  for (const [at, one] of written.entries()) {
    const read = readOperation(one)
    const problem = typeof read === 'string' ? read : applied(holder, read)
    if (typeof read === 'string' || problem) return { problems: [`patch[${at}]: ${problem}`] }
    patch.push(read)
  }
  const problems = resultProblems(type, structure, holder.flow)
  return problems.length > 0 ? { problems } : { patch, result: holder.flow as TreeStructure }
}

function readOperation({ op, path, from, value }: WrittenOperation): PatchOperation | string {
  if (!isPlace(path) || (from !== null && !isPlace(from))) return 'The path is no place of a flow'
  if (op === 'remove') return path === '' ? 'The whole flow cannot be removed' : { op, path }
  if (op === 'move') return from === null || `${path}/`.startsWith(`${from}/`) ? 'It moves nothing to another place' : { op, path, from }
  if (value === null || tooDeep(value)) return 'The value is missing or nests too deep'
  try {
    const parsed: unknown = JSON.parse(value)
    return unstorable(parsed, []).length > 0 ? 'The value holds characters that are none' : { op, path, value: parsed }
  } catch {
    return 'The value is no JSON'
  }
}

interface Holder {
  flow: unknown
}

/** Applies one operation, or says why it cannot be. A move is what the standard says it is: taken away there, added here. */
function applied(holder: Holder, operation: PatchOperation): string | null {
  if (operation.op !== 'move') return step(holder, operation)
  const value = valueAt(holder.flow, operation.from)
  return step(holder, { op: 'remove', path: operation.from }) ?? step(holder, { op: 'add', path: operation.path, value })
}

function step(holder: Holder, operation: Exclude<PatchOperation, { op: 'move' }>): string | null {
  if (!isThere(holder.flow, operation.path, operation.op === 'add')) return `There is no place ${operation.path}`
  const [error] = applyPatch(holder, [{ ...operation, path: `/flow${operation.path}` }])
  return error ? error.message || error.name : null
}

/** Whether a pointer leads to something, or for an addition to where something can be put. The library takes a word for an index, and a text for a list. */
function isThere(flow: unknown, pointer: string, adds: boolean): boolean {
  const tokens = tokensOf(pointer)
  const last = adds ? tokens.pop() : undefined
  const parent = valueAt(flow, tokens.map((token) => `/${token}`).join(''))
  if (last === undefined) return parent !== undefined
  if (Array.isArray(parent)) return last === '-' || (index.test(last) && Number(last) <= parent.length)
  return typeof parent === 'object' && parent !== null && !index.test(last) && last !== '-'
}

function valueAt(flow: unknown, pointer: string): unknown {
  let value = flow
  for (const token of tokensOf(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token) || (Array.isArray(value) && !index.test(token)))
      return undefined
    value = (value as Record<string, unknown>)[token]
  }
  return value
}

function resultProblems(type: TreeType, before: TreeStructure, after: unknown): string[] {
  if (tooDeep(JSON.stringify(after) ?? '', 200)) return ['The flow nests too deep']
  const parsed = TreeStructure.safeParse(after)
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).slice(0, 20)
  if (!fitsType(type, parsed.data)) return [`This is no structure of a ${type} flow`]
  const known = scriptsOf(before)
  if ([...scriptsOf(parsed.data)].some((id) => !known.has(id))) return ['script_template_id: scripts are chosen by people']
  return validateFlow({ tree_type: type, tree_structure: normaliseStructure(parsed.data), intake_form: [] }, 'draft').errors.map(
    ({ path, message }) => `${path}: ${message}`,
  )
}

function scriptsOf(structure: TreeStructure): Set<string> {
  const nodes = isStepList(structure) ? structure.steps : [...walkNodes(structure)].map(({ node }) => node)
  return new Set(nodes.flatMap(({ script_template_id }) => script_template_id ?? []))
}
