import { findRepeats } from '#rules/text/duplicates.ts'
import { compilePattern } from '#rules/text/pattern.ts'
import { findDefaultProblem } from './intake-answers.ts'
import type { FlowProblem } from './problems.ts'
import type { IntakeField } from './structure.ts'

/**
 * Return what prevents publishing a flow with this field. `index` is the position of the field in the intake
 * form.
 */
export function validateIntakeField(field: IntakeField, index: number): FlowProblem[] {
  const problems: FlowProblem[] = []
  const addProblem = (property: string, message: string) =>
    problems.push({ node_id: null, path: `intake_form[${index}].${property}`, message })
  const needsOptions = field.type === 'select' || field.type === 'multiselect'
  if (needsOptions && !field.options?.length)
    addProblem('options', `The field ${field.key} needs at least one option`)
  for (const { index, first } of findRepeats(field.options ?? []))
    addProblem(`options[${index}]`, `The field ${field.key} has the option of position ${first + 1} twice`)
  if (typeof field.min === 'number' && typeof field.max === 'number' && field.min > field.max)
    addProblem('min', `The minimum of ${field.key} is greater than its maximum`)
  if (field.pattern && !isRegularExpression(field.pattern))
    addProblem('pattern', `The pattern of ${field.key} is not a regular expression`)
  else if (field.pattern && !compilePattern(field.pattern))
    addProblem(
      'pattern',
      `The pattern of ${field.key} uses lookaround or backreferences, or is too large; simplify it`,
    )
  return problems
}

/** Return the problems of a field and, if it is valid, of its default. */
export function validateIntakeFieldWithDefault(field: IntakeField, index: number): FlowProblem[] {
  const problems = validateIntakeField(field, index)
  const defaultProblem = problems.length === 0 && findDefaultProblem(field)
  if (!defaultProblem) return problems
  return [
    {
      node_id: null,
      path: `intake_form[${index}].default`,
      message: `The default of ${field.key} ${defaultProblem}`,
    },
  ]
}

function isRegularExpression(pattern: string): boolean {
  try {
    // Bounded: it is compiled, never run.
    return new RegExp(pattern, 'u') !== undefined
  } catch {
    return false
  }
}
