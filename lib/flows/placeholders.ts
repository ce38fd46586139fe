import { type Flow, isStepList } from './structure.ts'
import { walkAll } from './walk.ts'

/** Variables that every session has, whatever its intake form asks. */
export const sessionVariables = ['ticket_number', 'client_name', 'target_label'] as const

const placeholder = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/g

/** The keys a text asks for, in order, each once. */
export function placeholdersIn(text: string): string[] {
  return [...new Set([...text.matchAll(placeholder)].map(([, key = '']) => key))]
}

/** A text with its placeholders filled; what has no value stays visible. */
export function fillPlaceholders(text: string, values: Readonly<Record<string, unknown>>): string {
  if (!text.includes('{{')) return text
  return text.replace(placeholder, (whole, key: string) => (Object.hasOwn(values, key) ? shown(values[key], whole) : whole))
}

function shown(value: unknown, otherwise: string): string {
  if (value === null || value === undefined || value === '') return otherwise
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** Where a flow asks for a variable that nothing fills. */
export function unfilled({ tree_structure, intake_form }: Flow): { node_id: string; path: string; key: string }[] {
  if (!tree_structure || (isStepList(tree_structure) && tree_structure.steps.length === 0)) return []
  const known = new Set<string>([...sessionVariables, ...intake_form.map(({ key }) => key)])
  const found: { node_id: string; path: string; key: string }[] = []
  for (const { node, path } of walkAll(tree_structure)) {
    for (const field of ['title', 'description'] as const) {
      const keys = placeholdersIn(node[field] ?? '').filter((key) => !known.has(key))
      found.push(...keys.map((key) => ({ node_id: node.id, path: `${path}.${field}`, key })))
    }
  }
  return found
}
