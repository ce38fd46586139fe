// Masks structured values: a label and its value are judged together, whether the label is a property name or
// a property beside the value.

import { isSecretLabel, looksSecret, maskLabelledValue } from './secret-labels.ts'

type MaskText = (text: string) => string

/**
 * Properties that name what another property of the same object contains, such as `{label, value}` and
 * `{title, content}`.
 */
const labelKeys = ['label', 'key', 'name', 'title', 'field', 'question', 'text']
const valueKeys = new Set([
  'value',
  'values',
  'content',
  'answer',
  'response',
  'default',
  'note',
  'notes',
  'partial_notes',
])
/** A longer value is a text about the secret, not the secret itself. */
const maxWords = 4
const maxSecretLength = 500

/**
 * Return the value with all its texts masked. Property names stay, and so does what `kept` matches the name
 * of.
 */
export function maskValues(value: unknown, maskText: MaskText, kept: RegExp | null = null): unknown {
  const maskValue = (value: unknown, label: string | null): unknown => {
    if (typeof value === 'string')
      return label === null ? maskText(value) : maskLabelled(label, value, maskText)
    if (typeof value === 'number' && label !== null && String(value).length >= 3)
      return maskLabelledValue(label, String(value))
    if (Array.isArray(value)) return value.map((item) => maskValue(item, label))
    return typeof value === 'object' && value !== null ? maskObject(value as Record<string, unknown>) : value
  }
  const maskObject = (object: Record<string, unknown>): Record<string, unknown> => {
    const labels = labelKeys.map((key) => object[key]).filter((label) => typeof label === 'string')
    const label = labels.find(isSecretLabel) ?? null
    const masked: Record<string, unknown> = {}
    for (const key in object) {
      const ownLabel = isSecretLabel(key) ? key : valueKeys.has(key) ? label : null
      const part = kept?.test(key) ? object[key] : maskValue(object[key], ownLabel)
      masked[key] = key === 'description' && label && typeof part === 'string' ? maskLines(label, part) : part
    }
    return masked
  }
  return maskValue(value, null)
}

/** Mask a text after its label: a short one as a whole, a longer one as a text that starts with the label. */
function maskLabelled(label: string, value: string, maskText: MaskText): string {
  if (!isSecretLabel(label)) return maskText(value)
  const text = value.trim()
  const isShort =
    text.length <= maxSecretLength &&
    !text.includes('\n') &&
    text.split(/\s+/, maxWords + 1).length <= maxWords
  if (isShort) {
    const masked = maskLabelledValue(label, value)
    return masked === value ? maskText(value) : masked
  }
  return maskLines(label, maskText(value))
}

/** Mask the lines that may contain only the secret, in a text below a label that names one. */
export function maskLines(label: string, text: string): string {
  const maskLine = (line: string) => (looksSecret(line.trim()) ? maskLabelledValue(label, line) : line)
  return text.split('\n').map(maskLine).join('\n')
}
