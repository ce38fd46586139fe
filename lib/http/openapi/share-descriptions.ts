import type { Json } from './json.ts'

/**
 * Move the description that most references to a schema have into the schema. The other references keep
 * theirs, which applies instead. The document is smaller, and the schema says what it is.
 */
export function shareDescriptions(document: Json): Json {
  const references = new Map<string, string[]>()
  visitObjects(document, ({ $ref, description }) => {
    if (typeof $ref === 'string' && typeof description === 'string')
      references.set($ref, [...(references.get($ref) ?? []), description])
  })
  const { schemas } = (document as { components: { schemas: Record<string, Json> } }).components
  const descriptionByRef = new Map<string, string>()
  for (const [name, schema] of Object.entries(schemas)) {
    const ref = `#/components/schemas/${name}`
    const description = findMostFrequent(references.get(ref) ?? [])
    if (description === undefined || (schema.description ?? description) !== description) continue
    schema.description = description
    descriptionByRef.set(ref, description)
  }
  visitObjects(document, (object) => {
    if (object.description !== undefined && descriptionByRef.get(String(object.$ref)) === object.description)
      delete object.description
  })
  return document
}

/** Return the text that occurs most often, if it is the only one or occurs at least twice. */
function findMostFrequent(texts: readonly string[]): string | undefined {
  const counted = [...Map.groupBy(texts, (text) => text).values()].sort((a, b) => b.length - a.length)
  const [first = []] = counted
  return counted.length === 1 || first.length > 1 ? first[0] : undefined
}

function visitObjects(value: unknown, visit: (object: Json) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value as Json)
  for (const item of Object.values(value)) visitObjects(item, visit)
}
