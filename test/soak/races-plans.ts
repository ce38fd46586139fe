import { expect } from 'vitest'
import type { Service } from '#test/support/app.ts'
import { concurrentCallers, countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { createAccount, type Person } from '#test/support/people.ts'

/**
 * Create one plan concurrently, limits and billing together, and expect one stored row of each, both from the
 * same caller.
 */
export async function expectOnePlan(service: Service, rounds: number): Promise<void> {
  const account = await createAccount(service)
  const staff: Person[] = await Promise.all(
    Array.from({ length: concurrentCallers }, () => account.addColleague({ superAdmin: true })),
  )
  for (let round = 1; round <= rounds; round++) {
    const plan = `race_${crypto.randomUUID().slice(0, 8)}`
    const putPlan = (caller: number) =>
      staff[caller]?.call('PUT', '/admin/plan-limits', {
        plan,
        max_users: caller + 1,
        monthly_price_cents: caller + 1,
      }) ?? Promise.reject()
    expect(countByStatus(await runConcurrently(putPlan)), `round ${round}`).toEqual({
      200: concurrentCallers,
    })
    const rows = await service.sql<{ max_users: number; monthly_price_cents: number; display_name: string }>(
      'select l.max_users, b.monthly_price_cents, b.display_name from plan_limits l join plan_billing b on b.plan = l.plan where l.plan = $1',
      [plan],
    )
    expect(rows, `round ${round}`).toHaveLength(1)
    expect([rows[0]?.monthly_price_cents, rows[0]?.display_name], `round ${round}`).toEqual([
      rows[0]?.max_users,
      `${plan.charAt(0).toUpperCase()}${plan.slice(1)}`,
    ])
    await service.sql('delete from plan_limits where plan = $1', [plan])
  }
}
