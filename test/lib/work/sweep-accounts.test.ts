import { expect, it } from 'vitest'
import { type AccountSweepContext, sweepAccounts } from '#work/sweep-accounts.ts'

const accounts = [{ account_id: 'a' }, { account_id: 'b' }, { account_id: 'c' }]

/** Sweep accounts with this many parts of work each, and return the order of the parts. `b` fails. */
async function listTurns(parts: Record<string, number>, hasTime = () => true): Promise<string[]> {
  const turns: string[] = []
  let time = 0
  // The scope of an account passes its id instead of a connection.
  const openAccountScope = (id: string) => ({
    transaction: (work: (db: string) => Promise<boolean>) => work(id),
  })
  const ctx = { openAccountScope } as unknown as AccountSweepContext
  const sweep = sweepAccounts(
    ctx,
    accounts,
    { budgetMs: 1, now: () => (hasTime() ? time : ++time) },
    async (db) => {
      const id = String(db)
      turns.push(id)
      if (id === 'b') throw new Error('poison')
      return (parts[id] ?? 0) > turns.filter((turn) => turn === id).length
    },
  )
  await sweep.catch((error: Error) => turns.push(error.message))
  return turns
}

it('sweeps each account once before one gets a second turn, and throws the failure of one at the end', async () => {
  expect(await listTurns({ a: 3, c: 2 })).toEqual(['a', 'b', 'c', 'a', 'c', 'a', 'poison'])
})

it('stops to sweep accounts when the time is over', async () => {
  let checks = 0
  expect(await listTurns({ a: 3, c: 2 }, () => ++checks < 3)).toEqual(['a'])
})
