import type { Redaction } from './levels.ts'
import { mask } from './mask.ts'
import { maskValues } from './mask-values.ts'

/**
 * Mask every text in a value. Throw 422 when it takes too much work. A label and its value are judged
 * together, such as `{key, value}` of a fact.
 */
export function redact<T>(value: T, redaction: Redaction): T {
  return redaction === 'none' ? value : (maskValues(value, (text) => mask(text, { level: redaction })) as T)
}
