import type { Invalid } from '../problem.ts'

export const maxDepth = 32

/** Whether a JSON text nests deeper than `most` levels, seen before parsing: a deep one kills the serialiser later. */
export function tooDeep(text: string, most: number = maxDepth): boolean {
  let depth = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (quoted) {
      if (code === 0x5c) i++
      else if (code === 0x22) quoted = false
    } else if (code === 0x22) quoted = true
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > most) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}

/** Whether PostgreSQL can store a text: no NUL, no half of a surrogate pair. */
export function storable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed()
}

/** Every text or key in a parsed body that cannot be stored, as validation errors. */
export function unstorable(value: unknown, loc: (string | number)[]): Invalid[] {
  if (typeof value === 'string') {
    return storable(value) ? [] : [{ loc, msg: 'Text may not hold NUL characters or broken surrogate pairs', type: 'invalid_text' }]
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => unstorable(item, [...loc, index]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) =>
    storable(key) ? unstorable(item, [...loc, key]) : [{ loc, msg: 'A key holds a NUL character', type: 'invalid_text' }],
  )
}
