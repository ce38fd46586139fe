import type { Database } from '#db/database.ts'

export interface StreamOwner {
  accountId: string
  userId: string
  signInId: string
}

/** Return the sign-ins of the owners who still have access. All owners are of one account. */
export type SelectActiveSignIns = (owners: readonly StreamOwner[]) => Promise<Set<string>>

/** Create a check of all owners with one query. It needs the runtime role. */
export function createSignInCheck(database: Database): SelectActiveSignIns {
  return async (owners) => {
    const uniqueOwners = [...new Map(owners.map((owner) => [owner.signInId, owner])).values()]
    const users = `{${uniqueOwners.map(({ userId }) => userId).join(',')}}`
    const signIns = `{${uniqueOwners.map(({ signInId }) => signInId).join(',')}}`
    const sql = `select id from app.still_let_in($1, $2::uuid[], $3::uuid[], 'engineer', 'ai_sessions') id`
    const [result] = await database.run([{ sql, parameters: [uniqueOwners[0]?.accountId, users, signIns] }], { readOnly: false })
    return new Set(result?.rows.map((row) => (row as { id: string }).id))
  }
}
