import { toCallStatement } from '#db/call-function.ts'
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
    const statement = toCallStatement('app.still_let_in', {
      p_account: uniqueOwners[0]?.accountId ?? null,
      p_users: uniqueOwners.map(({ userId }) => userId),
      p_sign_ins: uniqueOwners.map(({ signInId }) => signInId),
      p_access: 'engineer',
      p_feature: 'ai_sessions',
    })
    const [result] = await database.run([statement], { readOnly: false })
    return new Set(result?.rows.map((row) => (row as { still_let_in: string }).still_let_in))
  }
}
