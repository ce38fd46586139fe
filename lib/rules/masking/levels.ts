/**
 * What is masked in texts before they are sent to the AI provider. `none`: nothing. `secrets`: passwords,
 * tokens and keys. `all`: also IP addresses, e-mail addresses and network paths.
 */
export const redactionLevels = ['none', 'secrets', 'all'] as const
export type Redaction = (typeof redactionLevels)[number]
/** What is masked where something is. */
export type MaskingLevel = Exclude<Redaction, 'none'>
