import { sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'

export interface SessionCount {
  tree_id: string
  state: string
  outcome: string | null
  count: number
}

/** Count the sessions of a batch by state and outcome. Return no rows if the batch does not exist. */
export async function selectSessionCounts(db: ReadDb, batchId: string): Promise<SessionCount[]> {
  const { rows } = await sql<SessionCount>`
    select s.tree_id, s.state, s.outcome, count(*) as count from sessions s
     where s.account_id = app.account_id() and s.batch_id = ${batchId} group by 1, 2, 3`.execute(db as WriteDb)
  return rows
}
