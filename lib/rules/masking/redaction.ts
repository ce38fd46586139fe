import { canSpend, spend } from '#rules/budget.ts'
import { shortenedMark } from '#rules/text/written-bytes.ts'
import { mask } from './mask.ts'
import { maskSecrets } from './mask-secrets.ts'
import { countMaskingSteps } from './mask-traits.ts'
import { maskValues } from './mask-values.ts'

/**
 * What is masked in texts before they are sent to the AI provider. `none`: nothing. `secrets`: passwords,
 * tokens and keys. `all`: also IP addresses, e-mail addresses and network paths.
 */
export const redactionLevels = ['none', 'secrets', 'all'] as const
export type Redaction = (typeof redactionLevels)[number]

const maskByLevel = {
  none: null,
  secrets: (text: string): string => {
    spend(countMaskingSteps(text))
    return maskSecrets(text)
  },
  all: mask,
} satisfies Record<Redaction, ((text: string) => string) | null>

/** Like `redact`, for a stored value: a text that takes more work than is left becomes a mark. */
export function redactStored<T>(value: T, redaction: Exclude<Redaction, 'none'>): T {
  const maskByRules = maskByLevel[redaction]
  return maskValues(value, (text) =>
    canSpend(countMaskingSteps(text)) ? maskByRules(text) : shortenedMark,
  ) as T
}

/**
 * Mask every text in a value. Throw 422 when it takes too much work. A label and its value are judged
 * together, such as `{key, value}` of a fact.
 */
export function redact<T>(value: T, redaction: Redaction): T {
  const maskByRules = maskByLevel[redaction]
  if (!maskByRules) return value
  return maskValues(value, (text) => maskByRules(text)) as T
}
