import { sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'

export interface Count {
  tree_id: string
  state: string
  outcome: string | null
  count: number
}

/** How many sessions of a batch stand where; none when there is no such batch. */
export async function countSessions(db: ReadDb, batchId: string): Promise<Count[]> {
  const { rows } = await sql<Count>`
    select s.tree_id, s.state, s.outcome, count(*) as count from sessions s
     where s.account_id = app.account_id() and s.batch_id = ${batchId} group by 1, 2, 3`.execute(db as WriteDb)
  return rows
}
