import { expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { filesInProcess } from '#vendors/files/files.ts'

it('WIR-80 a platform without processes reads two files at once, one of an account, and refuses what would wait for long', async () => {
  const running = new Map<string, number>()
  let most = 0
  let mostOfAccount = 0
  const files = filesInProcess((async ({ input }: { input: string }) => {
    const count = (running.get(input) ?? 0) + 1
    running.set(input, count)
    most = Math.max(
      most,
      [...running.values()].reduce((sum, each) => sum + each),
    )
    mostOfAccount = Math.max(mostOfAccount, count)
    await new Promise((resolve) => setTimeout(resolve, 5))
    running.set(input, count - 1)
    return { steps: 1, result: { nodes: [] } }
  }) as never)
  const calls = ['a', 'b', 'c'].flatMap((account) => Array.from({ length: 12 }, () => account))
  const outcomes = await Promise.allSettled(
    calls.map((account) =>
      runWithin(createBudget(), () => files.read('mermaid', account, account, undefined)),
    ),
  )
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  expect([most, mostOfAccount]).toEqual([2, 1])
  // Of each account one is read and ten wait.
  expect(refused).toHaveLength(3)
  for (const outcome of refused) expect(outcome).toMatchObject({ reason: { kind: 'unavailable' } })
})
