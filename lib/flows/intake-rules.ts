import { compilePattern } from '../text/pattern.ts'
import type { FlowProblem } from './problems.ts'
import type { IntakeField } from './structure.ts'

export function fieldErrors(field: IntakeField, index: number): FlowProblem[] {
  const problems: FlowProblem[] = []
  const say = (name: string, message: string) => problems.push({ node_id: null, path: `intake_form[${index}].${name}`, message })
  const chooses = field.type === 'select' || field.type === 'multiselect'
  if (chooses && !field.options?.length) say('options', `The field ${field.key} has nothing to choose from`)
  if (chooses && field.options?.length && field.default !== undefined && field.default !== null) {
    const defaults = Array.isArray(field.default) ? field.default : [field.default]
    const strange = defaults.filter((value) => !field.options?.includes(String(value)))
    if (strange.length > 0) say('default', `The default of ${field.key} is none of its options: ${strange.join(', ')}`)
  }
  if (typeof field.min === 'number' && typeof field.max === 'number' && field.min > field.max)
    say('min', `The least value of ${field.key} is greater than its greatest`)
  if (field.pattern && !isPattern(field.pattern)) say('pattern', `The pattern of ${field.key} is not a regular expression`)
  else if (field.pattern && !compilePattern(field.pattern))
    say('pattern', `The pattern of ${field.key} looks around or back, or is too large: it could take too long to match`)
  return problems
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') !== undefined
  } catch {
    return false
  }
}
