import { spend } from '#rules/budget.ts'
import { invalidSyntax, invalidValue, ScimError } from './errors.ts'
import { type Filter, parseFilter, toAttribute } from './filter.ts'

/** A change of PATCH (RFC 7644, section 3.5.2). Without a path the value has the attributes. */
export interface Change {
  op: 'add' | 'replace' | 'remove'
  path: Path | null
  value: unknown
}

/** `emails[type eq "work"].value` is the attribute `emails.value` with a filter whose attributes begin with `emails.` */
interface Path {
  attribute: string
  filter: Filter | null
}

const maxChanges = 1000
const readOnly = new Set(['id', 'meta', 'schemas', 'groups'])
const pathPattern = /^([a-z][\w$:.-]*)(?:(\[.*\])(?:\.([a-z][\w$-]*))?)?$/is

export type Attributes = Map<string, unknown>

/** Return the attributes of a resource by their names in lower case. Those that only the service sets are left out. */
export function readAttributes(value: unknown): Attributes {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidSyntax('The body, and what has parts, must be a JSON object')
  const entries = Object.entries(value).map(([name, each]) => [toAttribute(name), each] as const)
  return new Map(entries.filter(([name]) => !readOnly.has(name)))
}

/** Read the changes of a PATCH. Entra writes `Add` and `Replace`, and Okta `replace` without a path. */
export function readChanges(body: unknown): Change[] {
  const operations = readAttributes(body).get('operations')
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > maxChanges)
    throw invalidSyntax(`Operations must be a list of 1 to ${maxChanges}`)
  return operations.map((operation) => {
    const fields = readAttributes(operation)
    const op = String(fields.get('op')).toLowerCase()
    if (op !== 'add' && op !== 'replace' && op !== 'remove')
      throw invalidSyntax('op must be add, replace or remove')
    const path = fields.get('path') ?? null
    if (path === null && op === 'remove') throw new ScimError(400, 'remove needs a path', 'noTarget')
    return { op, path: path === null ? null : readPath(path), value: fields.get('value') }
  })
}

function readPath(text: unknown): Path {
  const [, name, brackets, sub] = (typeof text === 'string' && pathPattern.exec(text)) || []
  if (!name) throw invalidPath('The path must be the name of an attribute')
  const attribute = toAttribute(name)
  if (readOnly.has(attribute.split('.')[0] ?? ''))
    throw new ScimError(400, `${name} cannot be changed`, 'mutability')
  try {
    return {
      attribute: sub ? `${attribute}.${sub.toLowerCase()}` : attribute,
      filter: brackets ? parseFilter(`${attribute}${brackets}`) : null,
    }
  } catch (error) {
    throw error instanceof ScimError ? invalidPath(error.message) : error
  }
}

const invalidPath = (detail: string) => new ScimError(400, detail, 'invalidPath')

/** Return a text, or null for none. */
export function readText(name: string, value: unknown, maxLength: number): string | null {
  if (value === null || value === undefined || value === '') return null
  if (typeof value !== 'string' || value.trim() === '' || value.length > maxLength)
    throw invalidValue(`${name} must be a text of at most ${maxLength} characters`)
  return value.trim()
}

/** Return a flag, which Entra sends as the text `False`: https://learn.microsoft.com/entra/identity/app-provisioning/application-provisioning-config-problem-scim-compatibility */
export function readFlag(name: string, value: unknown): boolean {
  const text =
    typeof value === 'boolean' ? String(value) : typeof value === 'string' ? value.toLowerCase() : ''
  if (text !== 'true' && text !== 'false') throw invalidValue(`${name} must be true or false`)
  return text === 'true'
}

const countComparisons = (filter: Filter): number => {
  if (filter.kind === 'compare') return 1
  const parts = filter.kind === 'not' ? [filter.part] : filter.parts
  return parts.reduce((sum, part) => sum + countComparisons(part), 0)
}

/** Count the work of selecting among items before it is done. A comparison takes about 100 ns. */
export function spendSelection(filter: Filter, items: number): void {
  spend(items * countComparisons(filter) * 10)
}

/** Whether a filter of a path selects an item. */
export function selects(filter: Filter | null, item: Readonly<Record<string, string | boolean>>): boolean {
  switch (filter?.kind) {
    case undefined:
      return true
    case 'and':
      return filter.parts.every((part) => selects(part, item))
    case 'or':
      return filter.parts.some((part) => selects(part, item))
    case 'not':
      return !selects(filter.part, item)
    case 'compare': {
      const found = String(item[filter.attribute] ?? '').toLowerCase()
      const wanted = String(filter.value).toLowerCase()
      switch (filter.operator) {
        case 'eq':
          return found === wanted
        case 'ne':
          return found !== wanted
        case 'co':
          return found.includes(wanted)
        case 'sw':
          return found.startsWith(wanted)
        case 'ew':
          return found.endsWith(wanted)
        case 'pr':
          return found !== ''
      }
    }
  }
}
