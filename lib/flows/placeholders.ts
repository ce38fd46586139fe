import { type Flow, isStepList } from './structure.ts'
import { walkAll } from './walk.ts'

/** Variables that every session has, whatever its intake form asks. */
export const sessionVariables = ['ticket_number', 'client_name', 'target_label'] as const

/** The keys a text asks for, in order, each once. */
export function placeholdersIn(text: string): string[] {
  const keys = new Set<string>()
  for (let found = placeholderFrom(text, 0); found; found = placeholderFrom(text, found.to)) keys.add(found.key)
  return [...keys]
}

/** A text with its placeholders filled; what has no value stays visible. */
export function fillPlaceholders(text: string, values: Readonly<Record<string, unknown>>): string {
  let filled = ''
  let from = 0
  for (let found = placeholderFrom(text, 0); found; found = placeholderFrom(text, found.to)) {
    if (!Object.hasOwn(values, found.key)) continue
    filled += text.slice(from, found.from) + shown(values[found.key], text.slice(found.from, found.to))
    from = found.to
  }
  return from === 0 ? text : filled + text.slice(from)
}

interface Placeholder {
  key: string
  from: number
  to: number
}

/** The next `{{ key }}`. By hand: a regular expression with a callback takes several times as long, and a report has hundreds. */
function placeholderFrom(text: string, from: number): Placeholder | null {
  for (let at = text.indexOf('{{', from); at >= 0; at = text.indexOf('{{', at + 1)) {
    const begin = behindSpaces(text, at + 2)
    const end = behindKey(text, begin)
    const close = behindSpaces(text, end)
    if (end > begin && text.startsWith('}}', close)) return { key: text.slice(begin, end), from: at, to: close + 2 }
  }
  return null
}

function behindSpaces(text: string, from: number): number {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0xa0 && /\s/.test(String.fromCharCode(code)))
}

/** Behind `[A-Za-z_][\w.-]*`, or `from` when no key begins there. */
function behindKey(text: string, from: number): number {
  let at = from
  while (isOfKey(text.charCodeAt(at), at === from)) at++
  return at
}

function isOfKey(code: number, isFirst: boolean): boolean {
  const lower = code | 0x20
  if ((lower >= 0x61 && lower <= 0x7a) || code === 0x5f) return true
  return !isFirst && ((code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x2d)
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
