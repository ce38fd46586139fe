import type { Json } from './json.ts'

/**
 * Move the description of references to a schema into the schema, if all of its references have the same one. The document is smaller, and
 * the schema says what it is.
 */
export function shareDescriptions(document: Json): Json {
  const descriptions = new Map<string, Set<unknown>>()
  visitObjects(document, ({ $ref, description }) => {
    if (typeof $ref === 'string') descriptions.set($ref, (descriptions.get($ref) ?? new Set()).add(description))
  })
  const { schemas } = (document as { components: { schemas: Record<string, Json> } }).components
  const shared = new Set<string>()
  for (const [name, schema] of Object.entries(schemas)) {
    const ref = `#/components/schemas/${name}`
    const [description, ...others] = descriptions.get(ref) ?? []
    if (typeof description !== 'string' || others.length > 0 || (schema.description ?? description) !== description) continue
    schema.description = description
    shared.add(ref)
  }
  visitObjects(document, (object) => {
    if (shared.has(String(object.$ref))) delete object.description
  })
  return document
}

function visitObjects(value: unknown, visit: (object: Json) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value as Json)
  for (const item of Object.values(value)) visitObjects(item, visit)
}
