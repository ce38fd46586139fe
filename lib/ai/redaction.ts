import { mask } from '../text/mask.ts'
import { maskSecrets } from '../text/mask-secrets.ts'

/**
 * What is masked in texts for the AI provider. `none`: nothing. `secrets`: passwords, tokens and keys. `all`: also IP addresses, e-mail
 * addresses and network paths.
 */
export const redactionLevels = ['none', 'secrets', 'all'] as const
export type Redaction = (typeof redactionLevels)[number]

/** Mask every text in a value. Property names contain no user input and are not masked. */
export function redact<T>(value: T, redaction: Redaction): T {
  return redaction === 'none' ? value : (maskTexts(value, redaction === 'all' ? mask : maskSecrets) as T)
}

function maskTexts(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value)
  if (Array.isArray(value)) return value.map((item) => maskTexts(item, hide))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskTexts(item, hide)]))
}
