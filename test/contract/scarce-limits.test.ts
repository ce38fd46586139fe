import { describe, expect, it } from 'vitest'
import { requiresToken } from '#http/operation.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { randomIpAddress } from '#test/support/public-requests.ts'
import { parseRate } from '#vendors/cache/limiter.ts'
import { listCases } from './cases.ts'
import { createRequestSetup } from './request-setup.ts'
import { expectSuccess, send } from './requests.ts'

const service = await sharedService()

describe.concurrent('limits of at most ten calls an hour', () => {
  it.each(
    listCases(
      ({ limit }) => limit !== 'none' && parseRate(limit).max <= 10 && parseRate(limit).unit === 'hour',
    ),
  )('WIR-64 %s counts no invalid request in its limit', async (_, op) => {
    const { sample, person } = await createRequestSetup(service, op)
    const caller = {
      token: requiresToken(op) ? person.token : null,
      headers: { 'cf-connecting-ip': randomIpAddress() },
    }
    const { max } = parseRate(op.limit)
    const invalid = { ...sample, query: { ...sample.query, unexpected: '1' } }
    for (let n = 0; n <= max; n++) expectStatus(await send(service, op, invalid, caller), 422)
    const response = await send(service, op, sample, caller)
    expectSuccess(op, response)
    expect(response.headers.get('ratelimit-remaining')).toBe(String(max - 1))
  })
})
