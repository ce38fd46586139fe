/** A JSON pointer (RFC 6901) with at most 20 parts. */
export const jsonPointerPattern = /^(?:\/(?:[^~/]|~[01]){0,100}){1,20}$/

/** Return what a JSON pointer leads to, or undefined. Only own properties count. */
export function readPointer(value: unknown, pointer: string): unknown {
  let current = value
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined
    current = (current as Record<string, unknown>)[key]
  }
  return current
}
