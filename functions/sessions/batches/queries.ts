import { accountId } from '#db/expressions.ts'
import type { ReadDb } from '#db/scope.ts'

export interface SessionCount {
  tree_id: string
  state: string
  outcome: string | null
  count: number
}

/** Count the sessions of a batch by state and outcome. Return no rows if the batch does not exist. */
export function selectSessionCounts(db: ReadDb, batchId: string): Promise<SessionCount[]> {
  return db
    .selectFrom('sessions')
    .select((eb) => ['tree_id', 'state', 'outcome', eb.fn.countAll<number>().as('count')])
    .where('account_id', '=', accountId)
    .where('batch_id', '=', batchId)
    .groupBy(['tree_id', 'state', 'outcome'])
    .execute()
}
