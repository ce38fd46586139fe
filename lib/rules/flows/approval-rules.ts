import type { ApprovalRequirement } from './approval-requirement.ts'
import { type FlowProblem, problemAt } from './problems.ts'

/**
 * Return the problems of an approval that prevent publishing its flow. `isAnswerable` says whether the step
 * takes an answer.
 */
export function validateApproval(
  node: { id: string; approval?: ApprovalRequirement | null | undefined },
  path: string,
  isAnswerable: boolean,
): FlowProblem[] {
  const { approval } = node
  if (!approval) return []
  if (!isAnswerable)
    return [problemAt(node, path, 'approval', 'Only a step that is answered can require an approval')]
  const hasApprover = (approval.roles ?? []).length + (approval.user_ids ?? []).length > 0
  return hasApprover
    ? []
    : [problemAt(node, path, 'approval', 'The approval needs at least one role or person')]
}
