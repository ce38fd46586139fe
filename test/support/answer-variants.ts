/** A change of a recorded answer, such as another vendor's version makes it. */
export interface AnswerVariant {
  /** What was changed, for the name of a failure. */
  change: string
  /** The keys to the changed value; the first item stands for each of a list. */
  path: readonly (string | number)[]
  body: unknown
}

/** Items that no list of an API should have. */
const badItems = [null, 'text', 7, {}, []]

/**
 * Return the ways in which a recorded answer may differ and still means the same: each key left out, null, or
 * of another scalar type, keys that nobody knows, and a bad item at the front of each list.
 */
export function listVariants(body: unknown): AnswerVariant[] {
  const variants: AnswerVariant[] = []
  const add = (change: string, path: readonly (string | number)[], edit: (copy: never) => void) => {
    const copy = structuredClone(body)
    let parent: unknown = copy
    for (const key of path.slice(0, -1)) parent = (parent as Record<string | number, unknown>)[key]
    edit((path.length === 0 ? copy : parent) as never)
    variants.push({ change: `${path.join('.')} ${change}`, path, body: copy })
  }
  const walk = (value: unknown, path: readonly (string | number)[]) => {
    if (Array.isArray(value)) {
      add('with bad items before it', [...path, 0], (list: unknown[]) => list.unshift(...badItems))
      if (value.length > 0) walk(value[0], [...path, 0])
      return
    }
    if (typeof value !== 'object' || value === null) return
    for (const [key, each] of Object.entries(value)) {
      const at = [...path, key]
      add('left out', at, (parent: Record<string, unknown>) => delete parent[key])
      add('null', at, (parent: Record<string, unknown>) => {
        parent[key] = null
      })
      if (each !== null)
        add('of another type', at, (parent: Record<string, unknown>) => {
          parent[key] = toOtherType(each)
        })
      walk(each, at)
    }
  }
  walk(body, [])
  return [...variants, { change: 'with unknown keys everywhere', path: [], body: addUnknownKeys(body) }]
}

/** Return the other ways to send a list or a record: a list beside its count, and what an object has alone. */
export function listEnvelopes(body: unknown): AnswerVariant[] {
  if (Array.isArray(body)) return [{ change: 'beside its count', path: [], body: { count: 1, items: body } }]
  if (typeof body === 'object' && body !== null && 'id' in body) return []
  const parts = Object.values(body ?? {}).filter((part) => typeof part === 'object' && part !== null)
  const [part] = parts
  const isRecord = parts.length === 1 && (Array.isArray(part) || Object.keys(body ?? {}).length === 1)
  return isRecord ? [{ change: 'alone', path: [], body: part }] : []
}

/** Numbers and flags as texts, texts as flags, and objects and lists as their JSON. */
function toOtherType(value: unknown): unknown {
  return typeof value === 'string' ? true : JSON.stringify(value)
}

function addUnknownKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(addUnknownKeys)
  if (typeof value !== 'object' || value === null) return value
  const known = Object.entries(value).map(([key, each]) => [key, addUnknownKeys(each)])
  return { ...Object.fromEntries(known), x_unknown: { a: [1] } }
}
