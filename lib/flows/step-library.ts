import { isStepList, type TreeStructure } from './structure.ts'
import { walkNodes } from './walk.ts'

/** A step as the library keeps it. */
export interface LibraryEntry {
  node_id: string
  step_type: string
  title: string
  description: string
  visibility: 'team' | 'account'
}

/** What a published flow puts into the step library: what is done or settles something, not the questions, headings and ends. */
export function libraryEntries(structure: TreeStructure): LibraryEntry[] {
  const nodes = isStepList(structure) ? structure.steps : [...walkNodes(structure)].map(({ node }) => node)
  return nodes.flatMap(({ id, type, title, description, library_visibility }) =>
    ['action', 'solution', 'procedure_step'].includes(type) && library_visibility !== 'none'
      ? [{ node_id: id, step_type: type, title: title ?? '', description: description ?? '', visibility: library_visibility ?? 'team' }]
      : [],
  )
}
