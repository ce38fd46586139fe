import { afterAll, describe, expect, it } from 'vitest'
import { type AnyOperation, requiresToken } from '#http/operation.ts'
import { type ApiResponse, dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { listCases } from './cases.ts'
import { createRequestSetup } from './request-setup.ts'
import { expectSuccess, send } from './requests.ts'
import { countTenantRows } from './tenant-row-counts.ts'

const service = await startOwnService()
const { setFault, clearFaults } = dashboard(service)
afterAll(() => service.close())

const leased = listCases(({ idempotent }) => idempotent === 'leased')

async function createSetup(op: AnyOperation) {
  const { account, person, sample } = await createRequestSetup(service, op)
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const call = () => send(service, op, sample, { token: requiresToken(op) ? person.token : null, headers })
  return { account, call }
}

/** The values of an answer that name what it stored. */
const readIds = ({ body }: ApiResponse) => [body?.id, body?.message?.id, body?.step?.step_id].filter(Boolean)

describe('a key whose process stopped', () => {
  it.each(leased)(
    'WIR-68 after its effect, and before the answer was stored, has one effect: %s',
    async (_, op) => {
      const { account, call } = await createSetup(op)
      const first = await call()
      expectSuccess(op, first)
      const rows = await countTenantRows(service, account.id)
      await service.sql(
        `update idempotency_keys set status = null, body = null, leased_until = app.now() - interval '1 second' where account_id = $1`,
        [account.id],
      )
      const second = await call()
      expectSuccess(op, second)
      expect([await countTenantRows(service, account.id), readIds(second)]).toEqual([rows, readIds(first)])
    },
  )

  it.each(leased.filter(([, { background }]) => background))(
    'WIR-68 during its call of the model has one effect: %s',
    async (_, op) => {
      const alone = await createSetup(op)
      expectSuccess(op, await alone.call())
      const { account, call } = await createSetup(op)
      await setFault({ service: 'openai', mode: 'error', times: 99 })
      expectStatus(await call(), 502)
      await clearFaults()
      expectSuccess(op, await call())
      expect(await countTenantRows(service, account.id)).toEqual(
        await countTenantRows(service, alone.account.id),
      )
    },
  )
})

it('WIR-69 a key that is in use says until when', async () => {
  const [, op] = leased.find(([id]) => id === 'ai.outputs.create') ?? []
  const { account, call } = await createSetup(op as AnyOperation)
  await call()
  await service.sql(
    `update idempotency_keys set status = null, body = null, leased_until = app.now() + interval '42 seconds' where account_id = $1`,
    [account.id],
  )
  const response = await call()
  expect([response.status, response.body.code, response.headers.get('retry-after')]).toEqual([
    409,
    'idempotency_key_in_use',
    '42',
  ])
})
