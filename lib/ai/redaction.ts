import { mask } from '../text/mask.ts'
import { maskSecrets } from '../text/mask-secrets.ts'

/** What is masked before it leaves for a provider: nothing, passwords, tokens and keys, or addresses and paths too. */
export const redactions = ['none', 'secrets', 'all'] as const
export type Redaction = (typeof redactions)[number]

/** The value with every text in it masked; names of properties are ours and stay. */
export function redact<T>(value: T, redaction: Redaction): T {
  return redaction === 'none' ? value : (deep(value, redaction === 'all' ? mask : maskSecrets) as T)
}

function deep(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value)
  if (Array.isArray(value)) return value.map((item) => deep(item, hide))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, deep(item, hide)]))
}
