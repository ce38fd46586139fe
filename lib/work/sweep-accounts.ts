import { settleInTurn } from '#async/settle-all.ts'
import type { PlatformDb, Scope, WriteDb } from '#db/scope.ts'
import type { SweepOptions } from './sweep.ts'

export interface AccountSweepContext {
  platform: PlatformDb
  openAccountScope(accountId: string): Scope
}

export type SweepBudget = Pick<SweepOptions, 'budgetMs' | 'now'>

/**
 * Sweep accounts one after another. `sweepSome` does a part of the work of an account in one transaction, and
 * returns whether there may be more. Every account gets its turn before one gets a second one, so that much
 * work of one does not delay the others. Stop when no work is left or the time is over. Throw the first
 * failure at the end; an account that fails gets no second turn.
 */
export async function sweepAccounts(
  { openAccountScope }: Pick<AccountSweepContext, 'openAccountScope'>,
  accounts: readonly { account_id: string }[],
  { budgetMs, now }: SweepBudget,
  sweepSome: (db: WriteDb) => Promise<boolean>,
): Promise<void> {
  const end = now() + budgetMs
  const waitingIds = accounts.map(({ account_id }) => account_id)
  function* takeWaiting() {
    for (let id = waitingIds.shift(); id !== undefined && now() < end; id = waitingIds.shift()) yield id
  }
  await settleInTurn(takeWaiting(), async (id) => {
    if (await openAccountScope(id).transaction(sweepSome)) waitingIds.push(id)
  })
}
