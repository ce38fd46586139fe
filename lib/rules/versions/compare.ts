import { diffArrays } from 'diff'
import { canSpend, spend } from '#rules/budget.ts'
import { countWrittenBytes, maxWrittenBytes, shortenedMark } from '#rules/text/written-bytes.ts'
import { compareTexts, isLongText } from './compare-texts.ts'
import { compareWithin } from './limit-differences.ts'
import type { Comparison, FieldChange, ItemChange } from './schema.ts'

/**
 * The values of a version, or of one item in it. Null, undefined, an empty text and an empty list are all
 * "not set".
 */
export type Fields = Readonly<Record<string, unknown>>

/** A part of a version that has an id: a step of a flow, a node of a diagram, a parameter of a script. */
export interface Item {
  /** The list in which the id is unique, such as `steps`. */
  list: string
  id: string
  label: string
  /** Id of the item above; null at the top. */
  parentId: string | null
  fields: Fields
}

/** What is compared. Items with the same list and id are the same item. */
export interface Content {
  fields: Fields
  items: readonly Item[]
  /** Whether the order of the items has a meaning. */
  isOrdered: boolean
}

/** The work and the room that a comparison has. */
interface Limits {
  bytesLeft: number
}

/** Of a part of a text or of a value, without its text. */
const bytesPerPart = 40
/** Of a changed item and of a changed field, without its values. */
const [bytesPerItem, bytesPerField] = [300, 100]
const sumItemBytes = (items: readonly Item[]) =>
  items.reduce(
    (sum, { id, label }) => sum + bytesPerItem + countWrittenBytes(id) + countWrittenBytes(label),
    0,
  )

/**
 * Compare two versions. The result says how the newer one differs. A change that takes too much work or room
 * to show becomes a mark.
 */
export function compareVersions(before: Content, after: Content): Pick<Comparison, 'fields' | 'items'> {
  const limits = {
    bytesLeft: maxWrittenBytes - sumItemBytes(before.items) - sumItemBytes(after.items),
  }
  return {
    fields: compareFields(before.fields, after.fields, limits),
    items: compareItems(before, after, limits),
  }
}

function compareFields(before: Fields, after: Fields, limits: Limits): FieldChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((field) =>
    compareValues(field, toValue(before[field]), toValue(after[field]), limits),
  )
}

function toValue(value: unknown): unknown {
  const isUnset = value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  return isUnset ? null : value
}

function compareValues(field: string, before: unknown, after: unknown, limits: Limits): FieldChange[] {
  if (before === null && after === null) return []
  const texts = [stringify(before), stringify(after)] as const
  const steps = texts[0].length + texts[1].length
  const shortenedField = { field, before: null, after: shortenedMark, parts: null }
  if (!canSpend(steps)) return [shortenedField]
  spend(steps)
  if (texts[0] === texts[1]) return []
  const isShown = (isLongText(before) || isLongText(after)) && isTextOrNull(before) && isTextOrNull(after)
  const parts = isShown ? compareTexts(before ?? '', after ?? '') : null
  const writtenTexts: readonly string[] = parts?.map(({ text }) => text) ?? texts
  const bytes =
    bytesPerField + writtenTexts.reduce((sum, text) => sum + bytesPerPart + countWrittenBytes(text), 0)
  if (bytes > limits.bytesLeft) return [shortenedField]
  limits.bytesLeft -= bytes
  return [parts ? { field, before: null, after: null, parts } : { field, before, after, parts }]
}

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string'

/** Write a value as JSON whose keys are sorted, because jsonb does not keep their order. */
function stringify(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

interface Placed {
  item: Item
  index: number
}

function compareItems(before: Content, after: Content, limits: Limits): ItemChange[] {
  const [placedBefore, placedAfter] = [placeItems(before.items), placeItems(after.items)]
  const moved = findMoved(before.items, after.items, after.isOrdered)
  const addedOrChanged = [...placedAfter].flatMap(([key, placed]) =>
    toChange(placedBefore.get(key), placed, moved.has(key), limits),
  )
  const removedItems = [...placedBefore].flatMap(([key, placed]) =>
    placedAfter.has(key) ? [] : toChange(placed, undefined, false, limits),
  )
  return [...addedOrChanged, ...removedItems]
}

const toKey = ({ list, id }: Item): string => `${list}\n${id}`
const toParentKey = ({ list, parentId }: Item): string => `${list}\n${parentId ?? ''}`

function placeItems(items: readonly Item[]): Map<string, Placed> {
  const counts = new Map<string, number>()
  return new Map(
    items.map((item) => {
      const parent = toParentKey(item)
      const index = counts.get(parent) ?? 0
      counts.set(parent, index + 1)
      return [toKey(item), { item, index }]
    }),
  )
}

/**
 * Return the keys of the items that have another parent, or another order among those with the same parent if
 * the order has a meaning.
 */
function findMoved(before: readonly Item[], after: readonly Item[], isOrdered: boolean): Set<string> {
  const parents = new Map(before.map((item) => [toKey(item), toParentKey(item)]))
  const common = after.filter((item) => parents.has(toKey(item)))
  const [stayed, moved] = [new Set<string>(), new Set<string>()]
  for (const item of common)
    (parents.get(toKey(item)) === toParentKey(item) ? stayed : moved).add(toKey(item))
  if (!isOrdered) return moved
  const groupStayed = (items: readonly Item[]) =>
    Map.groupBy(
      items.filter((item) => stayed.has(toKey(item))),
      toParentKey,
    )
  const siblingsBefore = groupStayed(before)
  for (const [parent, siblings] of groupStayed(after))
    for (const key of findReordered((siblingsBefore.get(parent) ?? []).map(toKey), siblings.map(toKey)))
      moved.add(key)
  return moved
}

/**
 * Return the fewest keys whose move explains the new order of the same keys, or all keys if that takes too
 * long to find.
 */
function findReordered(before: readonly string[], after: readonly string[]): readonly string[] {
  const changes = compareWithin((options) => diffArrays([...before], [...after], options))
  return changes ? changes.filter(({ added }) => added).flatMap(({ value }) => value) : after
}

function toChange(
  before: Placed | undefined,
  after: Placed | undefined,
  moved: boolean,
  limits: Limits,
): ItemChange[] {
  const fields = compareFields(before?.item.fields ?? {}, after?.item.fields ?? {}, limits)
  if (before && after && fields.length === 0 && !moved) return []
  const { list, id, label } = (after ?? before)?.item ?? { list: '', id: '', label: '' }
  const toPosition = (placed: Placed | undefined) =>
    placed ? { parent_id: placed.item.parentId, index: placed.index } : null
  const change = before ? (after ? 'changed' : 'removed') : 'added'
  return [
    {
      list,
      id,
      label,
      change,
      moved,
      position_before: toPosition(before),
      position_after: toPosition(after),
      fields,
    },
  ]
}
