/** One edit of a node, step or fallback step, identified by its id. A field that is null does not change. */
export interface FlowEdit {
  op: 'update' | 'insert' | 'move' | 'remove'
  id: string
  kind:
    | 'decision'
    | 'action'
    | 'solution'
    | 'procedure_step'
    | 'section_header'
    | 'procedure_end'
    | 'fallback_step'
    | null
  title: string | null
  description: string | null
  /** The options of a decision. */
  options: { label: string; leads_to: string }[] | null
  /** The node that follows an action. */
  next: string | null
  estimated_minutes: number | null
  group_label: string | null
  /**
   * Where an inserted or moved step belongs. In a tree, an inserted node takes the place of the anchor, which
   * it must lead to.
   */
  position: 'before' | 'after' | null
  anchor: string | null
}

/** A problem of the edits, for the model to correct. */
export class EditProblem extends Error {}

/** Return a copy without the fields that are null. */
export function dropNulls<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }
}
