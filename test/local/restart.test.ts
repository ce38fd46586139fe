import { expect, it } from 'vitest'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'

it('OPS-05 the clock of the dashboard is the same after a restart, and moves on from there', async () => {
  const database = `restarted_${process.pid}`
  const first = await startOwnService({}, { database })
  await dashboard(first).advanceClock(86_400)
  await createAccount(first)
  await first.close()
  const second = await startOwnService({}, { database })
  try {
    const read = async () => {
      const response = await fetch(`${second.localOrigin}/desk/clock`)
      const { offset_seconds, now } = (await response.json()) as { offset_seconds: number; now: string }
      const [row] = await second.sql<{ now: Date; ahead: number }>(
        'select app.now() as now, extract(epoch from app.now() - now())::float8 as ahead',
      )
      expect(Math.abs(Date.parse(now) - (row?.now.getTime() ?? 0))).toBeLessThan(5000)
      return [offset_seconds, Math.round(row?.ahead ?? 0)]
    }
    expect(await read()).toEqual([86_400, 86_400])
    await dashboard(second).advanceClock(60)
    expect(await read()).toEqual([86_460, 86_460])
  } finally {
    await second.close()
  }
})
