import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createApp } from '#http/app.ts'
import { type AnyOperation, operation, requiresToken } from '#http/operation.ts'
import { mountOperations } from '#http/request.ts'
import { toRouteGroup } from '#http/routes.ts'
import { createNodeServices } from '#platform/node/services.ts'
import { parseNodeConfig } from '#platform/node/settings.ts'
import { authorizationHeader, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { listCases, listSharedCases } from './cases.ts'
import { guards } from './guards.ts'
import { createRequestSetup } from './request-setup.ts'
import { roles, send } from './requests.ts'
import { readChecksums } from './row-checksums.ts'

const service = await sharedService()

/** One write operation for each value of `access`. */
const accesses = [
  'user',
  'engineer',
  'team_admin',
  'account_admin',
  'account_or_super_admin',
  'super_admin',
] as const
const probes = accesses.map((access) =>
  operation({
    id: `probe.${access}`,
    route: `POST /probe/${access}`,
    summary: 'Rename my team',
    access,
    limit: 'write',
    body: z.strictObject({ name: z.string() }),
    success: 204,
    handle: async ({ ctx, body }) =>
      void (await ctx.db.updateTable('teams').set({ name: body.name }).execute()),
  }),
)
const services = createNodeServices(parseNodeConfig({ OBJECTS_DIR: 'none', ...service.settings }), {
  log: () => {},
}).services
const app = createApp(services)
mountOperations(app, [toRouteGroup(probes as AnyOperation[])], services)

function rename(access: string, token: string, name: string) {
  const headers = { 'content-type': 'application/json', ...authorizationHeader(token) }
  return app.request(`/api/v1/probe/${access}`, { method: 'POST', headers, body: JSON.stringify({ name }) })
}

it.each(accesses)(
  'WIR-05 a write with access %s succeeds for the roles that it allows and returns 403 to all others',
  async (access) => {
    const account = await createAccount(service)
    for (const [name, { options, grants }] of Object.entries(roles)) {
      const person = await account.addColleague(options)
      const before = await readChecksums(service, account.id)
      const { status } = await rename(access, person.token, `Renamed by ${name}`)
      expect([name, status]).toEqual([name, grants.includes(access) ? 204 : 403])
      const after = await readChecksums(service, account.id)
      expect(after.teams === before.teams, name).toBe(!grants.includes(access))
    }
  },
)

it('an update without a WHERE clause changes only rows of the caller’s account', async () => {
  const [ours, theirs] = [await createAccount(service), await createAccount(service)]
  const before = await readChecksums(service, theirs.id)
  expectStatus(await rename('user', ours.admin.token, 'All teams'), 204)
  expect(await readChecksums(service, theirs.id)).toEqual(before)
  expect(await service.sql('select name from teams where account_id = $1', [ours.id])).toEqual([
    { name: 'All teams' },
  ])
})

const stepUpOperations = [
  'accounts.apiKeys.create',
  'accounts.delete',
  'accounts.exports.create',
  'accounts.exports.createLink',
  'accounts.imports.create',
  'accounts.invites.create',
  'accounts.removeMember',
  'accounts.resetMemberMfa',
  'accounts.sso.addDomain',
  'accounts.sso.createScimToken',
  'accounts.sso.delete',
  'accounts.sso.put',
  'accounts.sso.removeDomain',
  'accounts.sso.revokeScimToken',
  'accounts.sso.unlinkMember',
  'accounts.sso.verifyDomain',
  'accounts.teams.assignMember',
  'accounts.update',
  'accounts.updateMember',
  'admin.users.resetMfa',
  'admin.users.setSuperAdmin',
  'ai.mcpServers.allow',
  'ai.mcpServers.create',
  'ai.mcpServers.delete',
  'alerts.sources.create',
  'alerts.sources.rotate',
  'billing.createCheckoutSession',
  'billing.createPortalSession',
  'identity.auth.deleteMe',
  'identity.chatLinks.create',
  'identity.consents.create',
  'identity.credentials.changePassword',
  'identity.emailChanges.create',
  'identity.identities.finishLink',
  'identity.identities.startLink',
  'identity.identities.unlink',
  'identity.mfa.createTotp',
  'identity.mfa.deleteTotp',
  'identity.mfa.replaceRecoveryCodes',
  'identity.mfa.verifyTotp',
  'identity.passkeys.delete',
  'identity.passkeys.finishRegistration',
  'identity.passkeys.startRegistration',
  'identity.phoneNumber.create',
  'identity.phoneNumber.delete',
  'notifications.createConfig',
  'notifications.deleteConfig',
  'notifications.phoneGateway.delete',
  'notifications.phoneGateway.put',
  'notifications.updateConfig',
  'psa.callbacks.enable',
  'psa.connection.delete',
  'psa.connection.put',
  'runner.connection.delete',
  'runner.connection.put',
  'webhooks.create',
  'webhooks.delete',
  'webhooks.rotateSecret',
  'webhooks.update',
]

describe('step-up', () => {
  const cases = listCases(({ stepUp }) => stepUp)
  const verify = `update sign_ins set second_factor_at = app.now() - $2::interval where user_id = $1`

  it('the changes of credentials, integrations, roles and second factors need one', () => {
    expect(cases.map(([id]) => id).toSorted()).toEqual(stepUpOperations)
  })

  it.each(cases)(
    'AUT-54 %s returns 403 if the second factor was verified 10 minutes ago, and changes nothing',
    async (_, op) => {
      const { person, sample, rows } = await createRequestSetup(service, op)
      await service.sql(verify, [person.id, '0 s'])
      await service.sql(
        `insert into totp_factors (user_id, secret, confirmed_at) values ($1, 'sealed', app.now())
       on conflict (user_id) do update set confirmed_at = app.now()`,
        [person.id],
      )
      await service.sql(verify, [person.id, '10 minutes'])
      const before = await rows()
      const { status, body } = await send(service, op, sample, { token: person.token })
      expect([status, body.code]).toEqual([403, 'step_up_required'])
      expect(await rows()).toEqual(before)
    },
  )
})

describe('guards', () => {
  const skippedWeight = { none: 0, account: 1, mfa: 2, all: 3 }

  it.each(listSharedCases(requiresToken))(
    'the guards stop %s with 403 and their code, unless the operation skips them',
    async (_, op) => {
      const isSkipped = ({ weight }: { weight: number }) => skippedWeight[op.skipGuards ?? 'none'] >= weight
      const refusedSetup = await createRequestSetup(service, op)
      for (const guard of guards) {
        // A refused request changes nothing, so one setup serves for all guards.
        const { account, person, sample, rows } = isSkipped(guard)
          ? await createRequestSetup(service, op)
          : refusedSetup
        await service.sql(guard.set, [account.id])
        const before = await rows()
        const { status, body } = await send(service, op, sample, { token: person.token })
        if (isSkipped(guard)) expect([guard.code, status]).toEqual([guard.code, op.success])
        else {
          expect([status, body.code]).toEqual([403, guard.code])
          expect(await rows()).toEqual(before)
          await service.sql(guard.lift, [account.id])
        }
      }
    },
  )
})
