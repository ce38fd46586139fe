import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'

const service = await sharedService()

// Each statement has a time of its own. PostgreSQL rounds a time to the milliseconds of a column, up or down.
it.each(['app.now()', 'app.real_time()'])('a column that is set to %s is due at once', async (clock) => {
  for (let n = 0; n < 50; n++) {
    const [row] = await service.sql(
      `select ${clock}::timestamptz(3) <= ${clock} as is_due, ${clock}::text as time`,
    )
    expect(row).toEqual({ is_due: true, time: expect.any(String) })
  }
})

it('app.now() is the time of the transaction', async () => {
  const [row] = await service.sql<{ ms: number }>(
    'select abs(extract(epoch from now() - app.now()))::float8 * 1000 as ms',
  )
  expect(row?.ms).toBeLessThan(1)
})
