import { at, type FlowProblem, titleErrors } from './problems.ts'
import type { FlowStep, StepList } from './structure.ts'
import { walkSteps } from './walk.ts'

export function stepErrors({ steps }: StepList): FlowProblem[] {
  const problems: FlowProblem[] = []
  for (const { node, path, fallbacks } of walkSteps(steps)) {
    if (node.type !== 'procedure_end') problems.push(...titleErrors(node, path, node.type === 'section_header' ? 'section' : 'step'))
    for (const fallback of fallbacks) problems.push(...titleErrors(fallback.node, fallback.path, 'fallback step'))
    if (fallbacks.length > 0 && node.type !== 'procedure_step')
      problems.push(at(node, path, 'fallback_steps', 'Only a procedure step has fallback steps'))
  }
  if (!steps.some(({ type }) => type === 'procedure_step'))
    problems.push({ node_id: null, path: 'tree_structure.steps', message: 'The flow has no step to do' })
  return [...problems, ...endErrors(steps)]
}

function endErrors(steps: readonly FlowStep[]): FlowProblem[] {
  const ends = steps.flatMap((step, index) => (step.type === 'procedure_end' ? [{ step, index }] : []))
  if (ends.length === 0)
    return [{ node_id: null, path: 'tree_structure.steps', message: 'The flow has no procedure_end; it is the last step' }]
  return ends.flatMap(({ step, index }, which) => {
    const path = `tree_structure.steps[${index}]`
    if (which < ends.length - 1) return [at(step, path, '', 'The flow has more than one procedure_end; only the last step is one')]
    return index < steps.length - 1 ? [at(step, path, '', 'The procedure_end is not in last place: what follows is never reached')] : []
  })
}

export function stepWarnings(steps: readonly FlowStep[]): FlowProblem[] {
  return steps.flatMap((step, index) => {
    const path = `tree_structure.steps[${index}]`
    const next = steps[index + 1]
    if (step.type === 'section_header' && next?.type !== 'procedure_step') return [at(step, path, '', 'This section has no steps')]
    if (step.type === 'procedure_step' && !step.description?.trim())
      return [at(step, path, 'description', 'This step does not say how it is done')]
    return []
  })
}
