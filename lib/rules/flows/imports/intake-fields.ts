import type { IntakeField } from '#rules/flows/structure.ts'
import { createSlug } from '#rules/text/slug.ts'
import { type Report, shortenTitle } from './imported-flow.ts'

export interface FieldInput {
  /** The name of the variable in the other tool. */
  name: string
  label: string
  type?: IntakeField['type']
  help?: string
  required?: boolean
  options?: readonly string[]
  default?: string | readonly string[]
  pattern?: string
  secret?: boolean
}

const maxFields = 100
const maxOptions = 100
const maxOptionLength = 200

/** Collects the intake form, and gives each variable of the other tool one key. */
export function createFieldList(report: Report) {
  const fields: IntakeField[] = []
  const keys = new Map<string, string>()
  const lastNumbers = new Map<string, number>()

  /** Return the key of a variable; the same one for the same name. */
  function getKey(name: string): string {
    const known = keys.get(name)
    if (known !== undefined) return known
    const base = createSlug(name)
      .replaceAll('-', '_')
      .replace(/^(?=\d)/, 'field_')
      .slice(0, 50)
      .replace(/_$/, '')
    // Two bases can lead to one key, such as `a` with the number 2 and `a_2`.
    let key = base
    for (let number = lastNumbers.get(base) ?? 1; lastNumbers.has(key); key = `${base}_${number}`)
      lastNumbers.set(base, ++number)
    lastNumbers.set(key, lastNumbers.get(key) ?? 1)
    keys.set(name, key)
    return key
  }

  /** Add a field, unless the variable has one. */
  function add(input: FieldInput): void {
    const key = getKey(input.name)
    if (fields.some((field) => field.key === key)) return
    if (fields.length >= maxFields) {
      report(`Only the first ${maxFields} inputs became fields of the intake form`)
      return
    }
    const label = shortenTitle(input.label, 200) || shortenTitle(input.name, 200) || key
    fields.push({
      key,
      label,
      type: input.type ?? 'text',
      required: input.required ?? false,
      ...listProperties(input, label),
    })
  }

  function listProperties(
    { help = '', options = [], default: answer, pattern = '', secret }: FieldInput,
    label: string,
  ) {
    const texts = [...new Set(options.map((option) => shortenTitle(option, maxOptionLength)).filter(Boolean))]
    if (texts.length > maxOptions) report(`Only the first ${maxOptions} choices of “${label}” were imported`)
    if (pattern.length > 200) report(`The pattern of “${label}” is too long and was left out`)
    if (secret && answer?.length) report(`The default of “${label}” is a secret and was left out`)
    return {
      ...(help ? { help_text: shortenTitle(help, 1000) } : {}),
      ...(texts.length > 0 ? { options: texts.slice(0, maxOptions) } : {}),
      ...(pattern && pattern.length <= 200 ? { pattern } : {}),
      ...(secret ? { secret: true } : {}),
      ...(answer?.length && !secret ? { default: shortenDefault(answer) } : {}),
    }
  }

  return { fields, getKey, add }
}

export type FieldList = ReturnType<typeof createFieldList>

function shortenDefault(answer: string | readonly string[]): string | string[] {
  return typeof answer === 'string'
    ? answer.slice(0, 10_000).toWellFormed()
    : answer.slice(0, maxOptions).map((item) => shortenTitle(item, maxOptionLength))
}
