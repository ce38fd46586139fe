import { validateApproval } from './approval-rules.ts'
import { validateEvidence } from './evidence-rules.ts'
import { type FlowProblem, problemAt, validateTitle } from './problems.ts'
import type { FlowStep, StepList } from './structure.ts'
import { walkSteps } from './walk.ts'

/** Return what prevents publishing a flow with these steps. */
export function validateSteps({ steps }: StepList): FlowProblem[] {
  const problems: FlowProblem[] = []
  for (const { node, path, fallbacks } of walkSteps(steps)) {
    if (node.type !== 'procedure_end')
      for (const problem of validateTitle(node, path, node.type === 'section_header' ? 'section' : 'step'))
        problems.push(problem)
    for (const fallback of fallbacks)
      for (const problem of validateTitle(fallback.node, fallback.path, 'fallback step'))
        problems.push(problem)
    if (fallbacks.length > 0 && node.type !== 'procedure_step')
      problems.push(problemAt(node, path, 'fallback_steps', 'Only a procedure step can have fallback steps'))
    const isAnswerable = node.type === 'procedure_step'
    if (node.timer && !isAnswerable)
      problems.push(problemAt(node, path, 'timer', 'Only a step that is answered can have a timer'))
    for (const problem of validateEvidence(node, path, isAnswerable)) problems.push(problem)
    for (const problem of validateApproval(node, path, isAnswerable)) problems.push(problem)
  }
  if (!steps.some(({ type }) => type === 'procedure_step'))
    problems.push({
      node_id: null,
      path: 'tree_structure.steps',
      message: 'The flow needs at least one procedure_step',
    })
  return [...problems, ...validateEnd(steps)]
}

function validateEnd(steps: readonly FlowStep[]): FlowProblem[] {
  const ends = steps.flatMap((step, index) => (step.type === 'procedure_end' ? [{ step, index }] : []))
  if (ends.length === 0)
    return [
      {
        node_id: null,
        path: 'tree_structure.steps',
        message: 'The flow needs a procedure_end as its last step',
      },
    ]
  const lastEnd = ends.at(-1)
  return ends.flatMap((end) => {
    const path = `tree_structure.steps[${end.index}]`
    if (end !== lastEnd)
      return [
        problemAt(
          end.step,
          path,
          '',
          'Only the last step can be a procedure_end; the flow has another one below',
        ),
      ]
    const isLastStep = end.index === steps.length - 1
    return isLastStep
      ? []
      : [
          problemAt(
            end.step,
            path,
            '',
            'The procedure_end must be the last step; no step after it can be reached',
          ),
        ]
  })
}

/** Return warnings about steps that may be published but are probably incomplete. */
export function findStepWarnings(steps: readonly FlowStep[]): FlowProblem[] {
  return steps.flatMap((step, index) => {
    const path = `tree_structure.steps[${index}]`
    const nextStep = steps[index + 1]
    if (step.type === 'section_header' && nextStep?.type !== 'procedure_step')
      return [problemAt(step, path, '', 'This section has no steps')]
    if (step.type === 'procedure_step' && !step.description?.trim())
      return [problemAt(step, path, 'description', 'This step has no description')]
    return []
  })
}
