import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { operations } from '../../functions/operations.ts'
import { parseConfig } from '../../lib/config.ts'
import { createApp } from '../../lib/http/app.ts'
import { type AnyOperation, operation, requiresToken } from '../../lib/http/operation.ts'
import { mountOperations } from '../../lib/http/request.ts'
import { createServices } from '../../lib/services.ts'
import { authorizationHeader, sharedService } from '../support/app.ts'
import { expectStatus } from '../support/expect-status.ts'
import { createAccount } from '../support/people.ts'
import { roles, send } from './requests.ts'
import { rowsOf } from './rows.ts'
import { sceneOf } from './scene.ts'

const service = sharedService()

/** A write for each word of `access`, so that each is proved before a group uses it. */
const accesses = ['user', 'engineer', 'team_admin', 'account_admin', 'account_or_super_admin', 'super_admin'] as const
const probes = accesses.map((access) =>
  operation({
    id: `probe.${access}`,
    method: 'post',
    path: `/probe/${access}`,
    summary: 'Rename my team',
    access,
    limit: 'write',
    body: z.strictObject({ name: z.string() }),
    success: 204,
    handle: async ({ ctx, body }) => void (await ctx.db.updateTable('teams').set({ name: body.name }).execute()),
  }),
)
const services = createServices(parseConfig(service.settings), () => {})
const app = createApp(services)
mountOperations(app, probes as AnyOperation[], services)

function rename(access: string, token: string, name: string) {
  const headers = { 'content-type': 'application/json', ...authorizationHeader(token) }
  return app.request(`/api/v1/probe/${access}`, { method: 'POST', headers, body: JSON.stringify({ name }) })
}

it.each(accesses)('WIR-05 keeps a write for %s from everybody below, a viewer first of all', async (access) => {
  const account = await createAccount(service)
  for (const [name, { is, may }] of Object.entries(roles)) {
    const person = await account.addColleague(is)
    const before = await rowsOf(service, account.id)
    const { status } = await rename(access, person.token, `Renamed by ${name}`)
    expect([name, status]).toEqual([name, may.includes(access) ? 204 : 403])
    const after = await rowsOf(service, account.id)
    expect(after.teams === before.teams, name).toBe(!may.includes(access))
  }
})

it('writes in the account of the caller alone, whatever the statement names', async () => {
  const [ours, theirs] = [await createAccount(service), await createAccount(service)]
  const before = await rowsOf(service, theirs.id)
  expectStatus(await rename('user', ours.admin.token, 'All teams'), 204)
  expect(await rowsOf(service, theirs.id)).toEqual(before)
  expect(await service.sql('select name from teams where account_id = $1', [ours.id])).toEqual([{ name: 'All teams' }])
})

describe('the guards', () => {
  // What sets each off, and what takes it back.
  const guards = [
    {
      code: 'email_not_verified',
      weight: 1,
      set: `update users set email_verified_at = null, created_at = now() - interval '73 hours' where account_id = $1`,
      lift: 'update users set email_verified_at = created_at where account_id = $1',
    },
    {
      code: 'subscription_lapsed',
      weight: 1,
      set: `update accounts set subscription_status = 'unpaid' where id = $1`,
      lift: `update accounts set subscription_status = 'trialing' where id = $1`,
    },
    {
      code: 'password_change_required',
      weight: 2,
      set: 'update users set must_change_password = true where account_id = $1',
      lift: 'update users set must_change_password = false where account_id = $1',
    },
  ]
  const waived = { none: 0, account: 1, all: 2 }
  const signedIn = operations.filter(requiresToken).map((op) => [op.id, op] as const)

  it.each(signedIn)('stop %s with 403 and their code, unless its declaration lets it past', async (_, op) => {
    const lets = ({ weight }: { weight: number }) => waived[op.skipGuards ?? 'none'] >= weight
    const stopped = await sceneOf(service, op)
    for (const guard of guards) {
      // What is stopped changes nothing, so that one request serves for all of it.
      const { account, person, sample, rows } = lets(guard) ? await sceneOf(service, op) : stopped
      await service.sql(guard.set, [account.id])
      const before = await rows()
      const { status, body } = await send(service, op, sample, { token: person.token })
      if (lets(guard)) expect([guard.code, status]).toEqual([guard.code, op.success])
      else {
        expect([status, body.code]).toEqual([403, guard.code])
        expect(await rows()).toEqual(before)
        await service.sql(guard.lift, [account.id])
      }
    }
  })
})
