import { sql } from 'kysely'
import * as z from 'zod'
import { isEditableInProgress } from '#db/rows/sessions.ts'
import { writeStatement } from '#db/statement.ts'
import type { CustomStepCreate } from '#functions/sessions/steps/schemas.ts'

/** A custom step to insert: a step that is not part of the flow. */
export interface NewCustomStep extends Pick<CustomStepCreate, 'source' | 'library_step_id' | 'node_id'> {
  after_step_id: string
  title: string
  description: string
  /** The flow that the step was copied from, with the flow's account. */
  tree?: { account_id: string; id: string } | undefined
}

/**
 * Insert a custom step of a session in progress. Return no row if the session is not in progress, or the
 * caller may not change it.
 */
export const insertCustomStep = writeStatement(
  z.object({ id: z.string() }),
  (id: string, step: NewCustomStep) => {
    const { source, after_step_id, title, description, library_step_id = null, tree, node_id = null } = step
    return sql`
    with s as (select s.id from sessions s where ${isEditableInProgress(id)} for update)
    insert into session_custom_steps (session_id, source, after_step_id, title, description, library_step_id, tree_account_id, tree_id, node_id)
    select s.id, ${source}, ${after_step_id}, ${title}, ${description}, ${library_step_id}::uuid, ${tree?.account_id ?? null}::uuid,
           ${tree?.id ?? null}::uuid, ${node_id} from s
    returning id`
  },
)
