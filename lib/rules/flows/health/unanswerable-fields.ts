import type { IntakeField } from '#rules/flows/structure.ts'
import { isImpossiblePattern, maxPatternTextLength } from '#rules/text/pattern.ts'
import { createFinding, type Finding } from './finding.ts'
import { removeAt } from './flow-patch.ts'

/** The lengths that an answer of a type can have. Free text has the limits of its field. */
const lengths: Partial<Record<IntakeField['type'], readonly [min: number, max: number]>> = {
  date: [10, 10],
  ip: [2, 45],
  email: [1, 320],
  hostname: [1, maxPatternTextLength],
}

/**
 * Return the fields whose limits no answer can meet. If such a field is required, no session can start, and no
 * step be reached.
 */
export function findUnanswerableFields(form: readonly IntakeField[]): Finding[] {
  return form.flatMap((field, index) => {
    const limit = findImpossibleLimit(field)
    if (!limit) return []
    const { label, required } = field
    const result = required ? 'so no session can start and no step can be reached' : 'so nobody can answer it'
    const path = `intake_form[${index}]`
    return [
      createFinding('unanswerable_field', `No answer meets the limits of “${label}”, ${result}`, {
        path: `${path}.${limit}`,
        patch: removeAt(`${path}.${limit}`),
        subject: field,
      }),
    ]
  })
}

/** Return the limit without which the field can be answered. */
function findImpossibleLimit({ type, pattern, min, max }: IntakeField): 'max' | 'pattern' | undefined {
  const isText = type === 'text' || type === 'textarea'
  const range = isText ? ([Math.max(min ?? 1, 1), max ?? Number.POSITIVE_INFINITY] as const) : lengths[type]
  if (!range) return undefined
  const [shortest, longest] = [Math.ceil(range[0]), Math.floor(range[1])]
  // An answer of blanks alone is none.
  if (shortest > longest) return 'max'
  return pattern && isImpossiblePattern(pattern, shortest, longest) ? 'pattern' : undefined
}
