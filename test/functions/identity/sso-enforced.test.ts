import { afterAll, describe, expect, it } from 'vitest'
import { TokenPair } from '#functions/identity/auth/schemas.ts'
import { SignInResult } from '#functions/identity/sign-ins/schemas.ts'
import openapi from '#functions/openapi.json' with { type: 'json' }
import { operations } from '#functions/operations.ts'
import type { AnyOperation } from '#http/operation.ts'
import { insertOneTimeToken, insertPassword, type Sample, sha256 } from '#test/contract/fixture-rows.ts'
import { getFixture } from '#test/contract/fixtures.ts'
import { send } from '#test/contract/requests.ts'
import { createKey } from '#test/support/api-keys.ts'
import { dashboard, type Service, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { entries } from '#test/support/night.ts'
import { obtainProviderCode } from '#test/support/oauth.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'
import {
  connectOrganisation,
  createOrganisation,
  type Organisation,
  obtainSsoCode,
  signInThroughSso,
} from '#test/support/sso.ts'
import { callWith } from '#test/support/two-factor.ts'

type Prepare = (service: Service, person: Person, organisation: Organisation) => Promise<Sample>

/** Everything that answers with tokens, or with the request for a second factor: a new one is tried by itself. */
const waysToSignIn = operations.filter(
  (op) => op.access === 'public' && [TokenPair, SignInResult].includes(op.returns as never),
)
const resetPassword = operations.find(({ id }) => id === 'identity.credentials.resetPassword') as AnyOperation

async function insertInvite(service: Service, { id: userId, accountId, email }: Person): Promise<string> {
  const code = crypto.randomUUID()
  // The person joins, so nobody has the address yet.
  await service.sql(
    `with u as (update users set is_active = false, email = 'former-' || email where id = $1 and role <> 'admin' returning role),
          a as (update users set email = 'other-' || gen_random_uuid() || '@people.example' where id = $1 and role = 'admin' returning role),
          i as (insert into invites (account_id, email, role) select $2, $3, role from (select role from u union select role from a) r returning id)
     insert into invite_codes (hash, invite_id) select $4, id from i`,
    [userId, accountId, email, sha256(code)],
  )
  return code
}

/** What the fixture of the operation does not prepare for this person. */
const preparations: Record<string, Prepare> = {
  'identity.auth.register': async (service, person) => ({
    body: {
      email: person.email,
      password: 'violet-tractor-81',
      full_name: 'Dana Reyes',
      account_invite_code: await insertInvite(service, person),
    },
  }),
  'identity.oauth.completeSignIn': async (service, person) => {
    const sub = crypto.randomUUID()
    await service.sql(`insert into identities (provider, subject, user_id) values ('google', $1, $2)`, [
      sub,
      person.id,
    ])
    const body = await obtainProviderCode(service, 'google', { email: person.email, sub })
    return { params: { provider: 'google' }, body }
  },
  'identity.sso.completeSignIn': async (service, person, organisation) => {
    const { connectionId, ...body } = await obtainSsoCode(service, organisation.createEmail(), {
      email: person.email,
      sub: person.id,
    })
    await service.sql(
      `insert into sso_identities (account_id, connection_id, issuer, subject, user_id) values ($1, $2, $3, $4::uuid::text, $4)`,
      [person.accountId, organisation.connectionId, organisation.issuer, person.id],
    )
    return { params: { connection_id: connectionId }, body }
  },
  'identity.credentials.resetPassword': async (service, person) => ({
    body: {
      token: await insertOneTimeToken(service, person, 'reset_password'),
      new_password: 'amber-wagon-52',
    },
  }),
}

const modes = ['none', 'optional', 'enforced'] as const
const roles = ['viewer', 'engineer', 'admin'] as const
const cases = [...waysToSignIn, resetPassword].flatMap((op) =>
  modes
    .filter((mode) => mode !== 'none' || op.id !== 'identity.sso.completeSignIn')
    .flatMap((mode) =>
      [true, false].flatMap((isOfDomain) =>
        roles.map((role) => {
          const whose = `${role} with an address of ${isOfDomain ? 'the' : 'another'} domain`
          return [op.id, mode, whose, { op, isOfDomain, role }] as const
        }),
      ),
    ),
)

/** An account admin keeps the password with a second factor, and may reset the password for it. */
const recovers = (op: AnyOperation) =>
  ['identity.mfa.completeChallenge', 'identity.credentials.resetPassword'].includes(op.id)

for (const platform of entries)
  describe(`on ${platform}`, async () => {
    const service = await startOwnService({}, { platform })
    afterAll(() => service.close())

    it.each(cases)('AUT-87 %s, %s, of a %s', async (_, mode, __, { op, isOfDomain, role }) => {
      const account = await createAccount(service)
      const organisation = await connectOrganisation(service, account)
      const created = await account.addColleague({ role })
      const email = isOfDomain ? organisation.createEmail() : created.email
      const person = { ...created, email }
      await service.sql('update users set email = $2 where id = $1', [person.id, email])
      const prepare = preparations[op.id] ?? getFixture(op)
      const sample = await prepare(service, person, organisation)
      if (mode === 'none')
        await service.sql('delete from sso_connections where account_id = $1', [account.id])
      else await service.sql('update sso_connections set mode = $2 where account_id = $1', [account.id, mode])
      const answer = await send(service, op, sample)
      const isRefused =
        mode === 'enforced' &&
        isOfDomain &&
        op.id !== 'identity.sso.completeSignIn' &&
        !(role === 'admin' && recovers(op))
      // The sign-in of a refresh token has ended.
      const refusal = op.id === 'identity.auth.refresh' ? [401, undefined] : [403, 'sso_required']
      expect([answer.status, answer.body?.code], answer.text).toEqual(
        isRefused ? refusal : [op.success, undefined],
      )
      if (isRefused && op.id !== 'identity.auth.refresh')
        expect(answer.body.detail).toBe(
          'Your organisation signs in with its identity provider; sign in there',
        )
    })
  })

const service = await startOwnService()
afterAll(() => service.close())
const { waitForLink } = dashboard(service)

it('AUT-87 no answer but those of these operations has an access token', () => {
  const withTokens = Object.entries(openapi.components.schemas)
    .filter(([, schema]) => 'access_token' in ((schema as { properties?: object }).properties ?? {}))
    .map(([name]) => name)
  expect(withTokens).toEqual(['TokenResponse'])
  expect(waysToSignIn.map(({ id }) => id).sort()).toEqual([
    'identity.auth.login',
    'identity.auth.refresh',
    'identity.auth.register',
    'identity.mfa.completeChallenge',
    'identity.oauth.completeSignIn',
    'identity.passkeys.signIn',
    'identity.sso.completeSignIn',
  ])
})

it('AUT-87 ends the sign-ins that it would refuse, and leaves API keys and programs', async () => {
  const organisation = await createOrganisation(service)
  const { account } = organisation
  const ofDomain = await account.addColleague()
  const other = await account.addColleague()
  await service.sql('update users set email = $2 where id = $1', [ofDomain.id, organisation.createEmail()])
  const bySso = expectStatus(await signInThroughSso(service, organisation.createEmail()), 200).body
  const key = await createKey(service, account)
  await service.sql(
    `insert into sign_ins (account_id, user_id, expires_at, method) values ($1, $2, now() + interval '1 day', 'delegated')`,
    [account.id, ofDomain.id],
  )
  await service.sql(`update sso_connections set mode = 'enforced' where account_id = $1`, [account.id])
  const status = async (call: Person['call']) => (await call('GET', '/auth/me')).status
  expect([
    await status(ofDomain.call),
    await status(other.call),
    await status(callWith(service, bySso.access_token)),
    (await key.call('GET', '/trees')).status,
  ]).toEqual([401, 200, 200, 200])
  expect(
    await service.sql('select method from sign_ins where user_id = $1 and ended_at is null', [ofDomain.id]),
  ).toEqual([{ method: 'delegated' }])
})

it('AUT-87 sends no reset link to who must sign in at the provider, and answers the same', async () => {
  const organisation = await createOrganisation(service, { mode: 'enforced' })
  const email = organisation.createEmail()
  expectStatus(await signInThroughSso(service, email), 200)
  expectStatus(await postWithoutToken(service, '/auth/forgot-password', { email }), 202)
  const unlinked = await organisation.account.addColleague()
  expectStatus(await postWithoutToken(service, '/auth/forgot-password', { email: unlinked.email }), 202)
  await waitForLink(unlinked.email, /reset-password\?token=([\w-]+)/)
  expect(await service.sql(`select from deliveries where recipient = $1`, [email])).toEqual([])
})

it('AUT-87 a member cannot leave by another address, and one who is no admin any more keeps no way in', async () => {
  const organisation = await createOrganisation(service, { mode: 'enforced' })
  const email = organisation.createEmail()
  const { user } = expectStatus(await signInThroughSso(service, email), 200).body
  const moved = `${crypto.randomUUID()}@people.example`
  await service.sql('update users set email = $2 where id = $1', [user.id, moved])
  await insertPassword(service, user)
  const login = await postWithoutToken(service, '/auth/login', {
    email: moved,
    password: 'violet-tractor-81',
  })
  expect([login.status, login.body.code]).toEqual([403, 'sso_required'])
  const admin = await organisation.account.addColleague({ role: 'admin' })
  await service.sql('update users set email = $2 where id = $1', [admin.id, organisation.createEmail()])
  await service.sql(
    `insert into sign_ins (account_id, user_id, expires_at, method, second_factor_at) values ($1, $2, now() + interval '1 day', 'password', now())`,
    [admin.accountId, admin.id],
  )
  const countOpen = async () =>
    (await service.sql('select from sign_ins where user_id = $1 and ended_at is null', [admin.id])).length
  expect(await countOpen()).toBe(1)
  await service.sql(`update users set role = 'engineer' where id = $1`, [admin.id])
  expect(await countOpen()).toBe(0)
})

it('AUT-88 an admin who signs in past the provider is in the audit log, and the other admins are told', async () => {
  const organisation = await createOrganisation(service, { mode: 'enforced' })
  const { account } = organisation
  const admin = await account.addColleague({ role: 'admin' })
  const op = operations.find(({ id }) => id === 'identity.mfa.completeChallenge') as AnyOperation
  await service.sql('update users set email = $2 where id = $1', [admin.id, organisation.createEmail()])
  const answer = await send(service, op, await getFixture(op)(service, admin))
  expectStatus(answer, 200)
  expect(
    await service.sql(
      `select actor_id, resource_id from audit_logs where account_id = $1 and action = 'sign_in.without_sso'`,
      [account.id],
    ),
  ).toEqual([{ actor_id: admin.id, resource_id: admin.id }])
  expect(
    await service.sql(
      `select user_id from deliveries where account_id = $1 and purpose = 'sign_in_without_sso'`,
      [account.id],
    ),
  ).toEqual([{ user_id: account.admin.id }])
})
