import { mask } from './mask.ts'
import { maskSecrets } from './mask-secrets.ts'
import { maskValues } from './mask-values.ts'

/**
 * What is masked in texts before they are sent to the AI provider. `none`: nothing. `secrets`: passwords, tokens and keys. `all`: also IP
 * addresses, e-mail addresses and network paths.
 */
export const redactionLevels = ['none', 'secrets', 'all'] as const
export type Redaction = (typeof redactionLevels)[number]

const maskByLevel: Record<Redaction, ((text: string) => string) | null> = { none: null, secrets: (text) => maskSecrets(text), all: mask }

/** Mask every text in a value. A label and its value are judged together, such as `{key, value}` of a fact. */
export function redact<T>(value: T, redaction: Redaction): T {
  const maskText = maskByLevel[redaction]
  return maskText ? (maskValues(value, maskText) as T) : value
}
