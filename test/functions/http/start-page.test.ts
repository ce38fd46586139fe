import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'

it('INS-06 GET / leads to the reference', async () => {
  const service = await sharedService()
  const { status, headers } = await (service.fetch ?? fetch)(
    new Request(`${service.api}/`, { redirect: 'manual' }),
  )
  expect([status, headers.get('location')]).toEqual([303, '/docs/'])
})
