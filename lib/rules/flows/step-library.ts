import { isStepList, type TreeStructure } from './structure.ts'
import { walkNodes } from './walk.ts'

/** A step of a published flow, as the step library stores it. */
export interface LibraryEntry {
  node_id: string
  step_type: string
  title: string
  description: string
  visibility: 'team' | 'account'
}

/**
 * Return the steps that a published flow adds to the step library: actions, solutions and procedure steps.
 */
export function extractLibraryEntries(structure: TreeStructure): LibraryEntry[] {
  const nodes = isStepList(structure) ? structure.steps : [...walkNodes(structure)].map(({ node }) => node)
  return nodes.flatMap(({ id, type, title, description, library_visibility }) =>
    ['action', 'solution', 'procedure_step'].includes(type) && library_visibility !== 'none'
      ? [
          {
            node_id: id,
            step_type: type,
            title: title ?? '',
            description: description ?? '',
            visibility: library_visibility ?? 'team',
          },
        ]
      : [],
  )
}
