import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createTurns } from '#platform/node/turns.ts'
import { sharedService } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'

it('WIR-56 callers that come at once take one turn of the event loop each, in their order', async () => {
  const takeTurn = createTurns()
  const order: string[] = []
  const waiting = [1, 2, 3].map(async (n) => {
    await takeTurn()
    order.push(`turn ${n}`)
  })
  const others = (async () => {
    for (let n = 0; n < 3; n++) {
      await nextTurn()
      order.push('another request')
    }
  })()
  await Promise.all([...waiting, others])
  expect(order).toEqual([
    'another request',
    'turn 1',
    'another request',
    'turn 2',
    'another request',
    'turn 3',
  ])
})

it.each([
  [30_000, 0],
  [40_000, 1],
])('WIR-56 a body of %i characters takes %i turns', async (length, expected) => {
  const service = await sharedService()
  const { admin } = await createAccount(service)
  const services = service.services
  if (!services) throw new Error('The service runs in another process')
  let turns = 0
  const takeTurn = services.takeTurn
  services.takeTurn = async () => void turns++
  const body = { name: 'x'.repeat(length) }
  const response = await admin.call('POST', '/categories', body, {
    'content-length': String(JSON.stringify(body).length),
  })
  services.takeTurn = takeTurn
  expect([response.status, turns]).toEqual([422, expected])
})
