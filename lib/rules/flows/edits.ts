import { findUnstorableText } from '#rules/text/json.ts'
import { diffStructures, type PatchOperation } from './diff.ts'
import { EditProblem, type FlowEdit } from './edit.ts'
import { normaliseStructure } from './normalise.ts'
import { editSteps } from './step-edits.ts'
import { isStepList, TreeStructure, type TreeType } from './structure.ts'
import { editTree } from './tree-edits.ts'
import { validateFlow } from './validate.ts'

/**
 * Apply edits to a copy of the structure, or return the problems that prevent it. The result is valid as a
 * draft.
 */
export function editStructure(
  type: TreeType,
  structure: TreeStructure,
  edits: readonly FlowEdit[],
): { patch: PatchOperation[]; result: TreeStructure } | { problems: string[] } {
  if (findUnstorableText(edits, []).length > 0)
    return { problems: ['The edits contain characters that cannot be stored'] }
  try {
    const result = isStepList(structure) ? editSteps(structure, edits) : editTree(structure, edits)
    const problems = findProblems(type, result)
    return problems.length > 0 ? { problems } : { patch: diffStructures(structure, result), result }
  } catch (error) {
    if (error instanceof EditProblem) return { problems: [error.message] }
    throw error
  }
}

function findProblems(type: TreeType, result: TreeStructure): string[] {
  const parsed = TreeStructure.safeParse(result)
  if (!parsed.success)
    return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).slice(0, 20)
  const { errors } = validateFlow(
    { tree_type: type, tree_structure: normaliseStructure(parsed.data), intake_form: [] },
    'draft',
  )
  return errors.map(({ path, message, node_id }) => `${node_id ?? path}: ${message}`)
}
