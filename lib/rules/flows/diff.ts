import { isStepList, type TreeStructure } from './structure.ts'

/** A JSON Patch (RFC 6902) operation on the structure of a flow. */
export type PatchOperation =
  | { op: 'add' | 'replace'; path: string; value: unknown }
  | { op: 'remove'; path: string }

type Item = { id: string } & Record<string, unknown>
/** The properties that contain lists of nodes. Their items are compared by id. */
const lists: readonly string[] = ['children', 'steps', 'fallback_steps']

/**
 * Return the JSON Patch that turns one structure into another. Items of a list that keep their place are
 * compared field by field.
 */
export function diffStructures(before: TreeStructure, after: TreeStructure): PatchOperation[] {
  if (isStepList(before) !== isStepList(after)) return [{ op: 'replace', path: '', value: after }]
  return diffFields(before as unknown as Item, after as unknown as Item, '')
}

function diffFields(before: Item, after: Item, path: string): PatchOperation[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].flatMap((key) => diffValue(key, before[key], after[key], `${path}/${key}`))
}

function diffValue(key: string, before: unknown, after: unknown, path: string): PatchOperation[] {
  if (lists.includes(key) && Array.isArray(before) && Array.isArray(after))
    return diffItems(before, after, path)
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (after === undefined) return [{ op: 'remove', path }]
  return [{ op: before === undefined ? 'add' : 'replace', path, value: after }]
}

/**
 * Compare the first and last items that have the same ids in both lists. Remove and add the items between
 * them.
 */
function diffItems(before: readonly Item[], after: readonly Item[], path: string): PatchOperation[] {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start]?.id === after[start]?.id) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end)?.id === after.at(-1 - end)?.id) end++
  const diffRange = (from: number, to: number, offset: number) =>
    after
      .slice(from, to)
      .flatMap((item, n) => diffFields(before[from - offset + n] as Item, item, `${path}/${from + n}`))
  const removals = before.slice(start, before.length - end).map((_, n, { length }) => ({
    op: 'remove' as const,
    path: `${path}/${start + length - 1 - n}`,
  }))
  const additions = after
    .slice(start, after.length - end)
    .map((value, n) => ({ op: 'add' as const, path: `${path}/${start + n}`, value }))
  const lengthChange = after.length - before.length
  return [
    ...diffRange(0, start, 0),
    ...removals,
    ...additions,
    ...diffRange(after.length - end, after.length, lengthChange),
  ]
}
