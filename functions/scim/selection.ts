import { toAttribute } from './filter.ts'

const always = new Set(['id', 'schemas'])
const maxNames = 50

/**
 * Return the attributes of a resource that a request asks for with `attributes` or `excludedAttributes`, such as
 * `userName` or `name.familyName`: https://www.rfc-editor.org/rfc/rfc7644#section-3.9
 */
export function selectAttributes(resource: object, query: URLSearchParams): object {
  const [wanted, excluded] = [readNames(query, 'attributes'), readNames(query, 'excludedAttributes')]
  if (!wanted && !excluded) return resource
  return pick(resource, '', (path) =>
    wanted
      ? wanted.some((name) => name === path || name.startsWith(`${path}.`) || path.startsWith(`${name}.`))
      : !excluded?.includes(path),
  )
}

function readNames(query: URLSearchParams, name: string): string[] | null {
  const text = query.get(name)
  return text === null ? null : text.split(',', maxNames).map((each) => toAttribute(each.trim()))
}

function pick(value: object, prefix: string, isWanted: (path: string) => boolean): object {
  const entries = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
    const path = `${prefix}${name.toLowerCase()}`
    if (prefix === '' && always.has(path)) return [[name, each]]
    if (!isWanted(path)) return []
    if (Array.isArray(each))
      return [[name, each.map((item: unknown) => (isObject(item) ? pick(item, `${path}.`, isWanted) : item))]]
    return [[name, isObject(each) ? pick(each, `${path}.`, isWanted) : each]]
  })
  return Object.fromEntries(entries)
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
